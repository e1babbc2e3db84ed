// TTL.SCAN: keys in the order they will die, and those that never do.
// The command is our own, so its cursor is a text that holds the place itself: it is as good in a
// year, and after a restart, and costs the server nothing.
#include <algorithm>
#include <string>
#include <vector>

#include "base/coding.h"
#include "mayfly/database.h"
#include "server/arguments.h"
#include "server/commands/ttl_commands.h"
#include "server/errors.h"

namespace mayfly::server {
namespace {

// Rows one call may look at for some without a deadline: others wait for the thread meanwhile.
constexpr std::uint64_t kLookedAtMax = 20'000;

// "at:" and the place in hexadecimal digits; "0" at the end.
constexpr std::string_view kCursorMark = "at:";
constexpr std::string_view kDigits = "0123456789abcdef";

std::string CursorText(Bytes place) {
  std::string text(kCursorMark);
  for (const char c : place) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

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

// A place among deadlines: | deadline u64 | key |, of the last that was shown.
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

Answer ScanMortal(Call& call, DeadlineWindow window, const std::optional<std::string>& place) {
  if (place) {
    MAYFLY_TRY(window.after, EntryAt(*place));
  }
  MAYFLY_TRY(const Keyspace* const keyspace, SelectedKeyspace(call));
  MAYFLY_TRY(const auto page, keyspace->ScanDeadlines(window));
  const bool more = page.size() == window.rows_max;
  call.reply.Array(2);
  call.reply.Bulk(more ? CursorText(PlaceBehind(page.back())) : "0");
  call.reply.Array(page.size());
  for (const DeadlineEntry& entry : page) {
    call.reply.Array(2);
    call.reply.Bulk(entry.key);
    call.reply.Integer(ToMs(entry.deadline));
  }
  return {};
}

// A page may be short, or empty, where most keys have deadlines; the cursor tells whether it was
// the last.
Answer ScanImmortal(Call& call, std::size_t rows_max, const std::optional<std::string>& place) {
  MAYFLY_TRY(const Keyspace* const keyspace, SelectedKeyspace(call));
  MAYFLY_TRY(const auto cursor, keyspace->NewCursor({}));
  cursor->SeekAtOrAfter(place.value_or(""));
  std::vector<std::string> keys;
  for (std::uint64_t looked_at = 0;
       cursor->Valid() && keys.size() < rows_max && looked_at < kLookedAtMax;
       cursor->Next(), ++looked_at) {
    if (!cursor->deadline()) keys.emplace_back(cursor->key());
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  call.reply.Array(2);
  call.reply.Bulk(cursor->Valid() ? CursorText(cursor->key()) : "0");
  call.reply.Array(keys.size());
  for (const std::string& key : keys) call.reply.Bulk(key);
  return {};
}

}  // namespace

Answer TtlScan(Call& call) {
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> to;
  std::optional<std::int64_t> count;
  const NumberOption options[] = {
      {"from",  0, kTtlNumberMax, from },
      {"to",    0, kTtlNumberMax, to   },
      {"count", 1, kTtlPageMax,   count},
  };
  const bool immortal = IsWord(call.args[1], "nottl");
  std::vector<Bytes> words(call.args.begin() + (immortal ? 2 : 1), call.args.end());
  std::optional<std::string> place;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (!IsWord(words[i], "cursor")) continue;
    MAYFLY_TRY(place, PlaceOf(words[i + 1]));
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                words.begin() + static_cast<std::ptrdiff_t>(i + 2));
    break;
  }
  MAYFLY_RETURN_IF_ERROR(ParseNumbers(words, options));
  if (immortal == (from || to)) return SyntaxError();
  const auto rows_max = static_cast<std::size_t>(count.value_or(100));
  if (immortal) return ScanImmortal(call, rows_max, place);
  DeadlineWindow window{.rows_max = rows_max};
  if (from) window.begin = WallTimeFromMs(*from);
  if (to) window.end = WallTimeFromMs(*to);
  return ScanMortal(call, window, place);
}

}  // namespace mayfly::server
