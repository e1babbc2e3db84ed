#include "apps/mayfly/terminal/units.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "base/text.h"

namespace mayfly::app {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t ms;
};
// clang-format off
constexpr std::array kUnitsRead = {
    Unit{"ms",  1},
    Unit{"s",   1'000},
    Unit{"m",   60'000},
    Unit{"min", 60'000},
    Unit{"h",   3'600'000},
    Unit{"d",   86'400'000},
    Unit{"w",   604'800'000},
};
constexpr std::array kUnitsWritten = {
    Unit{"d",   86'400'000},
    Unit{"h",   3'600'000},
    Unit{"min", 60'000},
    Unit{"s",   1'000},
    Unit{"ms",  1},
};
// clang-format on

Status NoDuration(std::string_view text) {
  return Status::Invalid(
      fmt::format("'{}' is no length of time; write one with its unit, such as 250ms, 30s, 5m, "
                  "1h30m or 7d",
                  text));
}

std::string_view TakeWhile(std::string_view& text, bool (*test)(char)) {
  std::size_t end = 0;
  while (end < text.size() && test(text[end])) ++end;
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end);
  return taken;
}

template <typename Number>
std::optional<Number> ParseNumber(std::string_view digits) {
  Number number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

Status NoInstant(std::string_view text) {
  return Status::Invalid(
      fmt::format("'{}' is no instant; write one such as 2030-01-01, 2030-01-01T12:00:00Z or "
                  "@1893456000",
                  text));
}

// "+02:00", "Z" or nothing, in minutes.
std::optional<int> ParseOffset(std::string_view text) {
  if (text.empty() || text == "Z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const auto hours = ParseNumber<int>(text.substr(1, 2));
  const auto minutes = ParseNumber<int>(text.substr(4, 2));
  if (!hours || !minutes || *hours > 14 || *minutes > 59) return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (*hours * 60 + *minutes);
}

// The time of day, from "12:00:00.250"; seconds and thousandths may be missing.
std::optional<Millis> ParseClockTime(std::string_view text) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  int used = 0;
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "%2d:%2d%n", &hour, &minute, &used) < 2) return std::nullopt;
  std::string_view rest = text.substr(static_cast<std::size_t>(used));
  Millis millis(0);
  if (!rest.empty()) {
    if (std::sscanf(std::string(rest).c_str(), ":%2d%n", &second, &used) < 1) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(used));
    if (!rest.empty()) {
      const auto thousandths = ParseNumber<int>(rest.substr(1));
      if (rest[0] != '.' || rest.size() != 4 || !thousandths) return std::nullopt;
      millis = Millis(*thousandths);
    }
  }
  if (hour > 23 || minute > 59 || second > 59 || hour < 0 || minute < 0 || second < 0) {
    return std::nullopt;
  }
  return std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second) +
         millis;
}

}  // namespace

Result<Millis> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  std::int64_t sum = 0;
  do {
    const auto number =
        ParseNumber<std::int64_t>(TakeWhile(rest, [](char c) { return IsDigit(c); }));
    const std::string_view name = TakeWhile(rest, [](char c) { return IsLetter(c); });
    const Unit* found = nullptr;
    for (const Unit& unit : kUnitsRead) {
      if (unit.name == name) found = &unit;
    }
    std::int64_t part = 0;
    if (!number || found == nullptr || __builtin_mul_overflow(*number, found->ms, &part) ||
        __builtin_add_overflow(sum, part, &sum)) {
      return NoDuration(text);
    }
    TakeWhile(rest, [](char c) { return c == ' '; });
  } while (!rest.empty());
  return Millis(sum);
}

Result<WallTime> ParseInstant(std::string_view text) {
  if (text.starts_with("@")) {
    const auto seconds = ParseNumber<std::int64_t>(text.substr(1));
    std::int64_t ms = 0;
    if (!seconds || __builtin_mul_overflow(*seconds, std::int64_t{1000}, &ms)) {
      return NoInstant(text);
    }
    return WallTimeFromMs(ms);
  }
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int used = 0;
  if (std::sscanf(std::string(text).c_str(), "%4d-%2u-%2u%n", &year, &month, &day, &used) < 3) {
    return NoInstant(text);
  }
  const auto date = std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
  if (!date.ok()) return NoInstant(text);
  const Millis midnight = std::chrono::sys_days(date).time_since_epoch();
  std::string_view rest = text.substr(static_cast<std::size_t>(used));
  if (rest.empty()) return WallTime(midnight);
  if (rest[0] != 'T' && rest[0] != ' ') return NoInstant(text);
  rest.remove_prefix(1);
  const std::size_t end = std::min(rest.find_first_of("Z+-"), rest.size());
  const auto time = ParseClockTime(rest.substr(0, end));
  const auto offset = ParseOffset(rest.substr(end));
  if (!time || !offset) return NoInstant(text);
  return WallTime(midnight + *time - std::chrono::minutes(*offset));
}

std::string ToText(Millis length, int units_max) {
  std::string text;
  std::int64_t rest = length.count();
  int units = 0;
  for (const Unit& unit : kUnitsWritten) {
    if (rest < unit.ms || units == units_max) continue;
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", rest / unit.ms, unit.name);
    rest %= unit.ms;
    ++units;
  }
  return text.empty() ? "0ms" : text;
}

std::string ToText(WallTime time) {
  constexpr std::int64_t kYear9999Ms = 253'370'764'800'000;
  const std::int64_t ms = ToMs(time);
  if (ms <= 0) return "unknown";
  if (ms >= kYear9999Ms) return "after the year 9999";
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

std::string ToText(const std::optional<WallTime>& time) { return time ? ToText(*time) : "-"; }

std::string SizeToText(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto size = static_cast<double>(bytes);
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string Counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace mayfly::app
