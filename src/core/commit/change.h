// change.h - the decision of a write about one key, and its inputs.
#pragma once

#include <cstdint>
#include <optional>

#include "base/function_ref.h"
#include "core/keyspaces/lifetime_rule.h"
#include "core/layout/row_codec.h"
#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::core {

// The decision of a write about a key.
struct Change {
  enum class Kind : std::uint8_t { kNothing, kPut, kDelete };

  Kind kind = Kind::kNothing;
  Bytes payload = {};  // For kPut; lives until the change is applied.
  Span span = {};      // For kPut.

  // The rest matters where order is by timestamp. A change without a timestamp takes the clock's
  // instant, or the timestamp of the key's newest write if that is later.
  std::optional<WallTime> timestamp = std::nullopt;
  bool same_timestamp = false;  // It changes the living row, which keeps its timestamp.
  bool ttl_from_now = false;    // Though it has a timestamp.
  std::optional<WallTime> not_before = std::nullopt;  // Lower bound, if `timestamp` is not set.

  // It changes only the deadline of the stored collection.
  bool of_collection = false;

  // For kDelete: the row is evicted, which makes an event.
  bool evicts = false;

  static Change Nothing() { return {}; }
  static Change Delete() { return {.kind = Kind::kDelete}; }
  static Change Evict() {
    Change change = Delete();
    change.evicts = true;
    return change;
  }
  static Change Put(Bytes payload, Span span) { return {Kind::kPut, payload, span}; }

  Change At(std::optional<WallTime> at) const {
    Change change = *this;
    change.timestamp = at;
    return change;
  }
  Change AtTheSame() const {
    Change change = *this;
    change.same_timestamp = true;
    change.ttl_from_now = true;
    return change;
  }

  Change OfCollection() const {
    Change change = *this;
    change.of_collection = true;
    return change;
  }

  // A ttl counts from a timestamp that was given with it, else from `now`.
  WallTime TtlFrom(WallTime now) const { return timestamp && !ttl_from_now ? *timestamp : now; }
};

// The inputs of a decision.
struct Known {
  const RowView* row;              // The living row, or null. Its deadline is as callers set it.
  WallTime now;                    // The instant it is living at.
  std::optional<WallTime> newest;  // The timestamp of the key's newest write; see KeyState.
};

using Decide = FunctionRef<Result<Change>(const Known& known)>;

}  // namespace mayfly::core
