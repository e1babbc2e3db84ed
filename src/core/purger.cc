#include "core/purger.h"

#include <algorithm>
#include <limits>
#include <shared_mutex>

#include "base/coding.h"
#include "core/keys.h"
#include "core/keyspace_calls.h"
#include "core/limits.h"
#include "core/liveness.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kExpiry{engine::Role::kExpiry};
constexpr engine::Address kMeta{engine::Role::kMeta};

std::uint64_t Done(const PurgeReport& report) { return report.rows + report.stale_entries; }

}  // namespace

Result<PurgeReport> Purger::Purge(const PurgeOptions& options) {
  MAYFLY_RETURN_IF_ERROR(store_.CheckOpen());
  if (options.rows_max == 0 || options.time_max.count() <= 0) {
    return Status::Invalid("a purge needs a positive bound of rows and time");
  }
  PurgeReport report;
  const WallTime now = store_.clock().Now();
  if (!store_.clock().may_delete()) {
    report.stopped_by_clock = true;
    return report;
  }
  const SteadyTime start = store_.clock().Steady();
  const SteadyTime end =
      options.time_max > std::chrono::duration_cast<Millis>(SteadyTime::max() - start)
          ? SteadyTime::max()
          : start + options.time_max;
  if (options.keyspace != nullptr) {
    KeyspaceState& only = KeyspaceCalls::Of(*options.keyspace, store_).state();
    MAYFLY_RETURN_IF_ERROR(store_.CheckUsable(only));
    MAYFLY_RETURN_IF_ERROR(PurgeKeyspace(only, now, end, options, report));
    return report;
  }
  for (const auto& keyspace : store_.catalog().All()) {
    MAYFLY_RETURN_IF_ERROR(PurgeKeyspace(*keyspace, now, end, options, report));
    if (report.more_due) break;
  }
  return report;
}

Status Purger::PurgeKeyspace(KeyspaceState& keyspace, WallTime now, SteadyTime end,
                             const PurgeOptions& options, PurgeReport& report) {
  // A keyspace without mortal rows has nothing in the index: one look at memory, none at the store.
  if (keyspace.TotalCounters().mortal == 0) return {};
  const WallTime settled = SettledInstant(keyspace, now);
  while (keyspace.TotalCounters().mortal > 0) {
    const std::uint64_t left = options.rows_max - Done(report);
    MAYFLY_TRY(const std::vector<Due> due,
               CollectDue(keyspace, now, std::clamp<std::uint64_t>(left, 1, kPurgeAheadRowsMax)));
    if (due.empty()) return {};
    for (std::size_t first = 0; first < due.size(); first += kPurgeBatchRowsMax) {
      report.more_due = left == 0 || (Done(report) > 0 && store_.clock().Steady() >= end);
      if (report.more_due) return {};
      const std::size_t rows = std::min(kPurgeBatchRowsMax, due.size() - first);
      MAYFLY_RETURN_IF_ERROR(
          RemoveDue(keyspace, std::span(due).subspan(first, rows), settled, report));
    }
  }
  return {};
}

