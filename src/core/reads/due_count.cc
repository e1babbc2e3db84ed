#include "core/reads/due_count.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "base/fair_yield.h"
#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/layout/liveness.h"

namespace mayfly::core {
namespace {

// The sum of all counters in a state.
Result<Counters> SumCounters(const engine::Engine& engine, KeyspaceId id,
                             const engine::Snapshot* snapshot) {
  const std::string begin = MetaKey(kMetaCounters, id);
  const std::string end = MetaKey(kMetaCounters, id + 1);
  const engine::CursorOptions walk{.range = {begin, end}, .snapshot = snapshot};
  MAYFLY_TRY(const auto cursor, engine.NewCursor(kMeta, walk));
  Counters sum;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    Counters counters;
    MAYFLY_RETURN_IF_ERROR(DecodeCounters(cursor->value(), counters));
    sum = sum + counters;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return sum;
}

// Entries from `first` on that are dead at `now`, up to a bound.
Result<std::uint64_t> CountDead(const Store& store, KeyspaceId id, WallTime first, WallTime now,
                                const engine::Snapshot* snapshot, std::uint64_t entries_max) {
  const std::string begin = EntryBegin(id, first);
  const std::string end = KeyspaceEnd(id);
  const engine::CursorOptions walk{
      .range = {begin, end}, .snapshot = snapshot, .fill_cache = false};
  MAYFLY_TRY(const auto cursor, store.engine().NewCursor(kExpiry, walk));
  std::uint64_t dead = 0;
  FairYield yield;
  for (cursor->SeekToFirst(); cursor->Valid() && dead < entries_max; cursor->Next()) {
    const auto entry = DecodeEntry(cursor->key());
    if (!entry) {
      return Status::Corruption("an entry of the expiry index is damaged; run a check with repair");
    }
    if (!IsDead(entry->deadline, now)) break;
    if (++dead % kScanEntriesPerYield == 0) yield.Offer(store.clock());
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return dead;
}

constexpr std::uint64_t kAll = UINT64_MAX;

}  // namespace

Result<RowCounts> CountStored(const View& frozen, WallTime first) {
  const engine::Engine& engine = frozen.store.engine();
  const KeyspaceId id = frozen.keyspace.id();
  MAYFLY_TRY(const Counters sum, SumCounters(engine, id, frozen.snapshot));
  RowCounts counts{
      .rows = sum.rows, .mortal = sum.mortal, .with_mortal_members = sum.with_mortal_members};
  if (sum.mortal == 0) return counts;
  PinnedBytes pin;
  const Status read = engine.Get(kMeta, MetaKey(kMetaDue, id), pin, frozen.snapshot);
  if (!read.ok() && !read.IsNotFound()) return read;
  if (read.ok()) {
    DueRecord record;
    MAYFLY_RETURN_IF_ERROR(DecodeDueRecord(pin.view(), record));
    // A corrected clock may show an instant before that of the count.
    if (IsDead(record.through, frozen.now)) {
      counts.dead = record.base + sum.due[record.field];
      first = std::max(first, record.through + Millis(1));
    }
  }
  MAYFLY_TRY(const std::uint64_t later,
             CountDead(frozen.store, id, first, frozen.now, frozen.snapshot, kAll));
  counts.dead += static_cast<std::int64_t>(later);
  counts.dead = std::clamp<std::int64_t>(counts.dead, 0, counts.rows);
  return counts;
}

Result<std::optional<std::uint64_t>> KeepCountOfDue(Store& store, KeyspaceState& keyspace) {
  const std::unique_lock counting(keyspace.due_mutex(), std::try_to_lock);
  if (!counting.owns_lock()) return std::optional<std::uint64_t>();
  const engine::Engine& engine = store.engine();
  const KeyspaceId id = keyspace.id();
  const std::uint64_t generation = keyspace.due_generation();
  const auto before = keyspace.due_record();
  const WallTime now = store.clock().Now();
  if (before && !IsDead(before->through, now)) return std::optional<std::uint64_t>();
  WallTime first = keyspace.watermark();
  if (before) first = std::max(first, before->through + Millis(1));
  MAYFLY_TRY(const std::uint64_t uncounted,
             CountDead(store, id, first, now, nullptr, kUncountedRowsMax));
  if (uncounted < kUncountedRowsMax) return std::optional<std::uint64_t>();

  const std::uint8_t field = before ? 1 - before->field : 0;
  keyspace.CountDueThrough(field, now);
  StableInstant(store);
  MAYFLY_TRY(const auto state, store.states().Open(StateKind::kCall, now));
  const auto snapshot = state->Lend();
  MAYFLY_TRY(const Counters sum, SumCounters(engine, id, snapshot.get()));
  MAYFLY_TRY(const std::uint64_t later, CountDead(store, id, first, now, snapshot.get(), kAll));
  std::int64_t due = static_cast<std::int64_t>(later);
  if (before) due += before->base + sum.due[before->field];
  const DueRecord record{.field = field, .through = now, .base = due - sum.due[field]};

  const std::shared_lock gate(keyspace.gate());
  const KeyLatches::One latch = store.latches().Lock(0);
  if (keyspace.dropped() || keyspace.due_generation() != generation) {
    return std::optional<std::uint64_t>();
  }
  engine::Batch batch;
  batch.Put(kMeta, MetaKey(kMetaDue, id), EncodeDueRecord(record));
  MAYFLY_RETURN_IF_ERROR(store.engine().Commit(batch, Durability::kNone));
  keyspace.SetDueRecord(record);
  return std::optional(static_cast<std::uint64_t>(std::max<std::int64_t>(due, 0)));
}

WallTime StableInstant(Store& store) {
  const WallTime now = store.clock().Now();
  store.latches().AwaitWriters();
  return now;
}

}  // namespace mayfly::core
