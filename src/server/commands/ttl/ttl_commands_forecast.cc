// ttl_commands_forecast.cc - TTL.FORECAST: how many keys will die, and when, in bounded pages.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/coding.h"
#include "mayfly/database.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/ttl/ttl_commands.h"
#include "server/commands/ttl/ttl_cursor.h"
#include "server/commands/ttl/ttl_fields.h"

namespace mayfly::server {
namespace {

// A position in a forecast: | begin of the first span u64 | deadline u64 | key |; at the beginning of
// a shard of a cluster the first field alone, so that the spans of all shards are the same.
std::string PlaceIn(const ForecastPart& part) {
  std::string place;
  AppendBigEndian64(place, static_cast<std::uint64_t>(ToMs(*part.begin)));
  return place.append(PlaceBehind(*part.after));
}

Status GoOn(ForecastPart& part, Bytes place) {
  std::uint64_t begin = 0;
  if (!EatBigEndian64(place, begin) || begin > static_cast<std::uint64_t>(kTtlNumberMax)) {
    return InvalidCursor();
  }
  part.begin = WallTimeFromMs(static_cast<std::int64_t>(begin));
  if (place.empty()) return {};
  MAYFLY_TRY(part.after, EntryAt(place));
  return {};
}

// Takes `KEYSPACE name` out of the words; empty: there is none.
Result<std::string> TakeKeyspace(std::vector<Bytes>& words) {
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (!IsWord(words[i], "keyspace")) continue;
    std::string name(words[i + 1]);
    if (name.empty()) return SyntaxError();
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
    words.erase(at, at + 2);
    return name;
  }
  return std::string();
}

// Takes `NOBYTES` out of the words, and returns whether it was there.
bool TakeNoBytes(std::vector<Bytes>& words) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (!IsWord(words[i], "nobytes")) continue;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

Result<std::vector<ForecastBucket>> Forecast(const Call& call, const std::string& name,
                                             const ForecastOptions& asked) {
  if (name.empty()) {
    MAYFLY_TRY(const Keyspace* const keyspace, SelectedKeyspace(call));
    return keyspace->Forecast(asked);
  }
  MAYFLY_TRY(Database* const database, WholeDatabase(call.host));
  MAYFLY_TRY(const std::shared_ptr<Keyspace> keyspace, database->OpenKeyspace(name));
  return keyspace->Forecast(asked);
}

}  // namespace

Answer TtlForecast(Call& call) {
  std::optional<std::int64_t> bucket;
  std::optional<std::int64_t> buckets;
  std::optional<std::int64_t> count;
  std::optional<std::int64_t> from;
  // clang-format off
  const NumberOption options[] = {
      {"from",    0, kTtlNumberMax, from},
      {"bucket",  1, kTtlNumberMax, bucket},
      {"buckets", 1, kTtlNumberMax, buckets},
      {"count",   1, kTtlPageMax,   count},
  };
  // clang-format on
  std::vector<Bytes> words(call.args.begin() + 1, call.args.end());
  MAYFLY_TRY(const auto place, TakeCursor(words));
  const bool no_bytes = TakeNoBytes(words);
  MAYFLY_TRY(const std::string name, TakeKeyspace(words));
  MAYFLY_RETURN_IF_ERROR(ParseNumbers(words, options));
  ForecastPart part{.rows_max = static_cast<std::size_t>(count.value_or(kTtlPageMax))};
  if (from) part.begin = WallTimeFromMs(*from);
  if (place) MAYFLY_RETURN_IF_ERROR(GoOn(part, *place));
  ForecastOptions asked{.with_bytes = !no_bytes, .part = &part};
  asked.bucket = Millis(bucket.value_or(asked.bucket.count()));
  if (buckets) asked.buckets = static_cast<std::size_t>(*buckets);
  MAYFLY_TRY(auto forecast, Forecast(call, name, asked));
  std::erase_if(forecast, [](const ForecastBucket& one) { return one.rows == 0; });
  call.reply.Array(2);
  call.reply.Bulk(part.after ? CursorText(PlaceIn(part)) : "0");
  call.reply.Array(forecast.size());
  for (const ForecastBucket& one : forecast) {
    call.reply.Map(no_bytes ? 3 : 4);
    Field(call.reply, "begin", one.begin);
    Field(call.reply, "end", one.end);
    Field(call.reply, "keys", one.rows);
    if (!no_bytes) Field(call.reply, "bytes", one.bytes);
  }
  return {};
}

}  // namespace mayfly::server
