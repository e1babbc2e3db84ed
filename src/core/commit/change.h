// change.h - what a write decides about a key, and from what.
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

// What a write decides about a key.
struct Change {
  enum class Kind : std::uint8_t { kNothing, kPut, kDelete };

  Kind kind = Kind::kNothing;
  Bytes payload = {};  // For kPut; lives until the change is applied.
  Span span = {};      // For kPut.

  // The rest matters where order is by timestamp. Without one of its own a change takes the clock's
  // instant, or the timestamp of the last word on the key if that is later.
  std::optional<WallTime> timestamp = std::nullopt;
  bool same_timestamp = false;  // It changes the row that is there, which keeps its timestamp.
  bool ttl_from_now = false;    // Though it has a timestamp.
  std::optional<WallTime> not_before = std::nullopt;  // For one without: it is not below this.

  // It gives the collection that is there another deadline, and leaves the rest as it is.
  bool of_collection = false;

  static Change Nothing() { return {}; }
  static Change Delete() { return {.kind = Kind::kDelete}; }
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

// What a decision is made from.
struct Known {
  const RowView* row;              // The living row, or null.
  WallTime now;                    // The instant it is living at.
  std::optional<WallTime> newest;  // The timestamp of the last word on the key; see Standing.
};

using Decide = FunctionRef<Result<Change>(const Known& known)>;

}  // namespace mayfly::core
