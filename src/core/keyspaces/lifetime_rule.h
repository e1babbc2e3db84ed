// lifetime_rule.h - turns a requested lifetime into the row's deadline.
// In two steps, because a transaction takes them at different times: first the policy turns the
// request into a Span; then, at the commit, the span becomes a deadline.
#pragma once

#include <cstdint>
#include <optional>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/lifetime.h"
#include "mayfly/policy.h"
#include "mayfly/result.h"

namespace mayfly::core {

// How long a row will live: a time from the commit on, up to an instant, or for ever.
struct Span {
  enum class Kind : std::uint8_t { kForever, kFor, kUntil };

  Kind kind = Kind::kForever;
  std::int64_t ms = 0;   // kFor: the ttl. kUntil: the instant.
  bool clamped = false;  // The policy changed the request.
  bool kept = false;     // Taken from the replaced row.

  static Span Forever() { return {}; }
  static Span Until(WallTime instant) { return {Kind::kUntil, ToMs(instant)}; }
  static Span Of(const std::optional<WallTime>& deadline) {
    return deadline ? Until(*deadline) : Forever();
  }
};

struct LifetimeRule {
  const KeyspacePolicy& policy;
  bool allow_any_instant = false;

  // What the policy makes of `lifetime` for `key` at `now`. `old` is the deadline of the living row
  // that is replaced, if it has one; an empty outer optional means that there is no such row.
  // Invalid as lifetime.h says, so that a bad lifetime is refused whatever else the write depends
  // on.
  Result<Span> Apply(Lifetime lifetime, Bytes key, std::optional<std::optional<WallTime>> old,
                     WallTime now) const;

 private:
  Result<Span> Ask(Lifetime lifetime, Bytes key, std::optional<std::optional<WallTime>> old,
                   WallTime now) const;
};

// Invalid when the deadline would lie past the end of time.
Result<std::optional<WallTime>> DeadlineOf(const Span& span, WallTime now);

// Ok, or why a write may not have this timestamp.
Status CheckTimestamp(WallTime timestamp, const LifetimeRule& rule, WallTime now);

// Ok, or what is contradictory in the policy.
Status CheckPolicy(const KeyspacePolicy& policy);

// As CheckPolicy(), for a policy that is not stored yet. Invalid, too, when the policy gives a ttl
// that ends after the last instant there is.
Status CheckNewPolicy(const KeyspacePolicy& policy);

}  // namespace mayfly::core
