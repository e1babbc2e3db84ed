// overlay.h - the uncommitted writes of a transaction, by row key.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/commit/change.h"
#include "core/layout/liveness.h"
#include "core/layout/row_codec.h"
#include "mayfly/clock.h"

namespace mayfly::core {

// The draft of one key. A row's deadline is provisional: its span becomes one at the commit. So is
// a timestamp that is not its own.
struct Pending {
  bool present = false;  // False: deleted.
  std::string payload = {};
  Span span = {};
  std::optional<WallTime> deadline = std::nullopt;
  std::optional<WallTime> timestamp = std::nullopt;  // In keyspaces ordered by it.
  bool own_timestamp = false;                        // The caller gave it.
  bool same_timestamp = false;                       // It changes the living row.
  bool ttl_from_commit = false;                      // Though it has a timestamp of its own.
  // Set for a collection whose deadline changes. Its payload is the stored one but for the
  // deadline.
  std::optional<std::uint64_t> collection_id = std::nullopt;

  // For MergedCursor: every pending write shadows the stored row.
  static constexpr bool dirty() { return true; }
  bool Shows(WallTime now) const { return present && !IsDead(deadline, now); }

  // A ttl that counts from the timestamp has become a deadline already.
  bool TtlCountsFromTimestamp() const { return own_timestamp && !ttl_from_commit; }

  RowView view() const {
    return {.deadline = deadline,
            .payload = payload,
            .timestamp = timestamp,
            .collection_id = collection_id};
  }

  Change change() const {
    Change change = present ? Change::Put(payload, span) : Change::Delete();
    (own_timestamp ? change.timestamp : change.not_before) = timestamp;
    change.same_timestamp = same_timestamp;
    change.ttl_from_now = ttl_from_commit;
    change.of_collection = collection_id.has_value();
    return change;
  }
};

// Ordered as the engine orders rows.
using Overlay = std::map<std::string, Pending, std::less<>>;

}  // namespace mayfly::core
