// hot_bounds_bench - the bounds of the memory-first engine: a database larger than memory, rows that
// die young, memory per key beside Redis, and opening after kill -9.
//   hot_bounds_bench [larger|short|promised|memory|kill ...] [--rows=N]
// Exits with 1 when a bar is missed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "hot_bounds.h"
#include "must.h"
#include "settings.h"

namespace mayfly::bench {
namespace {

struct Scenario {
  std::string_view name;
  std::string_view title;
  void (*run)(const BoundsContext&);
};

// clang-format off
constexpr Scenario kBoundsScenarios[] = {
    {"larger",   "a database of ten times the budget of memory",     RunLarger},
    {"short",    "rows that live for a second, at full speed",       RunShortLived},
    {"promised", "the same with a promise to purge within 10 s",     RunPromised},
    {"memory",   "bytes of memory per key, beside Redis",            RunMemoryPerKey},
    {"kill",     "the first answer after kill -9",                   RunKill},
};
// clang-format on

int Run(std::size_t rows, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    Must(std::ranges::find(kBoundsScenarios, name, &Scenario::name) != std::end(kBoundsScenarios),
         fmt::format("there is no scenario '{}'; bench/README.md lists them", name));
  }
  Verdicts verdicts;
  for (const Scenario& one : kBoundsScenarios) {
    if (!names.empty() && std::ranges::find(names, one.name) == names.end()) continue;
    fmt::print("{}: {}\n", one.name, one.title);
    std::fflush(stdout);
    one.run({.rows = rows, .verdicts = verdicts});
    std::fflush(stdout);
  }
  return verdicts.missed() ? 1 : 0;
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) {
  const mayfly::bench::Settings settings = mayfly::bench::TakeSettings(argc, argv);
  return mayfly::bench::Run(settings.rows, {argv + 1, argv + argc});
}
