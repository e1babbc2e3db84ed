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

std::uint64_t Done(const PurgeReport& report) {
  return report.rows + report.versions + report.members + report.leftovers + report.stale_entries;
}

Status DamagedEntry() {
  return Status::Corruption("an entry of the expiry index is damaged; run a check with repair");
}

}  // namespace

Result<PurgeReport> Purger::Purge(const PurgeOptions& options, const PurgeManner& manner) {
  MAYFLY_RETURN_IF_ERROR(store_.CheckOpen());
  if (options.rows_max == 0 || options.time_max.count() <= 0) {
    return Status::Invalid("a purge needs a positive bound of rows and time");
  }
  PurgeReport report;
  const std::uint64_t reverts = NoteReverts();
  const WallTime now = store_.clock().Now();
  if (!store_.clock().Reconsider()) {
    report.stopped_by_clock = true;
    return report;
  }
  const SteadyTime start = store_.clock().Steady();
  const SteadyTime end =
      options.time_max > std::chrono::duration_cast<Millis>(SteadyTime::max() - start)
          ? SteadyTime::max()
          : start + options.time_max;
  const Work work{options, manner, now, SettledInstant(), end, report, reverts};
  if (options.keyspace != nullptr) {
    KeyspaceState& only = KeyspaceCalls::Of(*options.keyspace, store_).state();
    MAYFLY_RETURN_IF_ERROR(store_.CheckUsable(only));
    MAYFLY_RETURN_IF_ERROR(PurgeKeyspace(only, work));
    return report;
  }
  for (const auto& keyspace : store_.catalog().All()) {
    MAYFLY_RETURN_IF_ERROR(PurgeKeyspace(*keyspace, work));
    if (report.more_due) break;
  }
  return report;
}

Status Purger::PurgeAll(KeyspaceState& keyspace) {
  const std::uint64_t reverts = NoteReverts();
  const WallTime settled = SettledInstant();
  if (!store_.clock().may_delete()) return {};
  PurgeReport report;
  const PurgeOptions options;
  const PurgeManner manner;
  return PurgeKeyspace(keyspace,
                       {options, manner, settled, settled, SteadyTime::max(), report, reverts});
}

Status Purger::PurgeKeyspace(KeyspaceState& keyspace, const Work& work) {
  MAYFLY_RETURN_IF_ERROR(PurgeHalf({keyspace, false}, work));
  if (work.report.more_due) return {};
  MAYFLY_RETURN_IF_ERROR(PurgeHalf({keyspace, true}, work));
  if (work.report.more_due) return {};
  return PurgeOrphans(keyspace, work);
}

Status Purger::PurgeOrphans(KeyspaceState& keyspace, const Work& work) {
  PurgeReport& report = work.report;
  while (keyspace.orphans() > 0) {
    const SteadyTime began = store_.clock().Steady();
    const std::uint64_t left = work.options.rows_max - Done(report);
    report.more_due = left == 0 || (Done(report) > 0 && began >= work.end);
    if (report.more_due) return {};
    MAYFLY_TRY(const auto removed,
               orphans_.Step(keyspace, std::min<std::uint64_t>(left, kOrphanBatchPartsMax)));
    if (!removed) return {};
    report.leftovers += *removed;
    if (work.manner.rest) work.manner.rest(store_.clock().Steady() - began);
  }
  return {};
}

bool Purger::HasOrphans() const {
  const auto keyspaces = store_.catalog().All();
  return std::any_of(keyspaces.begin(), keyspaces.end(),
                     [](const auto& keyspace) { return keyspace->orphans() > 0; });
}

Status Purger::PurgeHalf(const Half& half, const Work& work) {
  PurgeReport& report = work.report;
  while (!half.IsEmpty()) {
    const std::uint64_t left = work.options.rows_max - Done(report);
    MAYFLY_TRY(std::vector<Due> page,
               CollectDue(half, work, std::clamp<std::uint64_t>(left, 1, kPurgeAheadRowsMax)));
    if (page.empty()) break;
    report.more_due = left == 0;
    if (report.more_due) return {};
    MAYFLY_RETURN_IF_ERROR(PurgePage(half, page, work));
    if (report.more_due) return {};
  }
  FinishHalf(half, work);
  return {};
}

// All that was due is gone, and what comes will be due later. In memory only: the stored one may
// lag behind.
void Purger::FinishHalf(const Half& half, const Work& work) {
  const KeyLatches::One latch =
      store_.latches().Lock(Stripe{0});  // Keeps time from being taken back.
  if (store_.clock().reverts() != work.reverts) return;
  half.RaiseWatermark(std::min(work.now, work.settled) + Millis(1));
}

std::uint64_t Purger::NoteReverts() {
  const std::uint64_t reverts = store_.clock().reverts();
  if (reverts != reverts_) passes_.clear();
  reverts_ = reverts;
  return reverts;
}

