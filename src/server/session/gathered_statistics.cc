#include "server/session/gathered_statistics.h"

#include <algorithm>
#include <utility>

#include "server/session/server.h"

namespace mayfly::server {
namespace {

using KeyspaceAmount = std::uint64_t KeyspaceStatistics::*;
using Amount = std::uint64_t Statistics::*;

constexpr KeyspaceAmount kKeyspaceAmounts[] = {
    &KeyspaceStatistics::rows,
    &KeyspaceStatistics::mortal_rows,
    &KeyspaceStatistics::due_rows,
    &KeyspaceStatistics::due_members,
    &KeyspaceStatistics::collections_with_mortal_members,
    &KeyspaceStatistics::orphans,
};

// Sequences of events and numbers of commits are each database's own.
constexpr Amount kAmounts[] = {
    &Statistics::purged_rows,     &Statistics::purged_by_reads,     &Statistics::purged_members,
    &Statistics::stale_entries,   &Statistics::removed_collections, &Statistics::clamped_lifetimes,
    &Statistics::conflicts,       &Statistics::disk_bytes,          &Statistics::memory_bytes,
    &Statistics::open_snapshots,  &Statistics::revoked_states,      &Statistics::files_dropped,
    &Statistics::files_rewritten, &Statistics::bytes_rewritten,     &Statistics::damage_seen,
};

void AddKeyspace(Statistics& sum, KeyspaceStatistics other) {
  const auto known = std::find_if(sum.keyspaces.begin(), sum.keyspaces.end(),
                                  [&](const auto& one) { return one.name == other.name; });
  if (known == sum.keyspaces.end()) {
    sum.keyspaces.push_back(std::move(other));
    return;
  }
  for (const KeyspaceAmount amount : kKeyspaceAmounts) (*known).*amount += other.*amount;
  known->lag = std::max(known->lag, other.lag);
  known->promise_overdue = std::max(known->promise_overdue, other.promise_overdue);
  known->purged_through = std::min(known->purged_through, other.purged_through);
}

void Add(Statistics& sum, Statistics other) {
  for (KeyspaceStatistics& keyspace : other.keyspaces) AddKeyspace(sum, std::move(keyspace));
  for (const Amount amount : kAmounts) sum.*amount += other.*amount;
  if (sum.first_damage.empty()) sum.first_damage = std::move(other.first_damage);
  sum.disk_full = sum.disk_full || other.disk_full;
  const bool stopped = sum.clock.physical_deletion_stopped || other.clock.physical_deletion_stopped;
  if (other.clock.now > sum.clock.now) sum.clock = other.clock;
  sum.clock.physical_deletion_stopped = stopped;
}

}  // namespace

Result<Statistics> GatherStatistics(Server& server) {
  if (server.cluster() == nullptr) return server.database().GetStatistics();
  const auto here = server.DataHere();
  if (here.empty()) return server.database().GetStatistics();
  if (server.cluster()->IsBesideWait() || !server.cluster()->directory().health().store_answers) {
    return Status::Busy("the store of the cluster does not answer");
  }
  MAYFLY_TRY(Statistics sum, here.front()->database.GetStatistics());
  for (std::size_t i = 1; i < here.size(); ++i) {
    MAYFLY_TRY(Statistics other, here[i]->database.GetStatistics());
    Add(sum, std::move(other));
  }
  return sum;
}

}  // namespace mayfly::server
