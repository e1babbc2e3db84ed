// Numbers about a database that is running.
#include "core/statistics.h"

#include <algorithm>

#include "core/keys.h"
#include "core/liveness.h"
#include "core/promises.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kExpiry{engine::Role::kExpiry};

// Counts what is dead and still there in one half of the index; O(backlog).
Result<std::uint64_t> CountDue(const Store& store, KeyspaceId index, WallTime watermark,
                               WallTime now, std::optional<WallTime>& first) {
  const std::string begin = EntryBegin(index, watermark);
  const std::string end = KeyspaceEnd(index);
  MAYFLY_TRY(const auto cursor,
             store.engine().NewCursor(kExpiry, {
                                                   .range = {begin, end},
                                                     .fill_cache = false
  }));
  std::uint64_t due = 0;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const auto entry = DecodeEntry(cursor->key());
    if (!entry || !IsDead(entry->deadline, now)) break;
    if (due++ == 0) first = entry->deadline;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return due;
}

Status AddDue(const Store& store, const KeyspaceState& keyspace, WallTime now,
              KeyspaceStatistics& statistics) {
  std::optional<WallTime> first;
  if (statistics.mortal_rows > 0) {
    MAYFLY_TRY(statistics.due_rows,
               CountDue(store, keyspace.id(), keyspace.watermark(), now, first));
    if (first) statistics.lag = now - *first;
  }
  if (!keyspace.has_mortal_members() || keyspace.by_timestamp()) return {};
  MAYFLY_TRY(statistics.due_members,
             CountDue(store, MembersOf(keyspace.id()), keyspace.members_watermark(), now, first));
  return {};
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
    one.orphans = static_cast<std::uint64_t>(std::max<std::int64_t>(keyspace->orphans(), 0));
    MAYFLY_RETURN_IF_ERROR(AddDue(store, *keyspace, statistics.clock.now, one));
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
  statistics.memory_bytes = engine.memory_bytes + store.cache().bytes();
  statistics.open_snapshots = engine.open_snapshots;
  statistics.damage_seen = engine.damage_seen;
  statistics.first_damage = engine.first_damage;
  return statistics;
}

}  // namespace mayfly::core