// Removes rows that are due, oldest first. When batches should share a latch, those of a latch one
// after the other, unless events tell the order in which rows died.
Status Purger::PurgePage(const Half& half, std::vector<Due>& page, const Work& work) {
  Pass& pass = passes_[half.index()];
  const WallTime through = page.back().deadline;
  const std::string last = EntryKey(half.index(), through, page.back().key);
  const bool by_latch =
      work.manner.one_latch && half.keyspace.policy()->events == EventDetail::kOff;
  if (by_latch) {
    std::stable_sort(page.begin(), page.end(),
                     [](const Due& a, const Due& b) { return a.stripe < b.stripe; });
  }
  for (std::size_t first = 0; first < page.size();) {
    const SteadyTime began = store_.clock().Steady();
    work.report.more_due = Done(work.report) > 0 && began >= work.end;
    if (work.report.more_due) return {};
    std::size_t end = std::min(first + work.manner.batch_rows_max, page.size());
    for (std::size_t i = first + 1; by_latch && i < end; ++i) {
      if (page[i].stripe != page[first].stripe) end = i;
    }
    // With the last of the page, everything up to its last deadline is gone.
    std::optional<WallTime> reached;
    if (end == page.size()) {
      reached = std::max(std::min({through, work.settled, pass.settled}), half.watermark());
    }
    MAYFLY_RETURN_IF_ERROR(
        RemoveDue(half, std::span(page).subspan(first, end - first), reached, work));
    if (work.manner.rest) work.manner.rest(store_.clock().Steady() - began);
    first = end;
  }
  pass.reached = last;
  return {};
}

Result<std::vector<Purger::Due>> Purger::CollectDue(const Half& half, const Work& work,
                                                    std::size_t rows_max) {
  const std::string watermark = EntryBegin(half.index(), half.watermark());
  Pass& pass = passes_[half.index()];
  if (pass.reached > watermark) {
    MAYFLY_TRY(auto due, WalkDue(half, pass.reached, work.now, rows_max));
    if (!due.empty() && due.front().deadline <= pass.settled) return due;
  }
  pass = {.reached = {}, .settled = work.settled};
  return WalkDue(half, watermark, work.now, rows_max);
}

