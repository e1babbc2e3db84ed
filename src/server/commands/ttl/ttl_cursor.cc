#include "server/commands/ttl/ttl_cursor.h"

#include "base/coding.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/ttl/ttl_commands.h"

namespace mayfly::server {
namespace {

constexpr std::string_view kCursorMark = "at:";
constexpr std::string_view kDigits = "0123456789abcdef";

Result<std::optional<std::string>> PlaceOf(Bytes cursor) {
  if (cursor == "0") return std::optional<std::string>();
  if (!cursor.starts_with(kCursorMark)) return InvalidCursor();
  cursor.remove_prefix(kCursorMark.size());
  if (cursor.size() % 2 != 0) return InvalidCursor();
  std::string place;
  for (std::size_t i = 0; i < cursor.size(); i += 2) {
    const std::size_t high = kDigits.find(cursor[i]);
    const std::size_t low = kDigits.find(cursor[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return InvalidCursor();
    place += static_cast<char>(high << 4 | low);
  }
  return std::optional(std::move(place));
}

}  // namespace

std::string CursorText(Bytes place) {
  std::string text(kCursorMark);
  for (const char c : place) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Result<std::optional<std::string>> TakeCursor(std::vector<Bytes>& words) {
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (!IsWord(words[i], "cursor")) continue;
    MAYFLY_TRY(auto place, PlaceOf(words[i + 1]));
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                words.begin() + static_cast<std::ptrdiff_t>(i + 2));
    return place;
  }
  return std::optional<std::string>();
}

std::string PlaceBehind(const DeadlineEntry& entry) {
  std::string place;
  AppendBigEndian64(place, static_cast<std::uint64_t>(ToMs(entry.deadline)));
  return place.append(entry.key);
}

Result<DeadlineEntry> EntryAt(Bytes place) {
  std::uint64_t deadline = 0;
  if (!EatBigEndian64(place, deadline) || deadline > static_cast<std::uint64_t>(kTtlNumberMax)) {
    return InvalidCursor();
  }
  return DeadlineEntry{std::string(place), WallTimeFromMs(static_cast<std::int64_t>(deadline))};
}

}  // namespace mayfly::server
