// shard_state.h - the rows of a shard in memory, as its owner has them.
// An engine in memory gives snapshots, cursors both ways and reads without a network. With
// `by_slot` there is one for each slot that has rows, since a cursor then shows one slot; else one
// for all.
// Threads: reads from any; changes come from one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace mayfly::engine::cluster {

// A change of one key; nothing: it is deleted.
struct KeyChange {
  Address at;
  Bytes key;
  std::optional<Bytes> value;
};

class ShardState {
 public:
  explicit ShardState(bool by_slot);

  // Where a slot's rows are.
  Slot Place(Slot slot) const { return by_slot_ ? slot : Slot{0}; }

  // Null: it has never had a row. Never becomes null again.
  Engine* Find(Slot slot) const;

  // Makes one that is missing.
  Engine& Of(Slot slot);

  // All changes become visible together. Changes of one slot stand together.
  Status Apply(const std::vector<KeyChange>& changes);

  // Snapshots of all slots that have rows, by slot, of one moment.
  Result<std::vector<std::pair<Slot, std::unique_ptr<Snapshot>>>> Freeze() const;

  // All engines, in the order of their slots.
  std::vector<Engine*> engines() const;

  std::uint64_t memory_bytes() const;

 private:
  const bool by_slot_;
  mutable std::shared_mutex apply_mutex_;  // Held by Apply(), and shared by Freeze().
  mutable std::shared_mutex mutex_;
  std::map<Slot, std::unique_ptr<Engine>> slots_;  // Guarded by mutex_.
  Engine* single_ = nullptr;                       // The only one, unless by_slot_.
};

}  // namespace mayfly::engine::cluster
