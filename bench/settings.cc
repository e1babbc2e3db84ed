#include "settings.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "must.h"

namespace mayfly::bench {
namespace {

std::size_t NumberIn(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  Must(error == std::errc() && end == text.data() + text.size() && number > 0,
       fmt::format("'{}' is not a positive number", text));
  return number;
}

// True when the argument is ours.
bool Take(std::string_view argument, Settings& settings) {
  const auto value_of = [&](std::string_view flag) {
    return argument.starts_with(flag) ? argument.substr(flag.size()) : std::string_view();
  };
  if (argument == "--control") {
    settings.control = true;
  } else if (const auto rows = value_of("--rows="); !rows.empty()) {
    settings.rows = NumberIn(rows);
  } else if (const auto repetitions = value_of("--repetitions="); !repetitions.empty()) {
    settings.repetitions = NumberIn(repetitions);
  } else if (const auto rounds = value_of("--rounds="); !rounds.empty()) {
    settings.rounds = NumberIn(rounds);
  } else {
    return false;
  }
  return true;
}

}  // namespace

Settings TakeSettings(int& argc, char** argv) {
  Settings settings;
  if (const char* rows = std::getenv("MAYFLY_BENCH_ROWS")) settings.rows = NumberIn(rows);
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (!Take(argv[i], settings)) argv[kept++] = argv[i];
  }
  argc = kept;
  return settings;
}

}  // namespace mayfly::bench
