#include "engine/hot/index/row_table.h"

#include <bit>

#include "base/check.h"
#include "engine/hot/index/row.h"
#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {
namespace {

// Rows per bucket, times four, at which the table grows and shrinks.
constexpr std::size_t kGrowAtQuarters = 30;
constexpr std::size_t kShrinkAtQuarters = 12;

struct KeyMatch {
  const SlabArena& arena;
  Bytes key;

  void Begin() {}
  bool operator()(Handle row) const {
    const RowBlock& block = RowAt(arena, row);
    return block.key_bytes() == key.size() && EqualWords(block.key(), key);
  }
};

struct HashMatch {
  const SlabArena& arena;
  std::uint64_t hash;
  std::uint64_t seed;
  std::vector<Handle>& rows;

  void Begin() { rows.clear(); }
  bool operator()(Handle row) {
    const RowBlock& block = RowAt(arena, row);
    if (HashOfWords(block.key(), block.key_bytes(), seed) == hash) rows.push_back(row);
    return false;
  }
};

}  // namespace

void RowTable::Bucket::Set(std::size_t slot, std::uint8_t tag, Handle row) {
  rows[slot].store(row, std::memory_order_release);
  if (slot < 8) {
    const std::uint64_t others = tags_a.load(std::memory_order_relaxed) & ~(0xffULL << (8 * slot));
    tags_a.store(others | static_cast<std::uint64_t>(tag) << (8 * slot), std::memory_order_release);
  } else {
    slot -= 8;
    const std::uint32_t others = tags_b.load(std::memory_order_relaxed) & ~(0xffU << (8 * slot));
    tags_b.store(others | static_cast<std::uint32_t>(tag) << (8 * slot), std::memory_order_release);
  }
}

RowTable::RowTable(SlabArena& arena, std::uint64_t seed, std::size_t rows_max)
    : arena_(arena),
      seed_(seed),
      region_((rows_max / 4 + kBucketsMin) * sizeof(Bucket), true, 0),
      buckets_(reinterpret_cast<Bucket*>(region_.base())) {
  MAYFLY_CHECK(region_.Reach(kBucketsMin * sizeof(Bucket)), "the memory index got no memory");
}

std::size_t RowTable::BuddyOf(std::size_t bucket) { return bucket - std::bit_floor(bucket); }

template <typename Visit>
RowTable::Found RowTable::Scan(std::uint64_t hash, Visit& visit) const {
  const std::uint8_t tag = TagOf(hash);
  for (Backoff backoff;; backoff.Wait()) {
    visit.Begin();
    const std::size_t buckets = bucket_count();
    const Bucket& first = BucketAt(IndexOf(hash, buckets));
    Found found{.version = &first.version, .seen = first.version.load(std::memory_order_acquire)};
    if (found.seen & 1) continue;
    bool changed = false;
    for (const Bucket* bucket = &first; bucket != nullptr && !changed;) {
      for (std::uint32_t slots = bucket->SlotsWith(tag); slots != 0; slots &= slots - 1) {
        const auto slot = static_cast<std::size_t>(std::countr_zero(slots));
        const Handle row = bucket->rows[slot].load(std::memory_order_acquire);
        PrefetchRow(arena_, row);
        // An overflow block that was freed meanwhile may hold anything.
        if (!found.IsCurrent()) break;
        if (visit(row)) {
          found.row = row;
          break;
        }
      }
      const Bucket* next = found.row != 0 ? nullptr : OverflowOf(*bucket);
      changed = !found.IsCurrent();
      bucket = next;
    }
    // The count before the version: while the version holds, a bucket of this many is complete.
    if (found.row == 0 && bucket_count() != buckets) continue;
    if (!changed && found.IsCurrent()) return found;
  }
}

// Whatever a change makes of what is read here meanwhile: a prefetch of any place does no harm.
void RowTable::PrefetchRows(std::uint64_t hash) const {
  const Bucket& bucket = BucketAt(IndexOf(hash, bucket_count()));
  for (std::uint32_t slots = bucket.SlotsWith(TagOf(hash)); slots != 0; slots &= slots - 1) {
    const auto slot = static_cast<std::size_t>(std::countr_zero(slots));
    PrefetchRow(arena_, bucket.rows[slot].load(std::memory_order_acquire));
  }
}

RowTable::Found RowTable::Find(Bytes key, std::uint64_t hash) const {
  KeyMatch match{.arena = arena_, .key = key};
  return Scan(hash, match);
}

void RowTable::FindByHash(std::uint64_t hash, std::vector<Handle>& rows) const {
  HashMatch match{.arena = arena_, .hash = hash, .seed = seed_, .rows = rows};
  Scan(hash, match);
}

