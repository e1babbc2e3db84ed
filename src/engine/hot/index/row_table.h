// row_table.h - finds a row by its key: a hash table that grows one bucket at a time.
//   bucket, 64 bytes: | version u32 | overflow u32 | 11 tags u8, pad | 11 row handles u32 |
// Linear hashing: with n buckets a key is in bucket (hash mod 2^(k+1)), or without the highest bit
// if there is no such bucket yet. Growing splits one bucket, so no insert pays for all rows. The
// buckets lie in a region of their own and never move. Full buckets have overflow blocks, which are
// buckets cut off behind the third row.
// Readers take no lock: they note the bucket's version, which is odd while it changes, and compare
// it after they have read. A row that a reader found is not freed and reused unnoticed: a row
// leaves its bucket first.
// Threads: Find() from any thread. The others with the lock of the row that they name.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/hot/index/region.h"
#include "engine/hot/index/slab_arena.h"
#include "mayfly/bytes.h"

namespace mayfly::engine::hot {

class RowTable {
 public:
  // What Find() saw.
  struct Found {
    Handle row = 0;
    const std::atomic<std::uint32_t>* version = nullptr;
    std::uint32_t seen = 0;

    // True while the bucket is unchanged, so that the row is still in it.
    bool IsCurrent() const { return version->load(std::memory_order_acquire) == seen; }
  };

  RowTable(SlabArena& arena, std::uint64_t seed, std::size_t rows_max);

  // Fetches the bucket of a hash into the cache.
  void Prefetch(std::uint64_t hash) const {
    __builtin_prefetch(&BucketAt(IndexOf(hash, bucket_count())));
  }

  // Fetches the rows that may have this hash, from its bucket, which should be in the cache by now.
  void PrefetchRows(std::uint64_t hash) const;

  // The row of `key`, or row 0.
  Found Find(Bytes key, std::uint64_t hash) const;

  // The rows whose keys have this hash: one, as good as always.
  void FindByHash(std::uint64_t hash, std::vector<Handle>& rows) const;

  // False when there is no memory.
  bool Insert(std::uint64_t hash, Handle row);
  void Remove(std::uint64_t hash, Handle row);
  void Replace(std::uint64_t hash, Handle row, Handle by);

  // The rows of a bucket, for a hand that walks over all of them; empty beyond the last one. They
  // may have left when the caller comes to them.
  void RowsOfBucket(std::size_t bucket, std::vector<Handle>& rows) const;

  std::size_t bucket_count() const { return bucket_count_.load(std::memory_order_acquire); }
  std::size_t row_count() const { return row_count_.load(std::memory_order_relaxed); }

  // Beside overflow blocks, which are the arena's.
  std::size_t memory_bytes() const { return bucket_count() * sizeof(Bucket); }

 private:
  static constexpr std::size_t kSlots = 11;
  static constexpr std::size_t kOverflowSlots = 3;
  static constexpr std::size_t kBucketsMin = 16;

  struct Bucket {
    std::atomic<std::uint32_t> version;
    std::atomic<Handle> overflow;
    std::atomic<std::uint64_t> tags_a;  // Of slots 0 to 7; tag 0: the slot is free.
    std::atomic<std::uint32_t> tags_b;  // Of slots 8 to 10.
    std::atomic<Handle> rows[kSlots];

    // A bit for each slot that has the tag.
    std::uint32_t SlotsWith(std::uint8_t tag) const {
      constexpr std::uint64_t kOnes = 0x0101010101010101;
      constexpr std::uint64_t kLows = 0x7f7f7f7f7f7f7f7f;
      const auto match = [&](std::uint64_t tags) {
        const std::uint64_t differ = tags ^ (kOnes * tag);
        // The high bit of each byte that is zero; then all of them side by side.
        const std::uint64_t zeros = ~(((differ & kLows) + kLows) | differ | kLows);
        return static_cast<std::uint32_t>((zeros >> 7) * 0x0102040810204080 >> 56);
      };
      return match(tags_a.load(std::memory_order_acquire)) |
             (match(tags_b.load(std::memory_order_acquire)) & 7) << 8;
    }
    std::uint8_t tag(std::size_t slot) const {
      return static_cast<std::uint8_t>(
          slot < 8 ? tags_a.load(std::memory_order_acquire) >> (8 * slot)
                   : tags_b.load(std::memory_order_acquire) >> (8 * (slot - 8)));
    }
    void Set(std::size_t slot, std::uint8_t tag, Handle row);
  };
  static_assert(sizeof(Bucket) == 64);
  static constexpr std::size_t kOverflowBytes =
      sizeof(Bucket) - (kSlots - kOverflowSlots) * sizeof(Handle);
  static_assert(kOverflowBytes % kUnitBytesMax == 0);

  struct Place {
    Bucket* bucket = nullptr;
    std::size_t slot = 0;
  };

  static std::uint8_t TagOf(std::uint64_t hash) {
    const auto tag = static_cast<std::uint8_t>(hash >> 56);
    return tag == 0 ? 1 : tag;
  }
  static std::size_t IndexOf(std::uint64_t hash, std::size_t buckets) {
    const std::size_t half = std::bit_floor(buckets);
    const std::size_t index = hash & (2 * half - 1);
    return index < buckets ? index : index & (half - 1);
  }
  static std::size_t BuddyOf(std::size_t bucket);

  Bucket& BucketAt(std::size_t i) const { return buckets_[i]; }
  Bucket* OverflowOf(const Bucket& bucket) const {
    const Handle handle = bucket.overflow.load(std::memory_order_acquire);
    return handle == 0 ? nullptr : reinterpret_cast<Bucket*>(arena_.At(handle));
  }

  // Calls visit(row) for rows with the hash's tag until one returns true; then validates. Begin()
  // is called before each attempt.
  template <typename Visit>
  Found Scan(std::uint64_t hash, Visit& visit) const;

  Bucket& LockBucketOf(std::uint64_t hash);
  void Lock(Bucket& bucket);
  void Unlock(Bucket& bucket);
  Place PlaceOf(Bucket& first, std::uint8_t tag, Handle row) const;
  bool AddTo(Bucket& first, std::uint8_t tag, Handle row);
  void CompactChain(Bucket& first);
  std::uint64_t HashOfRow(Handle row) const;

  void Grow();
  void Shrink();
  void MoveRows(Bucket& from, Bucket& to, std::size_t to_index, std::size_t buckets);

  SlabArena& arena_;
  const std::uint64_t seed_;
  Region region_;
  Bucket* buckets_;  // In region_.

  std::atomic<std::size_t> bucket_count_{kBucketsMin};
  std::mutex resize_mutex_;  // Of bucket_count_ and the region.
  alignas(64) std::atomic<std::size_t> row_count_{0};
};

}  // namespace mayfly::engine::hot
