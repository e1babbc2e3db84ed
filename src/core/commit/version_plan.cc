#include "core/commit/version_plan.h"

#include <algorithm>

namespace mayfly::core {
namespace {

WallTime LaterBy(WallTime instant, Millis by) {
  return instant > WallTime::max() - by ? WallTime::max() : instant + by;
}

}  // namespace

VersionView MarkerOf(const KeyspacePolicy& policy, WallTime timestamp) {
  VersionView marker{.row = {.deadline = {}, .payload = {}, .timestamp = timestamp},
                     .deleted = true};
  // After that, writes that it would hold back are refused, and times before it cannot be read.
  if (policy.late_max) {
    marker.kept_until = LaterBy(timestamp, std::max(*policy.late_max, policy.history));
  }
  return marker;
}

Millis KeptBehind(const KeyspacePolicy& policy) {
  if (policy.order != RowOrder::kTimestamp) return Millis(0);
  if (!policy.late_max || *policy.late_max > Millis::max() / 4 ||
      policy.history > Millis::max() / 4) {
    return Millis::max();
  }
  // A timestamp may lie ahead of the clock by late_max.
  return *policy.late_max + std::max(*policy.late_max, policy.history);
}

void VersionPlan::Put(const RowView& fresh) {
  Retire(*fresh.timestamp);
  const RowView* const old = key_state_.stored ? &*key_state_.stored : nullptr;
  plan_.Put(keyspace_, stripe(), key_, old, fresh);
  if (IsDead(fresh.deadline, plan_.now())) Mark(*fresh.timestamp);
}

void VersionPlan::Delete(WallTime timestamp) {
  Retire(timestamp);
  if (key_state_.stored) {
    plan_.Remove(keyspace_, stripe(), key_, *key_state_.stored, EventCause::kReplaced);
  }
  Mark(timestamp);
}

void VersionPlan::PutLate(const VersionView& version, WallTime overtaken_at,
                          const VersionView* same) {
  const auto kept_until = KeptUntil(overtaken_at);
  if (!kept_until) return;
  VersionView kept = version;
  kept.kept_until = kept_until;
  // A dead version is kept without its value, so that an older one does not show in its place.
  if (IsDead(kept.row.deadline, plan_.now())) kept = Bare(kept);
  plan_.PutVersion(keyspace_, stripe(), VersionKey(key_, *kept.row.timestamp), same, kept);
}

void VersionPlan::Restore(const RowView& row) {
  if (IsDead(row.deadline, plan_.now())) return Mark(*row.timestamp);
  plan_.Put(keyspace_, stripe(), key_, nullptr, row);
}

void VersionPlan::Purge(EventCause cause) {
  plan_.Remove(keyspace_, stripe(), key_, *key_state_.stored, cause);
  Mark(*key_state_.stored->timestamp);
}

Stripe VersionPlan::stripe() const { return StripeOf(keyspace_.id(), key_); }

// Moves the newest write so far into the history. A row overtaken at its own timestamp was never
// visible to a read by timestamp.
void VersionPlan::Retire(WallTime overtaken_at) {
  if (key_state_.marker) {
    plan_.RemoveVersion(keyspace_, stripe(), MarkerKey(key_), *key_state_.marker);
  }
  const auto newest = key_state_.newest();
  if (!newest || *newest >= overtaken_at) return;
  VersionView version{.row = {.deadline = {}, .payload = {}, .timestamp = newest}, .deleted = true};
  if (key_state_.stored) version = {.row = *key_state_.stored};
  PutLate(version, overtaken_at, nullptr);
}

void VersionPlan::Mark(WallTime timestamp) {
  const VersionView marker = MarkerOf(keyspace_.policy(), timestamp);
  if (IsDead(marker.kept_until, plan_.now())) return;
  // An old marker, which exists only without a row, was removed by Retire().
  plan_.PutVersion(keyspace_, stripe(), MarkerKey(key_), nullptr, marker);
}

// Even without a history a write stays readable until the timestamp that overtakes it, if that lies
// ahead of the clock.
std::optional<WallTime> VersionPlan::KeptUntil(WallTime overtaken_at) const {
  const WallTime until = LaterBy(overtaken_at, keyspace_.policy().history);
  if (IsDead(until, plan_.now())) return std::nullopt;
  return until;
}

}  // namespace mayfly::core
