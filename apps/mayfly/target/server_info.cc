#include "apps/mayfly/target/server_info.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

namespace mayfly::app {
namespace {

// The number behind `name=` in "calls=1,usec=378,...".
double Part(std::string_view fields, std::string_view name) {
  std::size_t at = 0;
  while (at < fields.size()) {
    const std::size_t end = std::min(fields.find(',', at), fields.size());
    const std::string_view field = fields.substr(at, end - at);
    if (field.starts_with(name) && field.size() > name.size() && field[name.size()] == '=') {
      double number = 0;
      const char* const begin = field.data() + name.size() + 1;
      std::from_chars(begin, field.data() + field.size(), number);
      return number;
    }
    at = end + 1;
  }
  return 0;
}

std::uint64_t Whole(std::string_view digits) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

void ReadInfo(const Reply& info, Activity& activity) {
  constexpr std::string_view kCalls = "cmdstat_";
  constexpr std::string_view kTimes = "latency_percentiles_usec_";
  // RESP3 sends verbatim text, with "txt:" in front, which is no line of its own.
  const std::string& text = info.text();
  std::map<std::string, CommandFigures, std::less<>> commands;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("\r\n", at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 2;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = line.substr(colon + 1);
    if (name == "connected_clients") activity.clients = Whole(value);
    if (name == "total_commands_processed") activity.commands_total = Whole(value);
    if (name.starts_with(kCalls)) {
      commands[std::string(name.substr(kCalls.size()))].calls =
          static_cast<std::uint64_t>(Part(value, "calls"));
    }
    if (name.starts_with(kTimes)) {
      CommandFigures& one = commands[std::string(name.substr(kTimes.size()))];
      one.p50_us = Part(value, "p50");
      one.p99_us = Part(value, "p99");
    }
  }
  for (auto& [name, figures] : commands) {
    figures.name = name;
    activity.commands.push_back(figures);
  }
  std::stable_sort(activity.commands.begin(), activity.commands.end(),
                   [](const auto& a, const auto& b) { return a.calls > b.calls; });
}

}  // namespace mayfly::app
