#include "core/keyspaces/lifetime_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/checksum.h"
#include "core/layout/limits.h"
#include "core/layout/liveness.h"

namespace mayfly::core {
namespace {

constexpr std::uint32_t kJitterPermilleMax = 900;

// The longest ttl that a policy may give to rows: from any plausible instant on it ends at one that
// there is.
constexpr Millis kGivenTtlMax = WallTime::max() - kPlausibleLast;

Status CheckInstant(WallTime instant) {
  if (instant >= kPlausibleFirst && instant <= kPlausibleLast) return {};
  return Status::Invalid(fmt::format(
      "deadline {} is implausible in milliseconds since 1970: it looks like {}; convert it, or set "
      "allow_any_instant",
      ToMs(instant), instant < kPlausibleFirst ? "seconds" : "microseconds or nanoseconds"));
}

}  // namespace

Status CheckTimestamp(WallTime timestamp, const LifetimeRule& rule, WallTime now) {
  if (!rule.allow_any_instant && (timestamp < kPlausibleFirst || timestamp > kPlausibleLast)) {
    return Status::Invalid(fmt::format(
        "timestamp {} is implausible in milliseconds since 1970: it looks like {}; convert it, or "
        "set allow_any_instant",
        ToMs(timestamp), timestamp < kPlausibleFirst ? "seconds" : "microseconds or nanoseconds"));
  }
  const auto& late_max = rule.policy.late_max;
  if (!late_max) return {};
  // Compared without a difference, which could overflow.
  if (timestamp >= now - *late_max &&
      (now > WallTime::max() - *late_max || timestamp <= now + *late_max)) {
    return {};
  }
  return Status::Invalid(fmt::format(
      "timestamp {} is more than the keyspace's late_max of {} ms away from the clock, which shows "
      "{}; it came too late, or that clock is wrong",
      ToMs(timestamp), late_max->count(), ToMs(now)));
}

namespace {

// Takes away a share of the ttl that depends on the key alone, so that a repeated write gets the
// same ttl.
std::int64_t Jittered(std::int64_t ttl_ms, Bytes key, std::uint32_t permille) {
  if (permille == 0) return ttl_ms;
  constexpr std::uint64_t kJitterSeed = 0x6a69'7474'6572;  // Unlike that of the stripes.
  const auto share = static_cast<std::int64_t>(Hash64(key, kJitterSeed) % (permille + 1));
  // Divides first: a ttl may be near the end of time.
  const std::int64_t less = ttl_ms / 1000 * share + ttl_ms % 1000 * share / 1000;
  return std::max<std::int64_t>(ttl_ms - less, 1);
}

Status Breach(const char* what, Millis limit) {
  return Status::Invalid(
      fmt::format("{} of {} ms; change the lifetime or the policy", what, limit.count()));
}

// Applies the policy's bounds to a ttl.
Result<Span> Bounded(std::int64_t ttl_ms, const KeyspacePolicy& policy) {
  Span span{Span::Kind::kFor, ttl_ms};
  const bool refuse = policy.breach == PolicyBreach::kRefuse;
  if (policy.min_ttl && ttl_ms < policy.min_ttl->count()) {
    if (refuse) return Breach("the ttl is below the keyspace's minimum", *policy.min_ttl);
    span = {Span::Kind::kFor, policy.min_ttl->count(), true};
  }
  if (policy.max_ttl && ttl_ms > policy.max_ttl->count()) {
    if (refuse) return Breach("the ttl is above the keyspace's maximum", *policy.max_ttl);
    span = {Span::Kind::kFor, policy.max_ttl->count(), true};
  }
  return span;
}

Result<Span> BoundedForever(const KeyspacePolicy& policy) {
  if (!policy.require_ttl && !policy.max_ttl) return Span::Forever();
  if (policy.breach == PolicyBreach::kRefuse) {
    return Status::Invalid(
        "the keyspace wants a deadline for every row and this one would have none; give it a "
        "lifetime");
  }
  const std::optional<Millis> ttl = policy.max_ttl ? policy.max_ttl : policy.default_ttl;
  return Span{Span::Kind::kFor, ttl->count(), true};
}

}  // namespace

Result<Span> LifetimeRule::Apply(Lifetime lifetime, Bytes key,
                                 std::optional<std::optional<WallTime>> old, WallTime now) const {
  MAYFLY_TRY(const Span span, Ask(lifetime, key, old, now));
  MAYFLY_RETURN_IF_ERROR(DeadlineOf(span, now).status());
  return span;
}

Result<Span> LifetimeRule::Ask(Lifetime lifetime, Bytes key,
                               std::optional<std::optional<WallTime>> old, WallTime now) const {
  switch (lifetime.kind()) {
    case Lifetime::Kind::kKeep:
      // The row keeps the deadline that an earlier policy allowed.
      if (old) {
        Span span = *old ? Span::Until(**old) : Span::Forever();
        span.kept = true;
        return span;
      }
      [[fallthrough]];
    case Lifetime::Kind::kDefault:
      if (!policy.default_ttl) return BoundedForever(policy);
      return Span{Span::Kind::kFor,
                  Jittered(policy.default_ttl->count(), key, policy.jitter_permille)};
    case Lifetime::Kind::kForever: return BoundedForever(policy);
    case Lifetime::Kind::kFor: {
      if (lifetime.ttl().count() <= 0) {
        return Status::Invalid(fmt::format(
            "a ttl of {} ms; it must be positive. To delete, delete; to keep for ever, say so",
            lifetime.ttl().count()));
      }
      MAYFLY_TRY(Span span, Bounded(lifetime.ttl().count(), policy));
      span.ms = Jittered(span.ms, key, policy.jitter_permille);
      return span;
    }
    case Lifetime::Kind::kUntil: {
      if (!allow_any_instant) MAYFLY_RETURN_IF_ERROR(CheckInstant(lifetime.instant()));
      if (IsDead(lifetime.instant(), now)) return Span::Until(lifetime.instant());
      MAYFLY_TRY(const Span bounded, Bounded((lifetime.instant() - now).count(), policy));
      return bounded.clamped ? bounded : Span::Until(lifetime.instant());
    }
  }
  return Status::Internal("unknown kind of lifetime");
}

Result<std::optional<WallTime>> DeadlineOf(const Span& span, WallTime now) {
  switch (span.kind) {
    case Span::Kind::kForever: return std::optional<WallTime>();
    case Span::Kind::kUntil: return std::optional(WallTimeFromMs(span.ms));
    case Span::Kind::kFor: break;
  }
  // A timestamp may lie before 1970.
  if (ToMs(now) > 0 && span.ms > std::numeric_limits<std::int64_t>::max() - ToMs(now)) {
    return Status::Invalid(fmt::format(
        "a ttl of {} ms ends after the last instant there is; to keep for ever, say so", span.ms));
  }
  return std::optional(now + Millis(span.ms));
}

namespace {

Status CheckPromiseAndOrder(const KeyspacePolicy& policy) {
  if (policy.purge_within && *policy.purge_within < kPurgeWithinMin) {
    return Status::Invalid(
        "a policy's purge_within must be at least a second; leave it out to "
        "promise nothing");
  }
  if (policy.history.count() < 0 || (policy.late_max && policy.late_max->count() <= 0)) {
    return Status::Invalid("a policy's history must not be negative and its late_max positive");
  }
  if (policy.order == RowOrder::kArrival) {
    if (policy.history.count() == 0 && !policy.late_max) return {};
    return Status::Invalid(
        "history and late_max are for keyspaces ordered by timestamp; set order");
  }
  if (!policy.purge_within) return {};
  if (!policy.late_max || *policy.late_max > *policy.purge_within / 4) {
    return Status::Invalid(
        "a keyspace ordered by timestamp that promises purge_within needs a late_max of at most a "
        "quarter of it: until then the key of a deleted row is kept");
  }
  if (policy.history > *policy.purge_within / 4) {
    return Status::Invalid(
        "the history must be at most a quarter of purge_within: it keeps what "
        "was deleted");
  }
  return {};
}

}  // namespace

Status CheckPolicy(const KeyspacePolicy& policy) {
  const auto positive = [](const std::optional<Millis>& ttl) { return !ttl || ttl->count() > 0; };
  if (!positive(policy.default_ttl) || !positive(policy.min_ttl) || !positive(policy.max_ttl)) {
    return Status::Invalid("a policy's ttls must be positive; leave one out to have none");
  }
  if (policy.min_ttl && policy.max_ttl && *policy.min_ttl > *policy.max_ttl) {
    return Status::Invalid("the policy's minimum ttl is above its maximum; swap them");
  }
  if (policy.default_ttl && ((policy.min_ttl && *policy.default_ttl < *policy.min_ttl) ||
                             (policy.max_ttl && *policy.default_ttl > *policy.max_ttl))) {
    return Status::Invalid("the policy's default ttl is outside its minimum and maximum");
  }
  if (policy.jitter_permille > kJitterPermilleMax) {
    return Status::Invalid(fmt::format("a jitter of {} permille; at most {} is allowed",
                                       policy.jitter_permille, kJitterPermilleMax));
  }
  if (policy.require_ttl && policy.breach == PolicyBreach::kClamp && !policy.default_ttl &&
      !policy.max_ttl) {
    return Status::Invalid(
        "a policy that requires a ttl and clamps needs a default or a maximum to clamp to");
  }
  return CheckPromiseAndOrder(policy);
}

Status CheckNewPolicy(const KeyspacePolicy& policy) {
  MAYFLY_RETURN_IF_ERROR(CheckPolicy(policy));
  const auto ends = [](const std::optional<Millis>& ttl) { return !ttl || *ttl <= kGivenTtlMax; };
  const bool gives_maximum = policy.breach == PolicyBreach::kClamp;
  if (ends(policy.default_ttl) && ends(policy.min_ttl) &&
      (!gives_maximum || ends(policy.max_ttl))) {
    return {};
  }
  return Status::Invalid(
      fmt::format("a policy's ttl of more than {} ms ends after the last instant there is, so that "
                  "no row could have it; leave it out to have none",
                  kGivenTtlMax.count()));
}

}  // namespace mayfly::core
