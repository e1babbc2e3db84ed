// stored_cache.h - what latched transactions read last, so that the next transaction need not ask
// the engine for it. Holds pairs of `rows` and `members` exactly as the engine has them, and knows
// of absent ones, too; what a row means is decided elsewhere, as if the engine had answered. It is
// exact because of the latches: a pair is looked for and kept only under the latch of its row,
// which readers may share since they keep the same, and changed by who holds it alone; every commit
// tells what it changed before it lets go of that latch. Hence it is for transactions alone; reads
// without a latch go to the engine. It would be wrong beside a second process that writes.
// Invariant: a pair that is kept is the one that is stored, whenever nobody holds its latch. What
// has not been asked for lately makes room. Safe from any thread.
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
  // 0: keeps nothing.
  explicit StoredCache(std::size_t bytes_max);
  ~StoredCache();
  StoredCache(const StoredCache&) = delete;
  StoredCache& operator=(const StoredCache&) = delete;

  bool on() const { return shard_bytes_max_ > 0; }

  enum class Answer : std::uint8_t { kUnknown, kAbsent, kPresent };

  // Leaves a copy in `value` if the pair is there.
  Answer Find(engine::Role role, Bytes key, PinnedBytes& value);

  // What the engine said: the value, or that there is none.
  void KeepPresent(engine::Role role, Bytes key, Bytes value) { Keep(role, key, value, true); }
  void KeepAbsent(engine::Role role, Bytes key) { Keep(role, key, {}, false); }

  // The batch was committed: what is known of its keys changes. It makes nothing known that was
  // not.
  void Applied(const engine::Batch& batch) { FollowEach(batch, true); }

  // The batch failed, and nobody knows how far it came.
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
    std::size_t hand = 0;  // The bucket that makes room next.
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
  std::atomic<bool> used_{false};  // Until then commits have nothing to tell.
  std::array<Shard, std::size_t{1} << kCacheShardBits> shards_;
};

}  // namespace mayfly::core
