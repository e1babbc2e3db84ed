// The statistics of a running database.
#include "core/upkeep/statistics.h"

#include <algorithm>

#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/layout/liveness.h"
#include "core/reads/due_count.h"
#include "core/reclaim/due_walk.h"
#include "core/reclaim/promises.h"

namespace mayfly::core {
namespace {

// Where the entries begin that a purge under way has yet to remove. Between the watermark and there
// lie its tombstones, and entries written since it passed.
std::string DueBegin(const IndexHalf& half) {
  return std::max(EntryBegin(half.index(), half.watermark()),
                  half.keyspace.purge_pass(half.members).reached);
}

// For promises: no due row died before this instant.
WallTime NoDueBefore(const KeyspaceState& keyspace, WallTime first_due) {
  return keyspace.purge_pass(/*members=*/false).reached.empty()
             ? first_due
             : std::min(first_due, keyspace.watermark());
}

// The number of dead members that are not purged yet, up to a bound.
Result<std::uint64_t> CountDueMembers(const Store& store, const IndexHalf& half, WallTime now) {
  const std::string begin = DueBegin(half);
  const std::string end = KeyspaceEnd(half.index());
  const engine::CursorOptions walk{.range = {begin, end}, .fill_cache = false};
  MAYFLY_TRY(const auto cursor, store.engine().NewCursor({engine::Role::kExpiry}, walk));
  std::uint64_t due = 0;
  for (cursor->SeekToFirst(); cursor->Valid() && due < kDueMembersCountedMax; cursor->Next()) {
    const auto entry = DecodeEntry(cursor->key());
    if (!entry || !IsDead(entry->deadline, now)) break;
    ++due;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return due;
}

// A keyspace, and the watermark it had before the state was taken.
struct Counted {
  std::shared_ptr<KeyspaceState> keyspace;  // Shared with the catalog.
  WallTime first;
};

Status AddRows(const View& frozen, WallTime first, KeyspaceStatistics& statistics) {
  KeyspaceState& keyspace = frozen.keyspace;
  MAYFLY_TRY(const RowCounts counts, CountStored(frozen, first));
  statistics.rows = static_cast<std::uint64_t>(counts.rows);
  statistics.mortal_rows = static_cast<std::uint64_t>(counts.mortal);
  statistics.due_rows = static_cast<std::uint64_t>(counts.dead);
  statistics.collections_with_mortal_members =
      static_cast<std::uint64_t>(std::max<std::int64_t>(counts.with_mortal_members, 0));
  if (counts.dead > 0) {
    const IndexHalf half{keyspace, false};
    MAYFLY_TRY(const auto first_due, FirstDeadline(frozen.store, half, DueBegin(half)));
    if (IsDead(first_due, frozen.now)) statistics.lag = frozen.now - *first_due;
  }
  if (!keyspace.has_mortal_members() || keyspace.by_timestamp()) return {};
  MAYFLY_TRY(statistics.due_members, CountDueMembers(frozen.store, {keyspace, true}, frozen.now));
  return {};
}

}  // namespace

Result<Statistics> GatherStatistics(Store& store) {
  MAYFLY_RETURN_IF_ERROR(store.CheckOpen());
  Statistics statistics;
  std::vector<Counted> counted;
  for (const auto& keyspace : store.catalog().All()) {
    counted.push_back({keyspace, keyspace->watermark()});
  }
  MAYFLY_TRY(auto state, store.states().Open(StateKind::kCall, store.clock().Now()));
  auto snapshot = state->Lend();
  statistics.clock = store.clock().Report();
  const WallTime now = statistics.clock.now;
  for (const auto& [keyspace, first] : counted) {
    KeyspaceStatistics one{.name = keyspace->name()};
    one.orphans = static_cast<std::uint64_t>(std::max<std::int64_t>(keyspace->orphans(), 0));
    const View frozen{
        .store = store, .keyspace = *keyspace, .now = now, .snapshot = snapshot.get()};
    MAYFLY_RETURN_IF_ERROR(AddRows(frozen, first, one));
    one.purge_within = keyspace->policy().purge_within;
    const auto first_due =
        one.due_rows > 0 ? std::optional(NoDueBefore(*keyspace, now - one.lag)) : std::nullopt;
    MAYFLY_TRY(const WallTime left_since, Promises::LeftSince(store, *keyspace, first_due, now));
    one.purged_through = Promises::PurgedThrough(*keyspace, left_since, now);
    MAYFLY_TRY(one.promise_overdue,
               Promises::Overdue(store, *keyspace, first_due, statistics.clock));
    statistics.keyspaces.push_back(std::move(one));
  }
  snapshot.reset();
  state.reset();
  const StoreCounts& counts = store.counts();
  statistics.purged_rows = counts.purged_rows;
  statistics.purged_by_reads = counts.purged_by_reads;
  statistics.purged_members = counts.purged_members;
  statistics.removed_collections = counts.removed_collections;
  statistics.stale_entries = counts.stale_entries;
  statistics.clamped_lifetimes = counts.clamped_lifetimes;
  statistics.conflicts = counts.conflicts;
  statistics.revoked_states = counts.revoked_states;
  statistics.files_dropped = counts.files_dropped;
  statistics.files_rewritten = counts.files_rewritten;
  statistics.bytes_rewritten = counts.bytes_rewritten;
  MAYFLY_TRY(const auto extent, store.events().Extent());
  statistics.events_first = extent.first;
  statistics.events_last = extent.second;
  MAYFLY_TRY(const engine::EngineStats engine, store.engine().Stats());
  statistics.disk_bytes = engine.disk_bytes;
  statistics.memory_bytes = engine.memory_bytes;
  statistics.open_snapshots = engine.open_snapshots;
  statistics.damage_seen = engine.damage_seen;
  statistics.first_damage = engine.first_damage;
  statistics.given_up = engine.given_up;
  statistics.disk_full = engine.disk_full;
  statistics.last_commit = engine.last_commit;
  return statistics;
}

}  // namespace mayfly::core
