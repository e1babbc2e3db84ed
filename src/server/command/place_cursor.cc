#include "server/command/place_cursor.h"

#include <charconv>

#include "base/text.h"
#include "server/command/errors.h"

namespace mayfly::server {
namespace {

constexpr std::string_view kCursorMark = "at:";

}  // namespace

std::string CursorText(Bytes place) { return std::string(kCursorMark) + ToHex(place); }

bool IsPlaceCursor(Bytes cursor) { return cursor.starts_with(kCursorMark); }

Result<std::optional<std::string>> PlaceOf(Bytes cursor) {
  if (cursor == "0") return std::optional<std::string>();
  if (!IsPlaceCursor(cursor)) return InvalidCursor();
  cursor.remove_prefix(kCursorMark.size());
  std::optional<std::string> place = FromHex(cursor);
  if (!place) return InvalidCursor();
  return place;
}

Result<std::uint64_t> ScanCursorArgument(Bytes argument) {
  std::uint64_t cursor = 0;
  if (argument.empty()) return cursor;
  const char* const end = argument.data() + argument.size();
  const auto [stop, error] = std::from_chars(argument.data(), end, cursor);
  if (error != std::errc() || stop != end) return InvalidCursor();
  return cursor;
}

}  // namespace mayfly::server
