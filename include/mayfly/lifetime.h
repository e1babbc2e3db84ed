// lifetime.h - how a write states when its row dies.
// A lifetime is turned into an absolute deadline once, when the write commits, from the database's
// time then (see ClockReport); from then on only the deadline exists. A ttl of n ms lives for
// exactly n ms. Refused as Invalid, with nothing written: a ttl of zero or less, a deadline past
// the end of time, an instant probably in another unit (seconds given as milliseconds). An instant
// that has passed deletes the row, with its expiry event: it was never alive.
#pragma once

#include <cassert>
#include <cstdint>

#include "mayfly/clock.h"

namespace mayfly {

class Lifetime {
 public:
  enum class Kind : std::uint8_t {
    kDefault,  // The keyspace's default: for its default ttl, or for ever when it has none.
    kFor,      // A length of time from the commit on.
    kUntil,    // An instant.
    kForever,  // No deadline.
    kKeep,     // The deadline of the row that is replaced; for a new row, the keyspace's default.
  };

  static constexpr Lifetime Default() { return {Kind::kDefault, 0}; }
  static constexpr Lifetime For(Millis ttl) { return {Kind::kFor, ttl.count()}; }
  static constexpr Lifetime Until(WallTime instant) { return {Kind::kUntil, ToMs(instant)}; }
  static constexpr Lifetime Forever() { return {Kind::kForever, 0}; }
  static constexpr Lifetime Keep() { return {Kind::kKeep, 0}; }

  constexpr Kind kind() const { return kind_; }
  constexpr Millis ttl() const { return assert(kind_ == Kind::kFor), Millis(ms_); }
  constexpr WallTime instant() const { return assert(kind_ == Kind::kUntil), WallTimeFromMs(ms_); }

 private:
  constexpr Lifetime(Kind kind, std::int64_t ms) : kind_(kind), ms_(ms) {}

  Kind kind_;
  std::int64_t ms_;
};

}  // namespace mayfly
