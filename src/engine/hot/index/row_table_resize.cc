// Growing and shrinking, a bucket at a time.
#include "base/check.h"
#include "engine/hot/index/row.h"
#include "engine/hot/index/row_table.h"
#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {

std::uint64_t RowTable::HashOfRow(Handle row) const {
  const RowBlock& block = RowAt(arena_, row);
  return HashOfWords(block.key(), block.key_bytes(), seed_);
}

// Moves what belongs to bucket `to_index` among `buckets`. Both are locked.
void RowTable::MoveRows(Bucket& from, Bucket& to, std::size_t to_index, std::size_t buckets) {
  for (Bucket* bucket = &from; bucket != nullptr; bucket = OverflowOf(*bucket)) {
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      if (bucket->tag(slot) != 0) __builtin_prefetch(arena_.At(bucket->rows[slot].load()));
    }
  }
  for (Bucket* bucket = &from; bucket != nullptr; bucket = OverflowOf(*bucket)) {
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      const std::uint8_t tag = bucket->tag(slot);
      if (tag == 0) continue;
      const Handle row = bucket->rows[slot].load(std::memory_order_relaxed);
      if (IndexOf(HashOfRow(row), buckets) != to_index) continue;
      if (AddTo(to, tag, row)) {
        bucket->Set(slot, 0, 0);
      } else {
        MAYFLY_CHECK(false, "the memory index is used up while it grows");
      }
    }
  }
  CompactChain(from);
}

void RowTable::Grow() {
  const std::unique_lock lock(resize_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const std::size_t fresh = bucket_count();
  // Without memory for a bucket the chains get longer; nothing is lost.
  if (!region_.Reach((fresh + 1) * sizeof(Bucket))) return;
  Bucket& from = BucketAt(BuddyOf(fresh));
  Bucket& to = BucketAt(fresh);
  Lock(from);
  Lock(to);
  MoveRows(from, to, fresh, fresh + 1);
  bucket_count_.store(fresh + 1, std::memory_order_release);
  Unlock(to);
  Unlock(from);
}

void RowTable::Shrink() {
  const std::unique_lock lock(resize_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const std::size_t last = bucket_count() - 1;
  if (last < kBucketsMin) return;
  Bucket& from = BucketAt(last);
  Bucket& to = BucketAt(BuddyOf(last));
  Lock(to);
  Lock(from);
  MoveRows(from, to, BuddyOf(last), last);
  bucket_count_.store(last, std::memory_order_release);
  Unlock(from);
  Unlock(to);
}

}  // namespace mayfly::engine::hot