Result<std::vector<Purger::Due>> Purger::CollectDue(const KeyspaceState& keyspace, WallTime now,
                                                    std::size_t rows_max) const {
  std::vector<Due> due;
  const std::string begin = EntryBegin(keyspace.id(), keyspace.watermark());
  const std::string end = KeyspaceEnd(keyspace.id());
  MAYFLY_TRY(const auto cursor,
             store_.engine().NewCursor(kExpiry, {
                                                    .range = {begin, end},
                                                      .fill_cache = false
  }));
  for (cursor->SeekToFirst(); cursor->Valid() && due.size() < rows_max; cursor->Next()) {
    const auto entry = DecodeEntry(cursor->key());
    if (!entry) {
      return Status::Corruption("an entry of the expiry index is damaged; run a check with repair");
    }
    if (!IsDead(entry->deadline, now)) break;
    due.push_back({entry->deadline, std::string(entry->key)});
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return due;
}

// A write reads the clock before its entry is there. In a moment in which no write is under way,
// all entries up to that moment are there for good: later writes give later deadlines. When there
// is no such moment, what is long past will do.
WallTime Purger::SettledInstant(KeyspaceState& keyspace, WallTime now) const {
  const std::unique_lock alone(keyspace.gate(), std::try_to_lock);
  return alone.owns_lock() ? store_.clock().Now() : now - kWatermarkSlack;
}

Status Purger::RemoveDue(KeyspaceState& keyspace, std::span<const Due> due, WallTime settled,
                         PurgeReport& report) {
  std::vector<Event> events;
  {
    const std::shared_lock gate(keyspace.gate());
    if (keyspace.dropped()) return {};
    KeyLatches::Stripes stripes;
    for (const Due& row : due) stripes.set(StripeOf(keyspace.id(), row.key));
    const KeyLatches::Many latches(store_.latches(), stripes);
    CommitPlan plan(store_.clock().Now());
    PinnedBytes pin;
    std::optional<RowView> stored;
    std::uint64_t rows = 0;
    std::uint64_t stale = 0;
    for (const Due& row : due) {
      MAYFLY_RETURN_IF_ERROR(store_.ReadStored(keyspace, row.key, nullptr, pin, stored));
      if (stored && stored->deadline == row.deadline) {
        plan.Remove(keyspace, StripeOf(keyspace.id(), row.key), row.key, *stored,
                    EventCause::kPurged);
        ++rows;
        continue;
      }
      // Mostly somebody else was faster with row and entry. An entry that is still there is stale.
      const std::string entry = EntryKey(keyspace.id(), row.deadline, row.key);
      const Status read = store_.engine().Get(kExpiry, entry, pin);
      if (read.IsNotFound()) continue;
      MAYFLY_RETURN_IF_ERROR(read);
      plan.RemoveStaleEntry(keyspace, row.deadline, row.key);
      ++stale;
    }
    const WallTime reached = std::max(std::min(due.back().deadline, settled), keyspace.watermark());
    std::string watermark;
    AppendLittleEndian64(watermark, static_cast<std::uint64_t>(ToMs(reached)));
    plan.batch().Put(kMeta, MetaKey(kMetaWatermark, keyspace.id()), watermark);
    MAYFLY_RETURN_IF_ERROR(store_.Commit(plan, Durability::kNone));
    keyspace.RaiseWatermark(reached);
    report.rows += rows;
    report.stale_entries += stale;
    store_.counts().stale_entries += stale;
    events = std::move(plan.events());
  }
  store_.events().Deliver(events);
  return {};
}

Result<std::optional<WallTime>> Purger::FirstDeadline(const KeyspaceState& keyspace) const {
  const std::string begin = EntryBegin(keyspace.id(), keyspace.watermark());
  const std::string end = KeyspaceEnd(keyspace.id());
  MAYFLY_TRY(const auto cursor,
             store_.engine().NewCursor(kExpiry, {
                                                    .range = {begin, end},
                                                      .fill_cache = false
  }));
  cursor->SeekToFirst();
  if (!cursor->Valid()) {
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    return std::optional<WallTime>();
  }
  const auto entry = DecodeEntry(cursor->key());
  if (!entry) {
    return Status::Corruption("an entry of the expiry index is damaged; run a check with repair");
  }
  return std::optional(entry->deadline);
}

Result<std::optional<WallTime>> Purger::NextDeadline() const {
  std::optional<WallTime> next;
  for (const auto& keyspace : store_.catalog().All()) {
    if (keyspace->TotalCounters().mortal == 0) continue;
    MAYFLY_TRY(const auto first, FirstDeadline(*keyspace));
    if (first) next = next ? std::min(*next, *first) : *first;
  }
  return next;
}

}  // namespace mayfly::core
