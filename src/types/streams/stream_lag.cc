#include "types/streams/stream_lag.h"

namespace mayfly::types {
namespace {

// Whether XDEL may have taken entries from behind the oldest one.
bool IsFragmented(const StreamFacts& stream) {
  const StreamId removed = stream.head.newest_removed;
  return stream.first && !removed.is_zero() && *stream.first <= removed;
}

bool IsFragmentedFrom(const StreamFacts& stream, StreamId id) {
  return IsFragmented(stream) && id <= stream.head.newest_removed;
}

// Whether entries behind the oldest one may have died before it.
bool IsRagged(const StreamFacts& stream) {
  return stream.first && !stream.head.ragged.is_zero() && *stream.first <= stream.head.ragged;
}

}  // namespace

Result<StreamFacts> FactsOf(const Stream& stream) {
  StreamFacts facts{.head = stream.head(), .size = stream.size(), .first = {}};
  MAYFLY_TRY(facts.first, stream.FirstId());
  return facts;
}

bool CountsOn(const StreamHead& head, const GroupState& group) {
  return group.read && !head.aged && head.newest_removed.is_zero() && group.last >= head.low;
}

std::optional<std::uint64_t> PositionOf(const StreamFacts& stream, StreamId id) {
  const std::uint64_t added = stream.head.added;
  if (added == 0) return 0;
  if (id == stream.head.last || (!stream.first && id < stream.head.last)) return added;
  if (id > stream.head.last || IsFragmented(stream) || IsRagged(stream)) return std::nullopt;
  if (id < *stream.first) return added - stream.size;
  if (id == *stream.first) return added - stream.size + 1;
  return std::nullopt;
}

std::optional<std::uint64_t> ReadAfter(const StreamFacts& stream, const GroupState& group,
                                       StreamId next) {
  const bool counts_on = group.read && stream.first && group.last >= *stream.first &&
                         !IsFragmentedFrom(stream, group.last) && !IsRagged(stream);
  return counts_on ? *group.read + 1 : PositionOf(stream, next);
}

std::optional<std::uint64_t> LagOf(const StreamFacts& stream, const GroupState& group) {
  const std::uint64_t added = stream.head.added;
  if (added == 0 || !stream.first) return 0;
  const bool in_order = !IsFragmented(stream) && !IsRagged(stream);
  if (group.last < *stream.first && (in_order || stream.head.aged)) return stream.size;
  if (group.read && !IsFragmentedFrom(stream, group.last) && !IsRagged(stream)) {
    return added >= *group.read ? added - *group.read : 0;
  }
  const auto position = PositionOf(stream, group.last);
  if (!position) return std::nullopt;
  return added - *position;
}

}  // namespace mayfly::types
