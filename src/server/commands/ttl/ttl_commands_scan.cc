// ttl_commands_scan.cc - TTL.SCAN: keys in the order they will die, and those that never do.
#include <algorithm>
#include <string>
#include <vector>

#include "mayfly/database.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/ttl/ttl_commands.h"
#include "server/commands/ttl/ttl_cursor.h"

namespace mayfly::server {
namespace {

// Rows one call may read in search of some without a deadline: the thread's other clients wait.
constexpr std::uint64_t kLookedAtMax = 20'000;

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

// A page may be short, or empty, where most keys have deadlines; only the cursor shows whether it
// was the last.
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
  // clang-format off
  const NumberOption options[] = {
      {"from",  0, kTtlNumberMax, from},
      {"to",    0, kTtlNumberMax, to},
      {"count", 1, kTtlPageMax,   count},
  };
  // clang-format on
  const bool immortal = IsWord(call.args[1], "nottl");
  std::vector<Bytes> words(call.args.begin() + (immortal ? 2 : 1), call.args.end());
  MAYFLY_TRY(const auto place, TakeCursor(words));
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
