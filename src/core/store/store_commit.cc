// Store: turns a change of one key into a plan, and commits plans.
#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "base/log.h"
#include "core/commit/version_plan.h"
#include "core/commit/whole_value.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/store/collection_reads.h"
#include "core/store/store.h"

namespace mayfly::core {

WallTime TimestampOf(const Change& change, const KeyState& key_state, WallTime now) {
  if (change.timestamp) return *change.timestamp;
  const auto newest = key_state.newest();
  // A row that has died during the transaction is written anew.
  if (change.same_timestamp && key_state.Living(now) != nullptr) return *newest;
  return std::max({now, newest.value_or(now), change.not_before.value_or(now)});
}

Status Store::PlanChange(CommitPlan& plan, const Place& place, const KeyState& key_state,
                         const Change& change) {
  const auto& [keyspace, key, stripe] = place;
  if (change.kind == Change::Kind::kPut) {
    MAYFLY_RETURN_IF_ERROR(CheckUserValue(change.payload));
    if (change.span.clamped) plan.CountClamped();
  }
  const RowView* const old = key_state.stored ? &*key_state.stored : nullptr;
  if (!keyspace.by_timestamp()) {
    if (change.kind == Change::Kind::kDelete) {
      const EventCause cause = change.evicts ? EventCause::kEvicted : EventCause::kReplaced;
      if (old != nullptr) plan.Remove(keyspace, stripe, key, *old, cause);
      return {};
    }
    if (change.of_collection) {
      return PlanCollectionDeadline(plan, keyspace, key, key_state, change.span);
    }
    MAYFLY_TRY(const auto deadline, DeadlineOf(change.span, plan.now()));
    plan.Put(keyspace, stripe, key, old, {.deadline = deadline, .payload = change.payload});
    return {};
  }
  const auto newest = key_state.newest();
  if (change.timestamp && newest && *change.timestamp < *newest) {
    return PlanLateChange(plan, keyspace, key, key_state, change, *newest);
  }
  const WallTime timestamp = TimestampOf(change, key_state, plan.now());
  VersionPlan versions(plan, keyspace, key, key_state);
  if (change.kind == Change::Kind::kDelete) {
    versions.Delete(timestamp);
    return {};
  }
  MAYFLY_TRY(const auto deadline, DeadlineOf(change.span, change.TtlFrom(plan.now())));
  versions.Put({.deadline = deadline, .payload = change.payload, .timestamp = timestamp});
  return {};
}

Status Store::PlanCollectionDeadline(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                                     const KeyState& key_state, const Span& span) const {
  const RowView* const old = key_state.Living(plan.now());
  if (old == nullptr || !old->collection_id) {
    return Status::Conflict("the collection died before its deadline was changed; begin again");
  }
  MAYFLY_TRY(Collection collection, DecodeCollection(old->payload));
  MAYFLY_TRY(collection.own_deadline, DeadlineOf(span, plan.now()));
  std::optional<WallTime> last;
  if (collection.all_mortal()) {
    const PartKeys keys(keyspace.id(), *old->collection_id);
    MAYFLY_TRY(last, LastMemberDeadline(*engine_, keys, [](Bytes) { return false; }));
  }
  plan.PutCollection(keyspace, StripeOf(keyspace.id(), key), key, old, *old->collection_id,
                     collection, last);
  return {};
}

Status Store::PlanLateChange(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                             const KeyState& key_state, const Change& change,
                             WallTime overtaken_at) {
  VersionPlan versions(plan, keyspace, key, key_state);
  if (!versions.KeptUntil(overtaken_at)) return {};
  VersionView late{.row = {.deadline = {}, .payload = {}, .timestamp = change.timestamp},
                   .deleted = change.kind == Change::Kind::kDelete};
  if (!late.deleted) {
    MAYFLY_TRY(late.row.deadline, DeadlineOf(change.span, change.TtlFrom(plan.now())));
    late.row.payload = change.payload;
  }
  PinnedBytes pin;
  std::optional<VersionView> same;
  MAYFLY_RETURN_IF_ERROR(
      ReadVersion(keyspace, VersionKey(key, *change.timestamp), nullptr, pin, same));
  versions.PutLate(late, overtaken_at, same ? &*same : nullptr);
  return {};
}

void Store::PlanPurge(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                      const KeyState& key_state, EventCause cause) {
  if (keyspace.by_timestamp()) return VersionPlan(plan, keyspace, key, key_state).Purge(cause);
  plan.Remove(keyspace, StripeOf(keyspace.id(), key), key, *key_state.stored, cause);
}

Status Store::Mutate(KeyspaceState& keyspace, Bytes key, Decide decide) {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckUserKey(key));
  std::vector<Event> events;
  {
    const std::shared_lock gate(keyspace.gate());
    MAYFLY_RETURN_IF_ERROR(CheckUsable(keyspace));
    MAYFLY_RETURN_IF_ERROR(CheckWritable());
    const Stripe stripe = StripeOf(keyspace.id(), key);
    const KeyLatches::One latch = latches_.Lock(stripe);
    CommitPlan plan(clock_->Now(), spare_batches_.Take(CounterOf(stripe)));
    KeyState key_state;
    MAYFLY_RETURN_IF_ERROR(ReadKeyState(keyspace, key, nullptr, key_state));
    const RowView* living = key_state.Living(plan.now());
    RowView plain;
    PinnedBytes pin;
    if (living != nullptr) {
      plain = *living;
      MAYFLY_RETURN_IF_ERROR(ShowWhole(*engine_, keyspace.id(), nullptr, pin, plain));
      if (plain.collection_id) {
        MAYFLY_TRY(const Collection collection, DecodeCollection(plain.payload));
        plain.deadline = collection.own_deadline;
      }
      living = &plain;
    }
    const Result<Change> change =
        decide({.row = living, .now = plan.now(), .newest = key_state.newest()});
    if (!change) {
      KeepTime(plan.now());  // The caller may learn that the row is dead.
      return change.status();
    }
    if (change->kind != Change::Kind::kNothing) {
      MAYFLY_RETURN_IF_ERROR(PlanChange(plan, {keyspace, key, stripe}, key_state, *change));
    }
    if (plan.empty()) KeepTime(plan.now());
    MAYFLY_RETURN_IF_ERROR(CommitChanges(plan, options_.durability));
    events = std::move(plan.events());
    spare_batches_.Give(CounterOf(stripe), std::move(plan.batch()));
  }
  events_->Deliver(std::move(events));
  return {};
}

