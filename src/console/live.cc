#include "console/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/glob.h"
#include "base/text.h"
#include "console/limits.h"
#include "console/reply_json.h"

namespace mayfly::console {
namespace {

constexpr std::string_view kForbidden = "NOPERM";

const std::vector<Arguments>& FigureCommands() {
  static const std::vector<Arguments> kFigureCommands = {
      {"TTL.STATS"},
      {"INFO", "server", "clients", "memory", "stats", "commandstats", "latencystats"},
      {"LATENCY", "HISTOGRAM"},
  };
  return kFigureCommands;
}

// The value of a map's field; null: there is none.
const Reply* FieldIn(const Reply& map, std::string_view name) {
  if (map.kind != Reply::Kind::kMap) return nullptr;
  const Reply::Items& items = map.items();
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].kind == Reply::Kind::kBulk && items[i].text() == name) return &items[i + 1];
  }
  return nullptr;
}

std::uint64_t NumberIn(const Reply& map, std::string_view name) {
  const Reply* const field = FieldIn(map, name);
  if (field == nullptr || field->kind != Reply::Kind::kInteger) return 0;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(field->integer(), 0));
}

Bytes TextIn(const Reply& map, std::string_view name) {
  const Reply* const field = FieldIn(map, name);
  return field != nullptr && field->kind == Reply::Kind::kBulk ? Bytes(field->text()) : Bytes();
}

std::optional<std::uint64_t> ToNumber(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Empty when the query has none of this name.
std::string_view QueryPart(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(one.size() + 1, query.size()));
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) {
      return one.substr(name.size() + 1);
    }
  }
  return {};
}

// How soon the browser asks again.
std::string Begin() { return fmt::format("retry: {}\n\n", kLiveEvery.count()); }

// JSON has no bare line feed, so its text is one line.
void AppendEvent(std::string& out, std::string_view name, std::string_view json) {
  out += fmt::format("event: {}\ndata: {}\n\n", name, json);
}

void AppendId(std::string& out, std::uint64_t sequence) {
  out += fmt::format("id: {}\n", sequence);
}

std::string JsonOf(const Reply& reply) {
  std::string json;
  AppendJson(reply, json);
  return json;
}

bool IsWanted(const Reply& event, const LiveFilter& filter) {
  return (filter.match.empty() || GlobMatches(filter.match, TextIn(event, "key"))) &&
         (filter.keyspace.empty() || TextIn(event, "keyspace") == filter.keyspace);
}

Result<Reply> RunOne(CommandRunner& runner, const Caller& caller, Arguments command) {
  const std::vector<Arguments> commands = {std::move(command)};
  MAYFLY_TRY(auto replies, runner.Run(caller, commands));
  return std::move(replies.front());
}

// Fewer at once when the old values of many are too large for a reply.
Result<Reply> ReadEvents(CommandRunner& runner, const Caller& caller, std::uint64_t after) {
  Reply events;
  for (const std::size_t count : {kLiveEventsMax, kLiveEventsLarge, std::size_t{1}}) {
    MAYFLY_TRY(events, RunOne(runner, caller,
                              {"TTL.EVENTS", "AFTER", std::to_string(after), "COUNT",
                               std::to_string(count)}));
    if (!events.is_error() || events.text().starts_with(kForbidden)) break;
  }
  return events;
}

}  // namespace

Result<std::optional<LiveFilter>> LiveFilterOf(const http::Request& request) {
  if (QueryPart(request.query, "expiry").empty()) return std::optional<LiveFilter>();
  const auto match = FromHex(QueryPart(request.query, "match"));
  const auto keyspace = FromHex(QueryPart(request.query, "keyspace"));
  if (!match || !keyspace) return Status::Invalid("match and keyspace are in hexadecimal digits");
  return std::optional(LiveFilter{
      .after = ToNumber(request.Header("last-event-id")), .match = *match, .keyspace = *keyspace});
}

Result<std::string> LiveFigures(CommandRunner& runner, const Caller& caller) {
  MAYFLY_TRY(auto replies, runner.Run(caller, FigureCommands()));
  std::string text = Begin();
  AppendEvent(text, "figures", JsonOf(Reply::Array(std::move(replies))));
  return text;
}

Result<std::string> LiveExpiry(CommandRunner& runner, const Caller& caller,
                               const LiveFilter& filter) {
  std::string text = Begin();
  MAYFLY_TRY(const Reply stats, RunOne(runner, caller, {"TTL.STATS"}));
  if (stats.is_error()) {
    AppendEvent(text, "refused", JsonOf(stats));
    return text;
  }
  const std::uint64_t last = NumberIn(stats, "events-last");
  std::uint64_t first = NumberIn(stats, "events-first");
  if (last > kLiveEventsMax) first = std::max<std::uint64_t>(first, last - kLiveEventsMax + 1);
  const std::uint64_t newest = std::max<std::uint64_t>(first, 1) - 1;
  std::uint64_t after = std::min(filter.after.value_or(newest), last);
  if (after < last && newest > after) {
    AppendEvent(text, "skipped", fmt::format(R"({{"from":{},"to":{}}})", after + 1, newest));
    after = newest;
  }
  MAYFLY_TRY(const Reply events, ReadEvents(runner, caller, after));
  if (events.is_error()) {
    AppendEvent(text, "refused", JsonOf(events));
    if (events.text().starts_with(kForbidden)) return text;
    // Trimmed meanwhile, or one is too large for a reply: the page goes on behind it.
    AppendEvent(text, "skipped", fmt::format(R"({{"from":{0},"to":{0}}})", after + 1));
    AppendId(text, after + 1);
    return text;
  }
  Reply::Items wanted;
  for (const Reply& event : events.items()) {
    after = std::max(after, NumberIn(event, "sequence"));
    if (IsWanted(event, filter)) wanted.push_back(event);
  }
  AppendId(text, after);
  AppendEvent(text, "expiry", JsonOf(Reply::Array(std::move(wanted))));
  return text;
}

}  // namespace mayfly::console
