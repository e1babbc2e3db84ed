// policy.h - what a keyspace asks of its rows: how long they may live, which of two writes counts,
// and when nothing may be left of them.
// A policy applies to writes. Changing it touches no row: dead rows stay dead, living rows keep the
// deadline they have.
#pragma once

#include <cstdint>
#include <optional>

#include "mayfly/clock.h"

namespace mayfly {

// What happens to a write whose lifetime the policy does not allow.
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

// Which of two writes to a key wins. Fixed when the keyspace is created.
enum class RowOrder : std::uint8_t {
  kArrival = 0,    // The one that came last.
  kTimestamp = 1,  // The one with the larger timestamp, whatever the order of arrival.
};

struct KeyspacePolicy {
  // The ttl of writes with Lifetime::Default(). Nothing: they live for ever.
  std::optional<Millis> default_ttl = std::nullopt;

  // Bounds on the ttl of a write, the default included. A row without a deadline exceeds any
  // maximum.
  std::optional<Millis> min_ttl = std::nullopt;
  std::optional<Millis> max_ttl = std::nullopt;

  // Rows without a deadline are not allowed. With kClamp they get max_ttl, or default_ttl; one of
  // the two must then be set.
  bool require_ttl = false;

  PolicyBreach breach = PolicyBreach::kRefuse;

  // Spreads deadlines: shortens a ttl by up to this share, in thousandths, the same for the same
  // key. For ttls only, not for instants. 100 makes an hour's ttl 54 to 60 minutes. At most 900.
  std::uint32_t jitter_permille = 0;

  // Costs a write per purged row, and the space until events are trimmed.
  EventDetail events = EventDetail::kOff;

  // A promise: this long after a row died, was deleted, or was written over with other bytes, none
  // of its bytes, the key included, is in any file, log or event of the database (docs/promises.md
  // lists the places). The reaper and Database::Reclaim() keep it; Database::Prove() shows how far.
  // At least a second. Costs a rewrite of such files every half of it; events are trimmed after a
  // quarter.
  std::optional<Millis> purge_within = std::nullopt;

  RowOrder order = RowOrder::kArrival;

  // For kTimestamp: how far back reads can go (GetAsOf, CursorOptions::as_of). Costs the space of
  // the versions that were overtaken within it.
  Millis history = Millis(0);

  // For kTimestamp: how far from the clock an explicit timestamp may lie, either way; one further
  // off is Invalid. Nothing: any distance, and then a deleted or dead row leaves its key and
  // timestamp behind for ever, so that a late write cannot bring it back. With purge_within it must
  // be set, to at most a quarter of that.
  std::optional<Millis> late_max = std::nullopt;

  friend bool operator==(const KeyspacePolicy&, const KeyspacePolicy&) = default;
};

}  // namespace mayfly
