// forecast_command.cc - what will die, and when: as a histogram on a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "apps/mayfly/expiry/expiry_commands.h"
#include "apps/mayfly/terminal/units.h"

namespace mayfly::app {
namespace {

constexpr std::size_t kBarWidth = 40;

struct ForecastFlags {
  TargetFlags target;
  OutputFlags output;
  std::string bucket = "1h";
  std::size_t buckets = 24;
};

// Up to the last span in which something dies.
void Draw(const Output& output, const std::vector<ForecastBucket>& buckets, Millis length) {
  std::size_t used = 0;
  std::uint64_t most = 1;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i].rows > 0) used = i + 1;
    most = std::max(most, buckets[i].rows);
    rows += buckets[i].rows;
    bytes += buckets[i].bytes;
  }
  for (std::size_t i = 0; i < used; ++i) {
    const ForecastBucket& one = buckets[i];
    // What is not zero has a mark.
    const std::size_t width =
        one.rows == 0 ? 0 : std::max<std::size_t>(1, one.rows * kBarWidth / most);
    output.Note(fmt::format("in {:>9}  {}{:{}}  {:>9}  {:>10}",
                            ToText(length * static_cast<std::int64_t>(i), 2),
                            output.Bar(std::string(width, '#')), "", kBarWidth - width, one.rows,
                            SizeToText(one.bytes)));
  }
  output.Note(fmt::format("{}, {} in the next {}", Counted(rows, "row"), SizeToText(bytes),
                          ToText(length * static_cast<std::int64_t>(buckets.size()))));
}

Result<ExitCode> RunForecast(const ForecastFlags& flags) {
  Output output(flags.output);
  MAYFLY_TRY(const Millis length, ParseDuration(flags.bucket));
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kRead));
  MAYFLY_TRY(const auto buckets, target->Forecast(length, flags.buckets));
  if (output.human()) {
    Draw(output, buckets, length);
    return kExitDone;
  }
  for (const ForecastBucket& one : buckets) {
    output.Row({{"begin", Cell::Instant(one.begin)},
                {"end", Cell::Instant(one.end)},
                {"rows", Cell::Count(one.rows)},
                {"bytes", Cell::Size(one.bytes)}});
  }
  return kExitDone;
}

}  // namespace

void AddForecast(Commands& commands) {
  const auto flags = std::make_shared<ForecastFlags>();
  CLI::App* const forecast = commands.Add(
      commands.app(), "forecast", "Show how many rows and bytes will die, and when.",
      {"mayfly forecast data", "mayfly forecast --url redis://localhost --bucket 5m --buckets 12",
       "mayfly forecast data --bucket 1d --buckets 30 --json"},
      [=] { return RunForecast(*flags); });
  AddTarget(*forecast, flags->target);
  forecast->add_option("--bucket", flags->bucket, "The length of a span (default: 1h).")
      ->check(CheckDuration)
      ->type_name("LENGTH");
  forecast->add_option("--buckets", flags->buckets, "How many spans (default: 24).")
      ->check(CLI::Range(1, 10'000));
  AddKeyspace(*forecast, flags->target);
  AddOutput(*forecast, flags->output);
}

}  // namespace mayfly::app