Status Store::CommitChanges(CommitPlan& plan, Durability durability) {
  if (plan.empty() && plan.events().empty()) {
    counts_.clamped_lifetimes += plan.clamped();
    return {};
  }
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(Commit(plan, durability));
  const std::int64_t now_ms = ToMs(plan.now());
  if (counts_.last_write_ms.load(std::memory_order_relaxed) != now_ms) {
    counts_.last_write_ms.store(now_ms, std::memory_order_relaxed);
  }
  return {};
}

Status Store::Commit(CommitPlan& plan, Durability durability) {
  // From the read of the counter to the end of the commit.
  std::unique_lock<Latch> counting;
  if (plan.counts()) counting = std::unique_lock(counter_locks_[plan.counter()]);
  MAYFLY_RETURN_IF_ERROR(plan.Seal(*engine_));
  DataMeter::Changes weights;
  if (meter_.active()) [[unlikely]] {
    MAYFLY_TRY(weights, meter_.Weigh(plan.batch()));
  }
  // A batch that removes dead rows also records the instant at which they were dead.
  const bool removes_dead = plan.dead_removed() + plan.dead_members_removed() > 0;
  AddTime(plan, removes_dead ? Millis(1) : kHighWaterStep);
  MAYFLY_RETURN_IF_ERROR(plan.events().empty()
                             ? engine_->Commit(plan.batch(), durability)
                             : events_->Commit(plan.batch(), durability, plan.events()));
  const auto promised = plan.Applied();
  DataMeter::Apply(weights);
  if (counting.owns_lock()) counting.unlock();
  // All threads share these: most commits leave them alone.
  const auto add = [](std::atomic<std::uint64_t>& count, std::uint64_t change) {
    if (change != 0) count += change;
  };
  add(counts_.purged_rows, plan.dead_removed());
  add(counts_.purged_members, plan.dead_members_removed());
  add(counts_.removed_rows, plan.removed());
  add(counts_.clamped_lifetimes, plan.clamped());
  if (plan.earliest()) watch_.Written(*plan.earliest());
  if (promised) watch_.Written(*promised);  // Deletes and overwrites set no deadline.
  // Orphans are due at once, and so is the space of cleared keyspaces.
  if (plan.orphans_queued() || plan.clears()) watch_.Written(WallTimeFromMs(0));
  return {};
}

void Store::PurgeOnRead(KeyspaceState& keyspace, Bytes key) {
  if (!options_.purge_on_read || !engine_->capabilities().writable) return;
  if (clock_->removable_by() == WallTime::min()) return;
  std::vector<Event> events;
  {
    const std::shared_lock gate(keyspace.gate(), std::try_to_lock);
    if (!gate.owns_lock() || keyspace.dropped() || keyspace.purges_held()) return;
    const KeyLatches::One latch = latches_.TryLock(StripeOf(keyspace.id(), key));
    if (!latch.owns_lock()) return;
    const WallTime now = clock_->Now();
    const WallTime removable = clock_->removable_by();
    if (removable == WallTime::min()) return;  // This reading of the clock may have been a jump.
    CommitPlan plan(std::min(now, removable));
    KeyState key_state;
    if (!ReadKeyState(keyspace, key, nullptr, key_state).ok()) return;
    if (!key_state.stored || key_state.Living(plan.now()) != nullptr) return;
    PlanPurge(plan, keyspace, key, key_state, EventCause::kRead);
    if (const Status purged = Commit(plan, Durability::kNone); !purged.ok()) {
      Log(logger_, LogLevel::kWarning, "a dead row was not removed on read: {}", purged.ToString());
      return;
    }
    if (DeathListener* const listener = death_listener()) {
      const Death death[] = {{keyspace.name(), std::string(key), std::nullopt}};
      listener->Died(death);
    }
    ++counts_.purged_by_reads;
    events = std::move(plan.events());
  }
  events_->Deliver(std::move(events));
}

}  // namespace mayfly::core
