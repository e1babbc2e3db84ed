// stream_lag.h - how far a group has read, and how many entries it has still to read.
// A stream counts the entries that were ever added, and a group how many had been added up to the
// last one it was given. The difference is the lag, as long as entries leave a stream in the order
// in which they came: trimmed, or dead in their order. Where XDEL took one from the middle, or one
// with a shorter max age dies before older ones, a count is not known, and is not guessed.
#pragma once

#include <cstdint>
#include <optional>

#include "types/streams/stream_group.h"
#include "types/streams/stream_head.h"
#include "types/streams/stream_id.h"

namespace mayfly::types {

// A stream at one instant.
struct StreamFacts {
  StreamHead head;
  std::uint64_t size = 0;
  std::optional<StreamId> first;  // The oldest entry.
};

Result<StreamFacts> FactsOf(const Stream& stream);

// Whether the head alone tells that the group's position goes up by one with each entry: nothing
// but trims has removed any, and none behind the group. Spares the search for the oldest entry.
bool CountsOn(const StreamHead& head, const GroupState& group);

// How many entries had been added when `id` was; nothing when that is not known.
std::optional<std::uint64_t> PositionOf(const StreamFacts& stream, StreamId id);

// The position of a group that is now given `next`, the first entry behind its last one.
std::optional<std::uint64_t> ReadAfter(const StreamFacts& stream, const GroupState& group,
                                       StreamId next);

// Entries that the group has not been given; nothing when that is not known.
std::optional<std::uint64_t> LagOf(const StreamFacts& stream, const GroupState& group);

}  // namespace mayfly::types
