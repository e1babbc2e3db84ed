// expiry_bench - space and latency while rows die.
//   expiry_bench [a|b|c|d|e ...] [--out DIR] [--scale X] [--quick] ...
// Each scenario prints its results beside their bars and writes its time series to DIR. Exits with
// 1 when a bar is missed. Time is real: the database's clock is the machine's.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "expiry_scenario.h"
#include "must.h"

namespace mayfly::bench {
namespace {

struct Scenario {
  std::string_view letter;
  std::string_view title;
  void (*run)(const ScenarioContext&);
};

// clang-format off
constexpr Scenario kScenarios[] = {
    {"a", "steady: rows come and die at the same rate",          RunSteady},
    {"b", "idle: everything dies at once, and nobody writes",    RunIdle},
    {"c", "burst: a million rows die in one second, under load", RunBurst},
    {"d", "scan: a range in which a million rows have died",     RunScan},
    {"e", "purge: how fast the reaper removes a million rows",   RunPurge},
};
// clang-format on

template <typename Number>
Number NumberIn(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  Must(error == std::errc() && end == text.data() + text.size() && number > 0,
       fmt::format("'{}' is not a positive number", text));
  return number;
}

struct Arguments {
  ExpirySettings settings;
  std::vector<const Scenario*> chosen;
};

Arguments Parse(const std::vector<std::string_view>& words) {
  Arguments arguments;
  ExpirySettings& settings = arguments.settings;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const auto value = [&] {
      Must(i + 1 < words.size(), fmt::format("{} needs a value", word));
      return words[++i];
    };
    const auto scenario =
        std::ranges::find_if(kScenarios, [&](const Scenario& one) { return one.letter == word; });
    if (scenario != std::end(kScenarios)) {
      arguments.chosen.push_back(scenario);
    } else if (word == "--out") {
      settings.out = value();
    } else if (word == "--scale") {
      settings.scale = NumberIn<double>(value());
    } else if (word == "--quick") {
      settings.quick = true;
    } else if (word == "--rounds") {
      settings.rounds = NumberIn<std::size_t>(value());
    } else if (word == "--engine") {
      settings.engine = value();
      Must(settings.engine == "memory" || settings.engine == "memory-first" ||
               settings.engine == "rocks",
           fmt::format("there is no engine '{}'; memory, memory-first or rocks", settings.engine));
    } else if (word == "--work-percent") {
      settings.reaper.work_percent = NumberIn<std::uint32_t>(value());
    } else if (word == "--step-rows") {
      settings.reaper.step_rows_max = NumberIn<std::uint64_t>(value());
    } else {
      GiveUp(fmt::format("'{}' is neither a scenario nor a flag; bench/README.md", word));
    }
  }
  if (arguments.chosen.empty()) {
    for (const Scenario& scenario : kScenarios) arguments.chosen.push_back(&scenario);
  }
  return arguments;
}

int Run(const Arguments& arguments) {
  std::filesystem::create_directories(arguments.settings.out);
  Verdicts verdicts;
  const bool on_rocks = arguments.settings.OnDisk() == StorageEngine::kRocks;
  fmt::print("on disk: {}\n", on_rocks ? "rocks" : "memory-first");
  for (const Scenario* scenario : arguments.chosen) {
    fmt::print("{}. {}\n", scenario->letter, scenario->title);
    const Stopwatch watch;
    scenario->run({arguments.settings, verdicts});
    fmt::print("  ({:.0f} s)\n\n", watch.Seconds());
    std::fflush(stdout);
  }
  return verdicts.missed() ? 1 : 0;
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) {
  return mayfly::bench::Run(mayfly::bench::Parse({argv + 1, argv + argc}));
}
