#include "server/commands/ttl/ttl_cursor.h"

#include "base/coding.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/ttl/ttl_commands.h"

namespace mayfly::server {
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
