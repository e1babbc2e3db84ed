// event_cursor.h - how far the events of each shard have been read.
// Each shard numbers its own events. A cursor has one position for each shard, so it means the same
// on every server, wherever shards move, and an event behind a position is never passed, however
// late it is written and whatever its server's clock says. An instant instead of the positions would
// be shorter, and lose such events.
//   "at:" and in hexadecimal digits, by shard: | varint: 0, or the last sequence that was read + 1 |
// Zeros at the end are left out. "0": nothing was read of any shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::server {

class EventCursor {
 public:
  // InvalidCursor() for a malformed one, and for one of more than `shards` shards.
  static Result<EventCursor> Parse(Bytes text, std::size_t shards);
  std::string ToText() const;

  // Nothing: the shard's events begin with the oldest one that is kept.
  std::optional<std::uint64_t> Of(std::size_t shard) const;
  void Set(std::size_t shard, std::uint64_t sequence) { read_[shard] = sequence; }

  // By shard; those of which something was read.
  const std::map<std::size_t, std::uint64_t>& all() const { return read_; }

 private:
  std::map<std::size_t, std::uint64_t> read_;
};

}  // namespace mayfly::server
