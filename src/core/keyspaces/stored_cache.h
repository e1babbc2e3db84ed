// stored_cache.h - a cache of the pairs that latched transactions read.
// Caches pairs of `rows` and `members` exactly as the engine has them, and absent ones, too;
// callers interpret them as if the engine had answered. It is exact because of the latches: a pair
// is read and cached only under the latch of its row, which readers may share since they cache the
// same bytes, and changed only under the latch held alone; every commit updates the cache before it
// releases that latch. Hence it is for latched transactions alone; reads without a latch go to the
// engine. It would be wrong beside a second process that writes.
// Invariant: a cached pair equals the stored one whenever no thread holds its latch. Evicts by
// CLOCK. Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "engine/address.h"
#include "engine/batch.h"
#include "mayfly/bytes.h"
#include "mayfly/pinned_bytes.h"

namespace mayfly::core {

class StoredCache {
 public:
  // 0: caches nothing.
  explicit StoredCache(std::size_t bytes_max);
  ~StoredCache();
  StoredCache(const StoredCache&) = delete;
  StoredCache& operator=(const StoredCache&) = delete;

  bool on() const { return shard_bytes_max_ > 0; }

  enum class Answer : std::uint8_t { kUnknown, kAbsent, kPresent };

  // On a hit of a present pair leaves a copy in `value`. kUnknown is a miss.
  Answer Find(engine::Role role, Bytes key, PinnedBytes& value);

  // Caches the engine's answer: the value, or that there is none.
  void KeepPresent(engine::Role role, Bytes key, Bytes value) { Keep(role, key, value, true); }
  void KeepAbsent(engine::Role role, Bytes key) { Keep(role, key, {}, false); }

  // Updates cached pairs after the batch was committed. Caches no new ones.
  void Applied(const engine::Batch& batch) { FollowEach(batch, true); }

  // Forgets the batch's keys after it failed: how much of it was applied is unknown.
  void Failed(const engine::Batch& batch) { FollowEach(batch, false); }

  void Forget(KeyspaceId keyspace);

  std::size_t bytes() const;

 private:
  struct Line;
  struct FreeLine {
    void operator()(Line* line) const;
  };
  using LinePointer = std::unique_ptr<Line, FreeLine>;

  struct alignas(64) Shard {  // A cache line each, at least.
    mutable std::mutex mutex;
    std::vector<LinePointer> buckets;  // Chains; a power of two of them.
    std::size_t lines = 0;
    std::size_t bytes = 0;
    std::size_t hand = 0;  // The bucket that CLOCK visits next.
  };

  static LinePointer NewLine(engine::Role role, Bytes key, Bytes value, bool present,
                             std::uint64_t hash);
  static LinePointer* Seek(Shard& shard, engine::Role role, Bytes key, std::uint64_t hash);
  static void Insert(Shard& shard, LinePointer line);
  static void Remove(Shard& shard, LinePointer& line);
  void MakeRoom(Shard& shard, std::size_t bytes) const;
  void Keep(engine::Role role, Bytes key, Bytes value, bool present);
  void FollowEach(const engine::Batch& batch, bool happened);
  void Follow(const engine::Batch::Change& change, bool happened);
  Shard& ShardOf(std::uint64_t hash) { return shards_[hash >> (64 - kCacheShardBits)]; }

  const std::size_t shard_bytes_max_;
  std::atomic<bool> used_{false};  // Until then commits need not update it.
  std::array<Shard, std::size_t{1} << kCacheShardBits> shards_;
};

}  // namespace mayfly::core
