// Measures how fast a reaper removes rows that die in one instant, and what that costs: in memory, and
// on disk with both engines, without events and with events that are kept. Nothing else uses the
// database.
#include <fmt/format.h>
#include <sys/resource.h>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "expiry_scenario.h"
#include "must.h"
#include "time_series.h"

namespace mayfly::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kSizes[] = {100'000, 1'000'000};
constexpr std::size_t kValueBytes = 100;

// Seconds of a million rows whose engine keeps them in memory.
constexpr double kGoneSecondsMax = 3;
constexpr double kGoneWithEventsSecondsMax = 5;

struct PurgedEngine {
  std::string_view name;
  bool on_disk;
  StorageEngine storage;
};

// clang-format off
constexpr PurgedEngine kEngines[] = {
    {"memory",       false, StorageEngine::kAsFound},
    {"memory-first", true,  StorageEngine::kMemoryFirst},
    {"rocks",        true,  StorageEngine::kRocks},
};
// clang-format on

// Of the whole process: what the engine does in the background counts.
double CpuSeconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class PurgeSpeed {
 public:
  explicit PurgeSpeed(const ScenarioContext& context)
      : context_(context),
        series_(context.settings.out, "purge", "engine,rows,events,seconds,cpu_seconds") {}

  void Run() {
    for (const PurgedEngine& engine : kEngines) {
      if (!context_.settings.engine.empty() && context_.settings.engine != engine.name) continue;
      for (const std::size_t rows : kSizes) {
        for (const bool events : {false, true}) Measure(engine, rows, events);
      }
    }
  }

 private:
  void Measure(const PurgedEngine& engine, std::size_t full_rows, bool events) {
    const std::size_t rows = context_.settings.Rows(full_rows);
    const TemporaryDirectory directory;
    MovedClock clock;
    const auto database =
        Must(Database::Open({.directory = engine.on_disk ? directory.Inside("db") : "",
                             .engine = engine.storage,
                             .clock = &clock.clock()}));
    Keyspace& keyspace = database->default_keyspace();
    if (events) Must(keyspace.SetPolicy({.events = EventDetail::kKey}));
    const WallTime deadline = clock.Now() + 1h;
    Random random(7);
    for (std::size_t i = 0; i < rows; ++i) {
      Must(keyspace.Put(random.Bytes(kExpiryKeyBytes), random.Bytes(kValueBytes),
                        Lifetime::Until(deadline)));
    }
    if (engine.on_disk) AwaitStillDisk(directory.path());
    ReaperOptions options = context_.settings.reaper;
    options.reclaim = false;  // Idle means that all are purged.
    const auto reaper = Must(database->StartReaper(options));
    reaper->AwaitIdle();

    const double cpu_before = CpuSeconds();
    const Stopwatch watch;
    clock.MoveTo(deadline);
    reaper->AwaitIdle();
    const double seconds = watch.Seconds();
    const double cpu_seconds = CpuSeconds() - cpu_before;
    Must(Must(database->GetStatistics()).purged_rows == rows, "rows that died were not purged");

    series_.Add(engine.name, rows, events ? 1 : 0, seconds, cpu_seconds);
    const std::string what =
        fmt::format("{}, {} rows{}: {:.0f} per CPU second, seconds", engine.name, rows,
                    events ? " with events" : "", static_cast<double>(rows) / cpu_seconds);
    if (engine.storage != StorageEngine::kRocks && full_rows == kSizes[1]) {
      context_.verdicts.AtMost(what, seconds, events ? kGoneWithEventsSecondsMax : kGoneSecondsMax);
    } else {
      fmt::print("  {:<58} {:7.3f}\n", what, seconds);
    }
    std::fflush(stdout);
  }

  const ScenarioContext& context_;
  TimeSeries series_;
};

}  // namespace

void RunPurge(const ScenarioContext& context) { PurgeSpeed(context).Run(); }

}  // namespace mayfly::bench
