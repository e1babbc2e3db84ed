// Numbers about a database that is running.
#include "core/statistics.h"

#include "core/keys.h"
#include "core/liveness.h"
#include "core/promises.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kExpiry{engine::Role::kExpiry};

// Counts what is dead and still there; O(backlog).
Status CountDue(const Store& store, const KeyspaceState& keyspace, WallTime now,
                KeyspaceStatistics& statistics) {
  if (statistics.mortal_rows == 0) return {};
  const std::string begin = EntryBegin(keyspace.id(), keyspace.watermark());
  const std::string end = KeyspaceEnd(keyspace.id());
  MAYFLY_TRY(const auto cursor,
             store.engine().NewCursor(kExpiry, {
                                                   .range = {begin, end},
                                                     .fill_cache = false
  }));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const auto entry = DecodeEntry(cursor->key());
    if (!entry || !IsDead(entry->deadline, now)) break;
    if (statistics.due_rows++ == 0) statistics.lag = now - entry->deadline;
  }
  return cursor->status();
}

}  // namespace

Result<Statistics> GatherStatistics(Store& store) {
  MAYFLY_RETURN_IF_ERROR(store.CheckOpen());
  Statistics statistics;
  statistics.clock = store.clock().Report();
  for (const auto& keyspace : store.catalog().All()) {
    const Counters total = keyspace->TotalCounters();
    KeyspaceStatistics one{.name = keyspace->name(),
                           .rows = static_cast<std::uint64_t>(total.rows),
                           .mortal_rows = static_cast<std::uint64_t>(total.mortal)};
    MAYFLY_RETURN_IF_ERROR(CountDue(store, *keyspace, statistics.clock.now, one));
    const WallTime now = statistics.clock.now;
    one.purge_within = keyspace->policy()->purge_within;
    const auto first_due = one.due_rows > 0 ? std::optional(now - one.lag) : std::nullopt;
    MAYFLY_TRY(const WallTime left_since, Promises::LeftSince(store, *keyspace, first_due, now));
    one.purged_through = Promises::PurgedThrough(*keyspace, left_since, now);
    statistics.keyspaces.push_back(std::move(one));
  }
  const StoreCounts& counts = store.counts();
  statistics.purged_rows = counts.purged_rows;
  statistics.purged_by_reads = counts.purged_by_reads;
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
  return statistics;
}

}  // namespace mayfly::core
