#include "console/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <string_view>
#include <utility>

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

void AppendSkipped(std::string& out, std::uint64_t events) {
  AppendEvent(out, "skipped", fmt::format(R"({{"events":{}}})", events));
}

std::string JsonOf(const Reply& reply) {
  std::string json;
  AppendJson(reply, json);
  return json;
}

bool IsWanted(const Reply& event, const LiveFilter& filter) {
  return (filter.match.empty() || GlobMatches(filter.match, TextIn(event, "key"))) &&
         (filter.keyspace.empty() || TextIn(event, "keyspace") == filter.keyspace) &&
         (filter.cause.empty() || TextIn(event, "cause") == filter.cause);
}

// The newest events that a page wants, within both bounds.
class WantedEvents {
 public:
  explicit WantedEvents(const LiveFilter& filter) : filter_(filter) {}

  void Add(const Reply& event) {
    if (!IsWanted(event, filter_)) return;
    bytes_ += BytesOf(event);
    events_.push_back(event);
    while (events_.size() > kLiveEventsMax || (bytes_ > kLiveBytesMax && events_.size() > 1)) {
      bytes_ -= BytesOf(events_.front());
      events_.pop_front();
      ++left_out_;
    }
  }

  std::uint64_t left_out() const { return left_out_; }
  Reply Take() { return Reply::Array(Reply::Items(events_.begin(), events_.end())); }

 private:
  static std::size_t BytesOf(const Reply& event) {
    return TextIn(event, "key").size() + TextIn(event, "value").size();
  }

  const LiveFilter& filter_;
  std::deque<Reply> events_;
  std::size_t bytes_ = 0;
  std::uint64_t left_out_ = 0;
};

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
  const auto cause = FromHex(QueryPart(request.query, "cause"));
  if (!match || !keyspace || !cause) {
    return Status::Invalid("match, keyspace and cause are in hexadecimal digits");
  }
  return std::optional(LiveFilter{.after = ToNumber(request.Header("last-event-id")),
                                  .match = *match,
                                  .keyspace = *keyspace,
                                  .cause = *cause});
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
  const std::uint64_t looked_max = kLiveEventsMax * (filter.empty() ? 1 : kLiveBatchesMax);
  if (last > looked_max) first = std::max<std::uint64_t>(first, last - looked_max + 1);
  const std::uint64_t newest = std::max<std::uint64_t>(first, 1) - 1;
  std::uint64_t after = std::min(filter.after.value_or(newest), last);
  std::uint64_t skipped = 0;
  if (after < last && newest > after) skipped = newest - std::exchange(after, newest);
  WantedEvents wanted(filter);
  std::size_t batch = 0;
  do {
    auto events = ReadEvents(runner, caller, after);
    // The answer has what was found so far, and the next one goes on behind it.
    if (batch > 0 && (!events || events->is_error())) break;
    MAYFLY_RETURN_IF_ERROR(events.status());
    if (events->is_error()) {
      AppendEvent(text, "refused", JsonOf(*events));
      if (events->text().starts_with(kForbidden)) return text;
      // Trimmed meanwhile, or one is too large for a reply: the page goes on behind it.
      AppendSkipped(text, skipped + 1);
      AppendId(text, after + 1);
      return text;
    }
    for (const Reply& event : events->items()) {
      after = std::max(after, NumberIn(event, "sequence"));
      wanted.Add(event);
    }
    if (events->items().empty()) break;
  } while (++batch < kLiveBatchesMax && !filter.empty() && after < last);
  skipped += wanted.left_out();
  if (skipped > 0) AppendSkipped(text, skipped);
  AppendId(text, after);
  AppendEvent(text, "expiry", JsonOf(wanted.Take()));
  return text;
}

}  // namespace mayfly::console