Result<std::vector<Purger::Due>> Purger::WalkDue(const Half& half, const std::string& begin,
                                                 WallTime now, std::size_t rows_max) const {
  std::vector<Due> due;
  const std::string end = KeyspaceEnd(half.index());
  const engine::CursorOptions walk{
      .range = {begin, end},
        .fill_cache = false
  };
  MAYFLY_TRY(const auto cursor, store_.engine().NewCursor(kExpiry, walk));
  MemberStripes members(store_, half.keyspace);
  for (cursor->SeekToFirst(); cursor->Valid() && due.size() < rows_max; cursor->Next()) {
    const auto entry = DecodeEntry(cursor->key());
    if (!entry) return DamagedEntry();
    if (!IsDead(entry->deadline, now)) break;
    due.push_back({entry->deadline, std::string(entry->key), 0});
    MAYFLY_TRY(due.back().stripe, StripeOfDue(half, members, due.back().key));
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return due;
}

Result<Stripe> Purger::StripeOfDue(const Half& half, MemberStripes& members,
                                   const std::string& key) {
  const KeyspaceState& keyspace = half.keyspace;
  if (!half.members) return StripeOf(keyspace.id(), key);
  if (!keyspace.by_timestamp()) return members.Of(key);
  // A damaged key is nobody's: its entry is stale, and any latch will do.
  return StripeOf(keyspace.id(), UserKeyOfMember(key).value_or(key));
}

// Latches what is due. A collection that got another key before that is latched anew, there.
Status Purger::LatchDue(const Half& half, std::span<Due> due,
                        std::optional<KeyLatches::Many>& latches) const {
  for (bool moved = true; moved;) {
    KeyLatches::Stripes stripes;
    for (const Due& row : due) stripes.set(row.stripe);
    latches.reset();
    latches.emplace(store_.latches(), stripes);
    moved = false;
    if (!half.members || half.keyspace.by_timestamp()) break;
    MemberStripes members(store_, half.keyspace);
    for (Due& row : due) {
      MAYFLY_TRY(const Stripe stripe, StripeOfDue(half, members, row.key));
      moved = moved || stripe != row.stripe;
      row.stripe = stripe;
    }
  }
  return {};
}

// A write reads the clock under its latch and commits before it lets go. Whoever has held every
// latch once knows that all writes of instants before are done: their entries are there, and later
// writes give later deadlines.
WallTime Purger::SettledInstant() const {
  const WallTime now = store_.clock().Now();
  for (std::size_t stripe = 0; stripe < kStripes; ++stripe) {
    store_.latches().Lock(static_cast<Stripe>(stripe));
  }
  return now;
}

Status Purger::RemoveDue(const Half& half, std::span<Due> due, std::optional<WallTime> reached,
                         const Work& work) {
  PurgeReport& report = work.report;
  KeyspaceState& keyspace = half.keyspace;
  std::vector<Event> events;
  {
    const std::shared_lock gate(keyspace.gate());
    if (keyspace.dropped()) return {};
    std::optional<KeyLatches::Many> latches;
    MAYFLY_RETURN_IF_ERROR(LatchDue(half, due, latches));
    // They may be alive again.
    if (store_.clock().reverts() != work.reverts) return {};
    CommitPlan plan(store_.clock().Now());
    MemberPurge members(store_, plan, keyspace);
    const auto plan_one = [&](const Due& row) {
      if (!half.members) return PlanRow(plan, keyspace, row);
      return keyspace.by_timestamp() ? PlanVersion(plan, keyspace, row)
                                     : members.Remove(row.key, row.deadline);
    };
    PinnedBytes pin;
    std::uint64_t found_ones = 0;
    std::uint64_t stale = 0;
    for (const Due& row : due) {
      MAYFLY_TRY(const bool found, plan_one(row));
      if (found) {
        ++found_ones;
        continue;
      }
      // Mostly somebody else was faster with row and entry. An entry that is still there is stale.
      const Status read =
          store_.engine().Get(kExpiry, EntryKey(half.index(), row.deadline, row.key), pin);
      if (read.IsNotFound()) continue;
      MAYFLY_RETURN_IF_ERROR(read);
      plan.RemoveStaleEntry(half.index(), row.deadline, row.key);
      ++stale;
    }
    MAYFLY_TRY(const std::uint64_t collections, members.Finish());
    if (reached) {
      std::string watermark;
      AppendLittleEndian64(watermark, static_cast<std::uint64_t>(ToMs(*reached)));
      const char kind = half.members ? kMetaMembersWatermark : kMetaWatermark;
      plan.batch().Put(kMeta, MetaKey(kind, keyspace.id()), watermark);
    }
    MAYFLY_RETURN_IF_ERROR(store_.Commit(plan, Durability::kNone));
    if (reached) half.RaiseWatermark(*reached);
    report.rows += (half.members ? 0 : found_ones) + collections;
    (keyspace.by_timestamp() ? report.versions : report.members) += half.members ? found_ones : 0;
    report.stale_entries += stale;
    store_.counts().stale_entries += stale;
    events = std::move(plan.events());
  }
  store_.events().Deliver(events);
  return {};
}

// False when the row is gone or has another deadline.
Result<bool> Purger::PlanRow(CommitPlan& plan, KeyspaceState& keyspace, const Due& due) const {
  Standing standing;
  MAYFLY_RETURN_IF_ERROR(store_.ReadStanding(keyspace, due.key, nullptr, standing));
  if (!standing.stored || standing.stored->deadline != due.deadline) return false;
  Store::PlanPurge(plan, keyspace, due.key, standing, EventCause::kPurged);
  return true;
}

Result<bool> Purger::PlanVersion(CommitPlan& plan, KeyspaceState& keyspace, const Due& due) const {
  const auto key = UserKeyOfMember(due.key);
  if (!key) return false;
  PinnedBytes pin;
  std::optional<VersionView> version;
  MAYFLY_RETURN_IF_ERROR(store_.ReadMember(keyspace, due.key, nullptr, pin, version));
  if (!version || LeavesAt(*version) != due.deadline) return false;
  if (IsDead(version->kept_until, plan.now())) {
    plan.RemoveMember(keyspace, StripeOf(keyspace.id(), *key), due.key, *version);
    return true;
  }
  // Its row is dead, but one may still ask for that time: that nothing was there is kept, or what
  // is older would show.
  plan.PutMember(keyspace, due.key, &*version, Bare(*version));
  plan.NoteRemoval(keyspace, StripeOf(keyspace.id(), *key), due.deadline);
  return true;
}

Result<std::optional<WallTime>> Purger::FirstDeadline(const Half& half) const {
  const std::string begin = EntryBegin(half.index(), half.watermark());
  const std::string end = KeyspaceEnd(half.index());
  const engine::CursorOptions walk{
      .range = {begin, end},
        .fill_cache = false
  };
  MAYFLY_TRY(const auto cursor, store_.engine().NewCursor(kExpiry, walk));
  cursor->SeekToFirst();
  if (!cursor->Valid()) {
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    return std::optional<WallTime>();
  }
  const auto entry = DecodeEntry(cursor->key());
  if (!entry) return DamagedEntry();
  return std::optional(entry->deadline);
}

Result<std::optional<WallTime>> Purger::NextDeadline() const {
  std::optional<WallTime> next;
  for (const auto& keyspace : store_.catalog().All()) {
    for (const Half& half : {
             Half{*keyspace, false},
             Half{*keyspace, true }
    }) {
      if (half.IsEmpty()) continue;
      MAYFLY_TRY(const auto first, FirstDeadline(half));
      if (first) next = next ? std::min(*next, *first) : *first;
    }
  }
  return next;
}

}  // namespace mayfly::core
