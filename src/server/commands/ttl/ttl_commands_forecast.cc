// ttl_commands_forecast.cc - TTL.FORECAST: how many keys will die, and when, in bounded pages.
#include <algorithm>

#include "base/coding.h"
#include "mayfly/database.h"
#include "server/command/errors.h"
#include "server/commands/ttl/ttl_commands.h"
#include "server/commands/ttl/ttl_cursor.h"
#include "server/commands/ttl/ttl_fields.h"

namespace mayfly::server {
namespace {

// A position in a forecast: | begin of the first span u64 | deadline u64 | key |.
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
  MAYFLY_TRY(part.after, EntryAt(place));
  return {};
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
  MAYFLY_RETURN_IF_ERROR(ParseNumbers(words, options));
  ForecastPart part{.rows_max = static_cast<std::size_t>(count.value_or(kTtlPageMax))};
  if (from) part.begin = WallTimeFromMs(*from);
  if (place) MAYFLY_RETURN_IF_ERROR(GoOn(part, *place));
  ForecastOptions asked{.part = &part};
  asked.bucket = Millis(bucket.value_or(asked.bucket.count()));
  if (buckets) asked.buckets = static_cast<std::size_t>(*buckets);
  MAYFLY_TRY(const Keyspace* const keyspace, SelectedKeyspace(call));
  MAYFLY_TRY(auto forecast, keyspace->Forecast(asked));
  std::erase_if(forecast, [](const ForecastBucket& one) { return one.rows == 0; });
  call.reply.Array(2);
  call.reply.Bulk(part.after ? CursorText(PlaceIn(part)) : "0");
  call.reply.Array(forecast.size());
  for (const ForecastBucket& one : forecast) {
    call.reply.Map(4);
    Field(call.reply, "begin", one.begin);
    Field(call.reply, "end", one.end);
    Field(call.reply, "keys", one.rows);
    Field(call.reply, "bytes", one.bytes);
  }
  return {};
}

}  // namespace mayfly::server
