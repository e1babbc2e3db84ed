// layered_state.h - tables as RocksDB opened them, and over them what the log says since.
//   tail:   key -> 'v' value | 'd'         what the log put, and deleted
//   hidden: ranges that the log deleted; their keys in the tables are not there
// A key is in the tail, or else hidden, or else as the tables have it. The tail grows with the log;
// the tables stay, and their files stay open, until nobody looks at the state any more.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "base/function_ref.h"
#include "engine/engine.h"
#include "engine/rocks/reader/hidden_ranges.h"

namespace mayfly::engine {

using HiddenByRole = std::array<std::shared_ptr<const HiddenRanges>, kRoleCount>;

// What the tail says about a key.
enum class TailWord : std::uint8_t { kNothing, kPut, kDeleted };

struct LayeredState {
  std::unique_ptr<Engine> tables;  // Read-only.
  std::unique_ptr<Engine> tail;    // In memory.
  HiddenByRole hidden;             // As of the newest commit in the tail.

  // Applies one record of the log, a batch of RocksDB's. `touched` is told of each key, or of both
  // ends of a range.
  Status Apply(const std::string& record, FunctionRef<void(Role, Bytes begin, Bytes end)> touched);
};

// The value that a pair of the tail holds; kDeleted when it holds none.
TailWord ReadTailValue(Bytes stored, Bytes& value);

// A frozen state of it.
class LayeredSnapshot final : public Snapshot {
 public:
  LayeredSnapshot(std::shared_ptr<const LayeredState> of, std::unique_ptr<Snapshot> tail,
                  std::atomic<std::uint64_t>& open_snapshots)
      : ticket_(open_snapshots),
        state_(std::move(of)),
        tail_(std::move(tail)),
        hidden_(state_->hidden) {}

  const std::shared_ptr<const LayeredState>& state() const { return state_; }
  const Snapshot* tail() const { return tail_.get(); }
  const HiddenByRole& hidden() const { return hidden_; }

 private:
  const HandleTicket ticket_;
  const std::shared_ptr<const LayeredState> state_;  // Shared with the engine and other readers.
  const std::unique_ptr<Snapshot> tail_;             // Goes before the state.
  const HiddenByRole hidden_;
};

}  // namespace mayfly::engine
