// layered_state.h - tables as RocksDB opened them, and over them the changes of the logs since.
//   tail:   key -> 'v' value | 'd'         keys that the log put, and deleted
//   hidden: ranges that the log deleted; they hide keys of the tables
// A key is in the tail, or else hidden, or else as in the tables. The tail grows with the log; the
// tables stay, and their files stay open, until the last reader of the state is gone.
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

// What the tail has for a key.
enum class TailWord : std::uint8_t { kNothing, kPut, kDeleted };

struct LayeredState {
  std::unique_ptr<Engine> tables;  // Read-only.
  std::unique_ptr<Engine> tail;    // In memory.
  HiddenByRole hidden;             // As of the newest commit in the tail.

  // Applies one record of the log, a batch of RocksDB's. Calls `touched` with each key, or both
  // ends of a range.
  Status Apply(const std::string& record, FunctionRef<void(Role, Bytes begin, Bytes end)> touched);
};

// Decodes a value of the tail; kDeleted when it is a deletion.
TailWord ReadTailValue(Bytes stored, Bytes& value);

// A frozen layered state.
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
  const std::unique_ptr<Snapshot> tail_;             // Destroyed before the state.
  const HiddenByRole hidden_;
};

}  // namespace mayfly::engine
