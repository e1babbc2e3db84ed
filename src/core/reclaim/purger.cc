#include "core/reclaim/purger.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <shared_mutex>

#include "base/coding.h"
#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/layout/liveness.h"
#include "core/reads/due_count.h"
#include "core/store/rows_ahead.h"
#include "core/transactions/keyspace_impl.h"

namespace mayfly::core {
namespace {

std::uint64_t Done(const PurgeReport& report) {
  return report.rows + report.versions + report.members + report.leftovers + report.stale_entries;
}

}  // namespace

Result<PurgeReport> Purger::Purge(const PurgeOptions& options, const PurgePace& pace) {
  MAYFLY_RETURN_IF_ERROR(store_.CheckOpen());
  if (options.rows_max == 0 || options.time_max.count() <= 0) {
    return Status::Invalid("a purge needs a positive bound of rows and time");
  }
  PurgeReport report;
  const std::uint64_t reverts = NoteReverts();
  const WallTime now = store_.clock().Now();
  static_cast<void>(store_.clock().Reconsider());
  const WallTime removable = store_.clock().removable_by();
  report.stopped_by_clock = removable == WallTime::min();
  const SteadyTime start = store_.clock().Steady();
  const SteadyTime end =
      options.time_max > std::chrono::duration_cast<Millis>(SteadyTime::max() - start)
          ? SteadyTime::max()
          : start + options.time_max;
  const Run run{options, pace,   std::min(now, removable), StableInstant(store_), end,
                report,  reverts};
  if (options.keyspace != nullptr) {
    KeyspaceState& only = KeyspaceImpl::Of(*options.keyspace, store_).state();
    MAYFLY_RETURN_IF_ERROR(store_.CheckUsable(only));
    MAYFLY_RETURN_IF_ERROR(TakeTurns(TurnsOf(only, report.stopped_by_clock), run));
    return report;
  }
  const auto keyspaces = store_.catalog().All();
  std::vector<Turn> turns;
  for (const auto& keyspace : keyspaces) {
    const auto more = TurnsOf(*keyspace, report.stopped_by_clock);
    turns.insert(turns.end(), more.begin(), more.end());
  }
  MAYFLY_RETURN_IF_ERROR(TakeTurns(std::move(turns), run));
  if (!report.more_due) due_rows_ = 0;
  return report;
}

// Orphans may be removed even while the clock is not trusted, or purges are held.
std::vector<Purger::Turn> Purger::TurnsOf(KeyspaceState& keyspace, bool stopped_by_clock) {
  if (stopped_by_clock || keyspace.purges_held()) return {{&keyspace, Kind::kOrphans}};
  // clang-format off
  return {
      {&keyspace, Kind::kDueRows},
      {&keyspace, Kind::kDueMembers},
      {&keyspace, Kind::kOrphans}
  };
  // clang-format on
}

Status Purger::PurgeAll(KeyspaceState& keyspace) {
  const std::uint64_t reverts = NoteReverts();
  const WallTime stable = StableInstant(store_);
  PurgeReport report{.stopped_by_clock = !store_.clock().may_delete()};
  const PurgeOptions options;
  const PurgePace pace;
  return TakeTurns(TurnsOf(keyspace, report.stopped_by_clock),
                   {options, pace, stable, stable, SteadyTime::max(), report, reverts});
}

Status Purger::TakeTurns(std::vector<Turn> turns, const Run& run) {
  const auto by_place = [](const Turn& a, const Turn& b) { return a.place() < b.place(); };
  std::sort(turns.begin(), turns.end(), by_place);
  const std::uint64_t next = store_.purge_turn();
  const auto first = std::find_if(turns.begin(), turns.end(),
                                  [&](const Turn& turn) { return turn.place() >= next; });
  std::rotate(turns.begin(), first, turns.end());
  // Due rows may be alive again once time is reverted.
  for (bool worked = true; worked && store_.clock().reverts() == run.reverts;) {
    worked = false;
    std::vector<Turn> left;
    for (const Turn& turn : turns) {
      const std::uint64_t before = Done(run.report);
      MAYFLY_TRY(const bool more, Take(turn, run));
      if (run.report.more_due) {
        store_.set_purge_turn(turn.place() + (Done(run.report) > before ? 1 : 0));
        return {};
      }
      // A turn may remove nothing and leave more: other purges were faster, or an orphan had no
      // parts.
      worked = worked || more || Done(run.report) > before;
      // No more rows become due at an instant that has passed, but removed rows leave orphans.
      if (more || turn.kind == Kind::kOrphans) left.push_back(turn);
    }
    turns = std::move(left);
  }
  return {};
}

Result<bool> Purger::Take(const Turn& turn, const Run& run) {
  if (turn.keyspace->dropped()) return false;
  if (turn.kind == Kind::kOrphans) return PurgeOrphans(*turn.keyspace, run);
  return PurgeSome(turn.half(), run);
}

bool Purger::MayGoOn(const Run& run) const {
  const std::uint64_t done = Done(run.report);
  run.report.more_due =
      done >= run.options.rows_max || (done > 0 && store_.clock().Steady() >= run.end);
  return !run.report.more_due;
}

Result<bool> Purger::PurgeOrphans(KeyspaceState& keyspace, const Run& run) {
  if (keyspace.orphans() <= 0) return false;
  if (!MayGoOn(run)) return true;
  const SteadyTime began = store_.clock().Steady();
  const std::uint64_t left = run.options.rows_max - Done(run.report);
  MAYFLY_TRY(const auto removed,
             orphans_.Step(keyspace, std::min<std::uint64_t>(left, kOrphanBatchPartsMax)));
  if (!removed) return false;
  run.report.leftovers += *removed;
  if (run.pace.rest) {
    run.pace.rest({.rows = *removed, .removing = store_.clock().Steady() - began});
  }
  return keyspace.orphans() > 0;
}

bool Purger::HasOrphans() const {
  const auto keyspaces = store_.catalog().All();
  return std::any_of(keyspaces.begin(), keyspaces.end(),
                     [](const auto& keyspace) { return keyspace->orphans() > 0; });
}

Result<bool> Purger::PurgeSome(const IndexHalf& half, const Run& run) {
  const PurgePace& pace = run.pace;
  DueWalk& walk = walks_[half.index()];
  for (std::size_t taken = 0; !half.IsEmpty() && taken < kPurgeTurnRowsMax;) {
    const std::uint64_t left = run.options.rows_max - Done(run.report);
    const SteadyTime began = pace.rest ? store_.clock().Steady() : SteadyTime();
    MAYFLY_TRY(const bool due, walk.Fill(store_, half, PageOf(half, run, left)));
    if (!due) break;
    if (!MayGoOn(run)) return true;
    if (!half.members && walk.page_begins()) MAYFLY_RETURN_IF_ERROR(CountDue(half, walk));
    const SteadyTime found = pace.rest ? store_.clock().Steady() : SteadyTime();
    const auto batch = walk.Next(std::min<std::uint64_t>(left, pace.batch_rows_max));
    std::vector<Event> events;
    MAYFLY_RETURN_IF_ERROR(RemoveDue(half, batch, walk.ReachedWith(half, batch), run, events));
    const SteadyTime removed = pace.rest ? store_.clock().Steady() : SteadyTime();
    const std::size_t rows = batch.size();
    walk.Done(half, batch);
    taken += rows;
    if (!half.members) due_rows_ -= std::min<std::uint64_t>(due_rows_, rows);
    store_.events().Deliver(std::move(events));
    if (pace.rest) {
      pace.rest({.rows = rows,
                 .finding = found - began,
                 .removing = removed - found,
                 .telling = store_.clock().Steady() - removed});
    }
    if (taken >= kPurgeTurnRowsMax) return true;
  }
  FinishHalf(half, run);
  return false;
}

// How to read the next page. Events show their order: there the oldest go first.
DueWalk::Request Purger::PageOf(const IndexHalf& half, const Run& run, std::uint64_t left) {
  DueWalk::Request request{.now = run.now,
                           .stable = run.stable,
                           .order = DueWalk::Order::kIndex,
                           .rows_max = std::clamp<std::uint64_t>(left, 1, kPurgeAheadRowsMax)};
  if (!run.pace.one_latch) return request;
  request.order = half.keyspace.events() == EventDetail::kOff ? DueWalk::Order::kLatch
                                                              : DueWalk::Order::kDeadlineByLatch;
  request.rows_max = kPurgeAheadRowsMax;
  return request;
}

Status Purger::CountDue(const IndexHalf& half, const DueWalk& walk) {
  if (walk.page_rows() < kPurgeAheadRowsMax) return {};
  MAYFLY_TRY(const auto counted, KeepCountOfDue(store_, half.keyspace));
  if (!counted) return {};
  backlog_ = std::max(backlog_, *counted);
  due_rows_ = std::max(due_rows_, *counted);
  return {};
}

// Raises the watermark: all due rows are gone, and new ones will be due later. In memory only: the
// stored watermark may lag behind.
void Purger::FinishHalf(const IndexHalf& half, const Run& run) {
  const KeyLatches::One latch =
      store_.latches().Lock(Stripe{0});  // Keeps time from being taken back.
  if (store_.clock().reverts() != run.reverts) return;
  Raise(half, std::min(run.now, run.stable) + Millis(1));
}

// Called under a latch: time is taken back under all of them, so only then do watermarks fall.
void Purger::Raise(const IndexHalf& half, WallTime to) {
  [[maybe_unused]] const WallTime before = half.watermark();
  half.RaiseWatermark(to);
  assert(half.watermark() >= before);
  assert(half.watermark() >= to);
}

std::uint64_t Purger::NoteReverts() {
  const std::uint64_t reverts = store_.clock().reverts();
  if (reverts != reverts_) walks_.clear();
  reverts_ = reverts;
  return reverts;
}

// Latches the due rows. If a collection moved to another key before its latch was held, starts
// over.
Status Purger::LatchDue(const IndexHalf& half, std::span<Due> due,
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

Status Purger::RemoveDue(const IndexHalf& half, std::span<Due> due, std::optional<WallTime> reached,
                         const Run& run, std::vector<Event>& events) {
  PurgeReport& report = run.report;
  KeyspaceState& keyspace = half.keyspace;
  const std::shared_lock gate(keyspace.gate());
  if (keyspace.dropped()) return {};
  if (!half.members) {
    RowsAhead ahead;
    for (const Due& row : due) ahead.Add(keyspace.id(), row.key);
    ahead.Fetch(store_.engine());
  }
  std::optional<KeyLatches::Many> latches;
  MAYFLY_RETURN_IF_ERROR(LatchDue(half, due, latches));
  // The rows may be alive again.
  if (store_.clock().reverts() != run.reverts) return {};
  // Time may have moved on since the run began, but not what may be removed.
  const WallTime now = store_.clock().Now();
  CommitPlan plan(store_.clock().may_delete() ? now : std::min(now, run.now));
  DeathListener* const listener = store_.death_listener();
  std::vector<Death> deaths;
  MemberPurge members(store_, plan, keyspace, listener != nullptr ? &deaths : nullptr);
  std::uint64_t found_ones = 0;
  std::uint64_t stale = 0;
  for (const Due& row : due) {
    MAYFLY_TRY(const bool found, PlanDue(half, row, plan, members));
    if (!found) {
      MAYFLY_TRY(const bool is_stale, PlanStaleEntry(half, row, plan));
      stale += is_stale ? 1 : 0;
      continue;
    }
    ++found_ones;
    if (listener != nullptr && !half.members) {
      deaths.push_back({keyspace.name(), std::string(row.key), std::nullopt});
    }
  }
  MAYFLY_TRY(const std::uint64_t collections, members.Finish());
  if (reached) {
    std::string watermark;
    AppendLittleEndian64(watermark, static_cast<std::uint64_t>(ToMs(*reached)));
    const char kind = half.members ? kMetaMembersWatermark : kMetaWatermark;
    plan.batch().Put(kMeta, MetaKey(kind, keyspace.id()), watermark);
  }
  MAYFLY_RETURN_IF_ERROR(store_.Commit(plan, Durability::kNone));
  if (listener != nullptr && !deaths.empty()) listener->Died(deaths);
  if (reached) Raise(half, *reached);
  report.rows += (half.members ? 0 : found_ones) + collections;
  (keyspace.by_timestamp() ? report.versions : report.members) += half.members ? found_ones : 0;
  report.stale_entries += stale;
  store_.counts().stale_entries += stale;
  events = std::move(plan.events());
  return {};
}

// False when the row, version or member is gone or has another deadline.
Result<bool> Purger::PlanDue(const IndexHalf& half, const Due& due, CommitPlan& plan,
                             MemberPurge& members) const {
  if (!half.members) return PlanRow(plan, half.keyspace, due);
  if (half.keyspace.by_timestamp()) return PlanVersion(plan, half.keyspace, due);
  return members.Remove(due.key, due.deadline);
}

// Mostly another purge has removed row and entry already. An entry that still exists is stale.
Result<bool> Purger::PlanStaleEntry(const IndexHalf& half, const Due& due, CommitPlan& plan) const {
  PinnedBytes pin;
  const Status read =
      store_.engine().Get(kExpiry, EntryKey(half.index(), due.deadline, due.key), pin);
  if (read.IsNotFound()) return false;
  MAYFLY_RETURN_IF_ERROR(read);
  plan.RemoveStaleEntry(half.keyspace, due.stripe, half.members, due.deadline, due.key);
  return true;
}

// False when the row is gone or has another deadline.
Result<bool> Purger::PlanRow(CommitPlan& plan, KeyspaceState& keyspace, const Due& due) const {
  KeyState key_state;
  MAYFLY_RETURN_IF_ERROR(store_.ReadKeyState(keyspace, due.key, nullptr, key_state));
  if (!key_state.stored || key_state.stored->deadline != due.deadline) return false;
  Store::PlanPurge(plan, keyspace, due.key, key_state, EventCause::kPurged);
  return true;
}

Result<bool> Purger::PlanVersion(CommitPlan& plan, KeyspaceState& keyspace, const Due& due) const {
  const auto key = UserKeyOfMember(due.key);
  if (!key) return false;
  PinnedBytes pin;
  std::optional<VersionView> version;
  MAYFLY_RETURN_IF_ERROR(store_.ReadVersion(keyspace, due.key, nullptr, pin, version));
  if (!version || LeavesAt(*version) != due.deadline) return false;
  if (IsDead(version->kept_until, plan.now())) {
    plan.RemoveVersion(keyspace, StripeOf(keyspace.id(), *key), due.key, *version);
    return true;
  }
  // Its row is dead, but that time can still be read: the version is kept without its row, or an
  // older one would show.
  plan.PutVersion(keyspace, StripeOf(keyspace.id(), *key), due.key, &*version, Bare(*version));
  plan.NoteRemoval(keyspace, StripeOf(keyspace.id(), *key), due.deadline);
  return true;
}

Result<std::optional<WallTime>> Purger::NextDeadline() const {
  std::optional<WallTime> next;
  for (const auto& keyspace : store_.catalog().All()) {
    for (const bool members : {false, true}) {
      const IndexHalf half{*keyspace, members};
      if (half.IsEmpty() || keyspace->purges_held()) continue;
      // Skips the tombstones of what this purger has removed.
      std::string begin = EntryBegin(half.index(), half.watermark());
      begin = std::max(begin, keyspace->purge_pass(members).reached);
      MAYFLY_TRY(const auto first, FirstDeadline(store_, half, begin));
      if (first) next = next ? std::min(*next, *first) : *first;
    }
  }
  return next;
}

}  // namespace mayfly::core
