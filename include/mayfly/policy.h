// policy.h - what a keyspace asks of the lifetimes of its rows.
// A policy looks at writes. Changing it touches no row: what has died stays dead, what lives keeps
// the deadline it was given.
#pragma once

#include <cstdint>
#include <optional>

#include "mayfly/clock.h"

namespace mayfly {

// What becomes of a write whose lifetime the policy does not allow.
enum class PolicyBreach : std::uint8_t {
  kRefuse = 0,  // Invalid, naming the limit; nothing is written.
  kClamp = 1,   // The nearest allowed lifetime is taken. Statistics count it.
};

// Whether purging a dead row leaves an event, and what is in it.
enum class EventDetail : std::uint8_t {
  kOff = 0,
  kKey = 1,          // Key, deadline, purge time and cause.
  kKeyAndValue = 2,  // The value it died with, too.
};

struct KeyspacePolicy {
  // For writes that say Lifetime::Default(). Nothing: they live for ever.
  std::optional<Millis> default_ttl = std::nullopt;

  // Bounds on the time a write may ask for, the default included. A row without a deadline exceeds
  // any maximum.
  std::optional<Millis> min_ttl = std::nullopt;
  std::optional<Millis> max_ttl = std::nullopt;

  // Rows without a deadline are not allowed. With kClamp they get max_ttl, or default_ttl; one of
  // the two must then be set.
  bool require_ttl = false;

  PolicyBreach breach = PolicyBreach::kRefuse;

  // Spreads deadlines: up to this share of a ttl is taken away, in thousandths, the same for the
  // same key. For ttls only, not for instants. 100 makes an hour's ttl 54 to 60 minutes. At most
  // 900.
  std::uint32_t jitter_permille = 0;

  // Costs a write per purged row, and the space until events are trimmed.
  EventDetail events = EventDetail::kOff;

  friend bool operator==(const KeyspacePolicy&, const KeyspacePolicy&) = default;
};

}  // namespace mayfly
