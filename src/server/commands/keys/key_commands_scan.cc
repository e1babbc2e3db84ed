// key_commands_scan.cc - iterates over keys. They lie in byte order, so the prefix of a pattern
// bounds the range.
#include <string>

#include "base/glob.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/place_cursor.h"
#include "server/commands/keys/key_commands.h"
#include "server/commands/keys/random_key.h"
#include "server/session/scan_cursors.h"
#include "types/value_type.h"

namespace mayfly::server {
namespace {

// Rows one SCAN may visit, whatever its COUNT: the thread's other clients wait meanwhile.
constexpr std::int64_t kScanRowsMax = 100'000;

// Dead rows it skips before it returns its position.
constexpr std::uint64_t kScanDeadRowsMax = 1000;

bool Matches(Bytes pattern, Bytes key) { return pattern == "*" || GlobMatches(pattern, key); }

// The bytes that every match begins with.
Bytes PrefixOf(Bytes pattern) { return pattern.substr(0, pattern.find_first_of("*?[\\")); }

struct ScanOptions {
  Bytes pattern = "*";
  Bytes type;  // Empty: any.
  std::int64_t rows = 10;
};

Result<ScanOptions> ParseScanOptions(std::span<const Bytes> words) {
  ScanOptions options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return SyntaxError();
    if (IsWord(words[i], "count")) {
      MAYFLY_TRY(options.rows, IntegerArgument(words[i + 1]));
      if (options.rows < 1) return SyntaxError();
    } else if (IsWord(words[i], "match")) {
      options.pattern = words[i + 1];
    } else if (IsWord(words[i], "type")) {
      options.type = words[i + 1];
    } else {
      return SyntaxError();
    }
  }
  return options;
}

Result<bool> Wanted(const ScanOptions& options, const core::TransactionCursor& walk) {
  if (!Matches(options.pattern, walk.key())) return false;
  if (options.type.empty()) return true;
  MAYFLY_TRY(const types::ValueType type, types::TypeOf(walk.is_collection(), walk.value()));
  return IsWord(options.type, types::NameOf(type));
}

}  // namespace

Answer Keys(Call& call) {
  const Bytes pattern = call.args[1];
  MAYFLY_TRY(const auto walk, call.space().NewCursor({.prefix = PrefixOf(pattern)}));
  const auto keys = call.reply.BeginDeferred(Aggregate::kArray);
  std::size_t found = 0;
  for (walk->SeekToFirst(); walk->Valid(); walk->Next()) {
    if (!Matches(pattern, walk->key())) continue;
    call.reply.Bulk(walk->key());
    ++found;
  }
  MAYFLY_RETURN_IF_ERROR(walk->status());
  call.reply.EndDeferred(keys, found);
  return {};
}

// On a cluster the cursor of a shard is its position: what numbers mean is known to the server of
// the client alone, which may be another one.
Answer Scan(Call& call) {
  const bool by_place = call.host.on_cluster();
  MAYFLY_TRY(const ScanOptions options, ParseScanOptions(call.args.subspan(2)));
  ScanCursors::Place place;
  if (by_place) {
    MAYFLY_TRY(const auto key, PlaceOf(call.args[1]));
    place.key = key.value_or("");
  } else {
    MAYFLY_TRY(const std::uint64_t cursor, ScanCursorArgument(call.args[1]));
    place = call.host.scan_cursors().Find(call.database, cursor);
  }
  const std::uint64_t dead_max = std::max(kScanDeadRowsMax, place.rows_min);
  MAYFLY_TRY(const auto walk,
             call.space().NewCursor({.prefix = PrefixOf(options.pattern)}, dead_max));
  if (place.key.empty()) {
    walk->SeekToFirst();
  } else {
    walk->SeekAtOrAfter(place.key);
  }
  std::vector<std::string> keys;
  const std::uint64_t rows =
      std::max(static_cast<std::uint64_t>(std::min(options.rows, kScanRowsMax)), place.rows_min);
  for (std::uint64_t visited = 0; walk->Valid() && visited < rows; walk->Next(), ++visited) {
    MAYFLY_TRY(const bool wanted, Wanted(options, *walk));
    if (wanted) keys.emplace_back(walk->key());
  }
  MAYFLY_RETURN_IF_ERROR(walk->status());
  // Skipped dead rows count as visited: the next call begins behind them.
  const auto stopped_at = walk->stopped_at();
  const auto ended_at = walk->Valid() ? std::optional(walk->key()) : stopped_at;
  const std::uint64_t passed = rows + (stopped_at ? dead_max : 0);
  call.reply.Array(2);
  if (!ended_at) {
    call.reply.Bulk("0");
  } else if (by_place) {
    call.reply.Bulk(CursorText(*ended_at));
  } else {
    const std::uint64_t next =
        call.host.scan_cursors().Keep(call.database, place, passed, *ended_at);
    call.reply.Bulk(std::to_string(next));
  }
  call.reply.Array(keys.size());
  for (const std::string& key : keys) call.reply.Bulk(key);
  return {};
}

Answer RandomKey(Call& call) {
  MAYFLY_TRY(const auto key, DrawKey(call.space(), call.host.random(), call.host.real_clock()));
  if (key) {
    call.reply.Bulk(*key);
  } else {
    call.reply.Null();
  }
  return {};
}

}  // namespace mayfly::server