void RowTable::RowsOfBucket(std::size_t bucket, std::vector<Handle>& rows) const {
  for (Backoff backoff;; backoff.Wait()) {
    rows.clear();
    if (bucket >= bucket_count()) return;
    const Bucket& first = BucketAt(bucket);
    const std::uint32_t seen = first.version.load(std::memory_order_acquire);
    if (seen & 1) continue;
    const auto is_current = [&] { return first.version.load(std::memory_order_acquire) == seen; };
    for (const Bucket* at = &first; at != nullptr && is_current();) {
      for (std::size_t slot = 0; slot < kSlots; ++slot) {
        if (at->tag(slot) != 0) rows.push_back(at->rows[slot].load(std::memory_order_acquire));
      }
      const Bucket* next = OverflowOf(*at);
      at = is_current() ? next : nullptr;
    }
    if (is_current()) return;
  }
}

void RowTable::Lock(Bucket& bucket) {
  for (Backoff backoff;; backoff.Wait()) {
    std::uint32_t seen = bucket.version.load(std::memory_order_relaxed);
    if ((seen & 1) == 0 &&
        bucket.version.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel)) {
      return;
    }
  }
}

void RowTable::Unlock(Bucket& bucket) { bucket.version.fetch_add(1, std::memory_order_acq_rel); }

RowTable::Bucket& RowTable::LockBucketOf(std::uint64_t hash) {
  for (;;) {
    const std::size_t buckets = bucket_count();
    Bucket& bucket = BucketAt(IndexOf(hash, buckets));
    Lock(bucket);
    if (IndexOf(hash, bucket_count()) == IndexOf(hash, buckets)) return bucket;
    Unlock(bucket);
  }
}

RowTable::Place RowTable::PlaceOf(Bucket& first, std::uint8_t tag, Handle row) const {
  for (Bucket* bucket = &first; bucket != nullptr; bucket = OverflowOf(*bucket)) {
    constexpr std::uint32_t kOverflowMask = (1U << kOverflowSlots) - 1;
    std::uint32_t slots = bucket->SlotsWith(tag);
    if (bucket != &first) slots &= kOverflowMask;
    for (; slots != 0; slots &= slots - 1) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(slots));
      if (tag == 0 || bucket->rows[slot].load(std::memory_order_relaxed) == row) {
        return {.bucket = bucket, .slot = slot};
      }
    }
  }
  return {};
}

bool RowTable::AddTo(Bucket& first, std::uint8_t tag, Handle row) {
  Place place = PlaceOf(first, 0, 0);
  if (place.bucket == nullptr) {
    const Handle block = arena_.Allocate(kOverflowBytes);
    if (block == 0) return false;
    Wipe(arena_.At(block), kOverflowBytes);
    place = {.bucket = reinterpret_cast<Bucket*>(arena_.At(block)), .slot = 0};
    // Behind the first: the order of a chain means nothing.
    place.bucket->overflow.store(first.overflow.load(std::memory_order_relaxed),
                                 std::memory_order_relaxed);
    first.overflow.store(block, std::memory_order_release);
  }
  place.bucket->Set(place.slot, tag, row);
  return true;
}

// Frees overflow blocks that have become empty.
void RowTable::CompactChain(Bucket& first) {
  for (Bucket* before = &first; before != nullptr;) {
    Bucket* bucket = OverflowOf(*before);
    if (bucket == nullptr) return;
    if (bucket->tags_a.load(std::memory_order_relaxed) == 0 &&
        bucket->tags_b.load(std::memory_order_relaxed) == 0) {
      const Handle gone = before->overflow.load(std::memory_order_relaxed);
      before->overflow.store(bucket->overflow.load(std::memory_order_relaxed),
                             std::memory_order_release);
      arena_.Free(gone);
    } else {
      before = bucket;
    }
  }
}

bool RowTable::Insert(std::uint64_t hash, Handle row) {
  Bucket& bucket = LockBucketOf(hash);
  const bool added = AddTo(bucket, TagOf(hash), row);
  Unlock(bucket);
  if (!added) return false;
  const std::size_t rows = row_count_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (rows * 4 > bucket_count() * kGrowAtQuarters) Grow();
  return true;
}

void RowTable::Remove(std::uint64_t hash, Handle row) {
  Bucket& bucket = LockBucketOf(hash);
  const Place place = PlaceOf(bucket, TagOf(hash), row);
  MAYFLY_CHECK(place.bucket != nullptr, "a row is not in its bucket");
  place.bucket->Set(place.slot, 0, 0);
  if (place.bucket != &bucket) CompactChain(bucket);
  Unlock(bucket);
  const std::size_t rows = row_count_.fetch_sub(1, std::memory_order_relaxed) - 1;
  const std::size_t buckets = bucket_count();
  if (buckets > kBucketsMin && rows * 4 < buckets * kShrinkAtQuarters) Shrink();
}

void RowTable::Replace(std::uint64_t hash, Handle row, Handle by) {
  Bucket& bucket = LockBucketOf(hash);
  const Place place = PlaceOf(bucket, TagOf(hash), row);
  MAYFLY_CHECK(place.bucket != nullptr, "a row is not in its bucket");
  place.bucket->Set(place.slot, TagOf(hash), by);
  Unlock(bucket);
}

}  // namespace mayfly::engine::hot
