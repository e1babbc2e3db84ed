#include "server/events/event_cursor.h"

#include "base/coding.h"
#include "server/command/errors.h"
#include "server/command/place_cursor.h"

namespace mayfly::server {

Result<EventCursor> EventCursor::Parse(Bytes text, std::size_t shards) {
  EventCursor cursor;
  MAYFLY_TRY(const auto place, PlaceOf(text));
  Bytes rest = place ? Bytes(*place) : Bytes();
  for (std::size_t shard = 0; !rest.empty(); ++shard) {
    std::uint64_t next = 0;
    if (shard == shards || !EatVarint(rest, next)) return InvalidCursor();
    if (next > 0) cursor.Set(shard, next - 1);
  }
  return cursor;
}

std::string EventCursor::ToText() const {
  if (read_.empty()) return "0";
  std::string place;
  std::size_t shard = 0;
  for (const auto& [number, sequence] : read_) {
    for (; shard < number; ++shard) AppendVarint(place, 0);
    AppendVarint(place, sequence + 1);
    ++shard;
  }
  return CursorText(place);
}

std::optional<std::uint64_t> EventCursor::Of(std::size_t shard) const {
  const auto found = read_.find(shard);
  return found == read_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace mayfly::server
