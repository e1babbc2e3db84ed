#include "core/commit_plan.h"

#include <algorithm>

#include "core/liveness.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kRows{engine::Role::kRows};
constexpr engine::Address kExpiry{engine::Role::kExpiry};
constexpr engine::Address kMeta{engine::Role::kMeta};

}  // namespace

void CommitPlan::Put(KeyspaceState& keyspace, Stripe stripe, Bytes key, const RowView* old,
                     std::optional<WallTime> deadline, Bytes payload) {
  const bool old_is_dead = old != nullptr && IsDead(old->deadline, now_);
  if (IsDead(deadline, now_)) {
    // One event for a row that dies: its own if it was dead before, else for the one that never
    // lived.
    if (old != nullptr) Remove(keyspace, stripe, key, *old, EventCause::kReplaced);
    if (!old_is_dead) Tell(keyspace, key, *deadline, payload, EventCause::kBornDead);
    return;
  }
  const RowKey row_key(keyspace.id(), key);
  row_.clear();
  AppendRow(row_, deadline, payload);
  batch_.Put(kRows, row_key, row_);
  if (old != nullptr && old->deadline != deadline) RemoveEntry(keyspace, *old, key);
  if (deadline) {
    // The entry of an unchanged deadline is there already.
    if (old == nullptr || old->deadline != deadline) {
      batch_.Put(kExpiry, EntryKey(keyspace.id(), *deadline, key), {});
    }
    earliest_ = earliest_ ? std::min(*earliest_, *deadline) : *deadline;
  }
  if (old_is_dead) {
    Tell(keyspace, key, *old->deadline, old->payload, EventCause::kReplaced);
    ++dead_removed_;
  }
  Count(keyspace, stripe, old == nullptr ? 1 : 0,
        static_cast<int>(deadline.has_value()) -
            static_cast<int>(old != nullptr && old->deadline.has_value()));
}

void CommitPlan::Remove(KeyspaceState& keyspace, Stripe stripe, Bytes key, const RowView& old,
                        EventCause cause) {
  batch_.Delete(kRows, RowKey(keyspace.id(), key));
  RemoveEntry(keyspace, old, key);
  if (IsDead(old.deadline, now_)) {
    Tell(keyspace, key, *old.deadline, old.payload, cause);
    ++dead_removed_;
  }
  Count(keyspace, stripe, -1, old.deadline ? -1 : 0);
}

void CommitPlan::RemoveStaleEntry(KeyspaceState& keyspace, WallTime deadline, Bytes key) {
  batch_.Delete(kExpiry, EntryKey(keyspace.id(), deadline, key));
}

Status CommitPlan::Seal() {
  for (const auto& [keyspace, stripe, change] : bookings_) {
    // Rows that go are counted, since their latches are held.
    const Counters total = keyspace->TotalCounters() + change;
    if (total.rows < 0 || total.mortal < 0) {
      return Status::Corruption("the counters do not fit the rows; run a check with repair");
    }
    batch_.Put(kMeta, CounterKey(keyspace->id(), stripe),
               EncodeCounters(keyspace->counters(stripe) + change));
  }
  return {};
}

void CommitPlan::Applied() {
  for (const auto& [keyspace, stripe, change] : bookings_) {
    keyspace->SetCounters(stripe, keyspace->counters(stripe) + change);
  }
}

void CommitPlan::RemoveEntry(const KeyspaceState& keyspace, const RowView& old, Bytes key) {
  if (old.deadline) batch_.Delete(kExpiry, EntryKey(keyspace.id(), *old.deadline, key));
}

void CommitPlan::Count(KeyspaceState& keyspace, Stripe stripe, int rows, int mortal) {
  if (rows == 0 && mortal == 0) return;
  Counters& change = BookingOf(keyspace, stripe).change;
  change = change + Counters{rows, mortal};
}

CommitPlan::Booking& CommitPlan::BookingOf(KeyspaceState& keyspace, Stripe stripe) {
  // Changes come keyspace by keyspace, so it is the last one, if any.
  const auto found = std::find_if(bookings_.rbegin(), bookings_.rend(),
                                  [&](const Booking& b) { return b.keyspace == &keyspace; });
  if (found != bookings_.rend()) return *found;
  return bookings_.emplace_back(Booking{&keyspace, stripe, {}});
}

void CommitPlan::Tell(const KeyspaceState& keyspace, Bytes key, WallTime deadline, Bytes payload,
                      EventCause cause) {
  const EventDetail detail = keyspace.policy()->events;
  if (detail == EventDetail::kOff) return;
  Event event{.sequence = 0,
              .keyspace = keyspace.id(),
              .keyspace_name = keyspace.name(),
              .key = std::string(key),
              .deadline = deadline,
              .purged_at = now_,
              .cause = cause,
              .value = std::nullopt};
  if (detail == EventDetail::kKeyAndValue) event.value = std::string(payload);
  events_.push_back(std::move(event));
}

}  // namespace mayfly::core
