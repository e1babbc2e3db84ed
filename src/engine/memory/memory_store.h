// memory_store.h - all roles of the memory engine, their lock, and the open states.
// One number counts commits over all roles, so a state of the whole store is one number, too. A
// commit holds the lock exclusively, from the first condition to the last change, which makes a
// batch atomic; readers share it. Threads: every call from any thread, Clear() alone.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <vector>

#include "engine/address.h"
#include "engine/batch.h"
#include "engine/drop_policy.h"
#include "engine/engine.h"
#include "engine/key_range.h"
#include "engine/memory/memory_map.h"
#include "engine/memory/version_chain.h"
#include "mayfly/bytes.h"
#include "mayfly/status.h"

namespace mayfly::engine {

class MemoryStore {
 public:
  // Keeps one state open. Destroy it before its store.
  class FrozenState {
   public:
    explicit FrozenState(MemoryStore& store);                   // The present state.
    FrozenState(MemoryStore& store, const FrozenState& other);  // The same state once more.
    ~FrozenState();
    FrozenState(const FrozenState&) = delete;
    FrozenState& operator=(const FrozenState&) = delete;

    Sequence sequence() const { return sequence_; }

   private:
    MemoryStore& store_;
    Sequence sequence_;
  };

  // The value of `key` at `state` (kNewest: now); null when absent.
  Value Get(Role role, Bytes key, Sequence state) const;

  // Reads all lookups from one state.
  void MultiGet(std::span<Lookup*> lookups, Sequence state) const;

  // Applies the batch, or changes nothing and returns the first condition that does not hold; its
  // views point into the batch.
  std::optional<Batch::Condition> Commit(const Batch& batch);

  // Deletes pairs that `judge` calls dead, a step of keys at a time.
  void Compact(Role role, const KeyRange& range, DropPolicy::Judge& judge);

  // The places that contain `needle`, old versions and tombstones included, at most `traces_max`.
  std::vector<Trace> Find(Bytes needle, std::size_t traces_max) const;

  void Clear();

  std::size_t memory_bytes() const;

  // For cursors: hold the lock while reading the map.
  std::shared_lock<std::shared_mutex> LockToRead() const { return std::shared_lock(mutex_); }
  const MemoryMap& map(Role role) const { return maps_[static_cast<std::size_t>(role)]; }

 private:
  MemoryMap& map(Role role) { return maps_[static_cast<std::size_t>(role)]; }

  // All with the lock held.
  MemoryMap::Moment NextMoment();
  bool Holds(const Batch::Condition& condition) const;
  void Apply(const Batch::Change& change, MemoryMap::Moment moment);

  const OwnerProcess owner_;
  mutable std::shared_mutex mutex_;

  // Guarded by mutex_.
  std::array<MemoryMap, kRoleCount> maps_;
  std::multiset<Sequence> open_states_;
  Sequence last_commit_ = 0;
};

// Reads `value` into `pinned`, which then shares it; NotFound for null.
Status Pin(Value value, PinnedBytes& pinned);

}  // namespace mayfly::engine
