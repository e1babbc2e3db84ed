// Measures the latency of reads and writes while a million other rows die in the same second.
// The database is made once. Each run opens a copy; in every other run the clock is moved to just
// before the rows' deadline, in the others they live on. Runs come in pairs whose order alternates,
// so that a machine that gets slower or faster favours neither. Percentiles are of one run; two
// consecutive runs give a ratio, and the median of the ratios is the result.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "comparison.h"
#include "expiry_scenario.h"
#include "must.h"
#include "paced_load.h"
#include "time_series.h"
#include "watched_database.h"

namespace mayfly::bench {
namespace {

using namespace std::chrono_literals;

constexpr double kRiseMax = 1.25;  // Of p99, with the dying over without.

constexpr std::size_t kDyingRows = 1'000'000;
constexpr std::size_t kLivingRows = 200'000;  // Rows that are read and written.
constexpr std::size_t kValueBytes = 100;
constexpr double kGetsPerSecond = 5000;
constexpr double kPutsPerSecond = 5000;

constexpr auto kUntilDeadline = 1h;       // From the load on; runs move the clock there.
constexpr double kLeadSeconds = 3;        // Of load before the deadline, to warm up.
constexpr double kDyingSecondsMax = 180;  // A run ends here even if there is a backlog left.
constexpr double kAfterSeconds = 3;  // Of load after the last purge, while files are reclaimed.

class Rows {
 public:
  Rows(std::size_t living, std::size_t dying)
      : living_(living),
        dying_(dying),
        keys_(Random(1).Bytes((living + dying) * kExpiryKeyBytes)) {}

  std::size_t living() const { return living_; }
  std::size_t dying() const { return dying_; }
  Bytes key(std::size_t i) const {
    return Bytes(keys_).substr(i * kExpiryKeyBytes, kExpiryKeyBytes);
  }
  // Living ones come first; a stride visits them in an order that is not that of the load.
  Bytes living_key(std::size_t i) const { return key(i * 7919 % living_); }
  Bytes value(std::size_t i) const {
    return Bytes(keys_).substr(i * 61 % (keys_.size() - kValueBytes), kValueBytes);
  }

 private:
  const std::size_t living_;
  const std::size_t dying_;
  const std::string keys_;
};

// The results of one run. Microseconds and seconds.
struct Latencies {
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
};
struct Outcome {
  Latencies get;
  Latencies put;
  double dying_seconds = 0;  // From the deadline to the last purge.
  std::uint64_t purged = 0;
  std::uint64_t late = 0;
  std::uint64_t operations = 0;
};

class Burst {
 public:
  explicit Burst(const ScenarioContext& context)
      : context_(context),
        rows_(context.settings.Rows(kLivingRows), context.settings.Rows(kDyingRows)),
        series_(context.settings.out, "burst",
                "run,dying,seconds,get_p50_us,get_p99_us,put_p50_us,put_p99_us,due_rows") {}

  void Run() {
    Load();
    const std::size_t rounds = context_.settings.quick ? 1 : context_.settings.rounds;
    double dying_seconds = 20;
    for (std::size_t round = 0; round < rounds; ++round) {
      for (const bool dying : {round % 2 == 0, round % 2 != 0}) {
        const Outcome outcome = RunOnce(2 * round + (dying ? 0 : 1), dying, dying_seconds);
        if (dying) dying_seconds = outcome.dying_seconds;
        (dying ? with_ : without_).push_back(outcome);
      }
    }
    Report();
  }

 private:
  void Load() {
    const Stopwatch watch;
    const auto database = Must(Database::Open({.directory = directory_.Inside("loaded"),
                                               .engine = context_.settings.OnDisk(),
                                               .clock = &clock_.clock()}));
    Keyspace& keyspace = database->default_keyspace();
    deadline_ = clock_.Now() + kUntilDeadline;
    for (std::size_t i = 0; i < rows_.living() + rows_.dying(); ++i) {
      const bool lives = i < rows_.living();
      Must(keyspace.Put(rows_.key(i), rows_.value(i),
                        lives ? Lifetime::For(24h) : Lifetime::Until(deadline_)));
    }
    AwaitStillDisk(directory_.path());
    Must(database->Close());
    fmt::print("  {} rows to die and {} to live, loaded in {:.0f} s\n", rows_.dying(),
               rows_.living(), watch.Seconds());
  }

  // Tables never change, so the copy shares them.
  std::string CopyFiles(std::size_t run) {
    const std::string path = directory_.Inside(fmt::format("run{}", run));
    const std::filesystem::path loaded = directory_.Inside("loaded");
    std::filesystem::create_directory(path);
    for (const auto& file : std::filesystem::recursive_directory_iterator(loaded)) {
      const auto to = path / std::filesystem::relative(file.path(), loaded);
      if (file.is_directory()) {
        std::filesystem::create_directory(to);
      } else if (file.path().extension() == ".sst") {
        std::filesystem::create_hard_link(file.path(), to);
      } else {
        std::filesystem::copy_file(file.path(), to);
      }
    }
    return path;
  }

  Outcome RunOnce(std::size_t run, bool dying, double dying_seconds) {
    const std::string path = CopyFiles(run);
    MovedClock clock;
    if (dying) clock.MoveTo(deadline_ - 5min);
    const WatchedDatabase database(
        {.directory = path, .engine = context_.settings.OnDisk(), .clock = &clock.clock()});
    Keyspace& keyspace = database->default_keyspace();
    Warm(keyspace);
    auto reaper = Must(database->StartReaper(context_.settings.reaper));
    if (dying) clock.MoveTo(deadline_ - Millis(static_cast<std::int64_t>(kLeadSeconds * 1000)));

    Outcome outcome;
    const SteadyTime start = SystemClock::Process().Steady();
    const Stopwatch watch;
    PinnedBytes value;
    PacedLoad gets(start, kGetsPerSecond,
                   [&](std::size_t i) { Must(keyspace.Get(rows_.living_key(i), value)); });
    PacedLoad puts(start, kPutsPerSecond, [&](std::size_t i) {
      Must(keyspace.Put(rows_.living_key(i + 13), rows_.value(i), Lifetime::For(24h)));
    });
    std::vector<std::uint64_t> due;
    const double end = AwaitEnd(database, watch, dying, dying_seconds, due);
    SleepSeconds(kAfterSeconds);
    gets.Stop();
    puts.Stop();
    reaper.reset();
    outcome.purged = Must(database->GetStatistics()).purged_rows;
    outcome.dying_seconds = end - kLeadSeconds;
    outcome.get = Of(gets, end);
    outcome.put = Of(puts, end);
    outcome.late = gets.late() + puts.late();
    outcome.operations = gets.timed().size() + puts.timed().size();
    Record(run, dying, watch.Seconds(), gets, puts, due);
    fmt::print(
        "    {}: get p50/p99/p99.9 {:.0f}/{:.0f}/{:.0f}, put {:.0f}/{:.0f}/{:.0f} us; {:.1f} s\n",
        dying ? "dying " : "living", outcome.get.p50, outcome.get.p99, outcome.get.p999,
        outcome.put.p50, outcome.put.p99, outcome.put.p999, outcome.dying_seconds);
    Must(database->Close());
    std::filesystem::remove_all(path);
    return outcome;
  }

  // So that both kinds of run begin with the same blocks in memory.
  void Warm(Keyspace& keyspace) const {
    PinnedBytes value;
    const std::size_t rows = rows_.living() + rows_.dying();
    for (std::size_t i = 0; i < rows; ++i) Must(keyspace.Get(rows_.key(i), value));
  }

  // Seconds since the start at which the last row was purged, or for the living would have been.
  double AwaitEnd(const WatchedDatabase& database, const Stopwatch& watch, bool dying,
                  double dying_seconds, std::vector<std::uint64_t>& due) const {
    if (!dying) {
      SleepSeconds(kLeadSeconds + dying_seconds - watch.Seconds());
      return kLeadSeconds + dying_seconds;
    }
    for (;;) {
      const auto second = static_cast<std::size_t>(watch.Seconds());
      const std::uint64_t left = database.StoredRows() - rows_.living();
      if (due.size() <= second) due.resize(second + 1, left);
      if (left == 0 || watch.Seconds() > kLeadSeconds + kDyingSecondsMax) return watch.Seconds();
      SleepSeconds(0.1);
    }
  }

  static Latencies Of(const PacedLoad& load, double end) {
    return {load.Percentile(kLeadSeconds, end, 0.5), load.Percentile(kLeadSeconds, end, 0.99),
            load.Percentile(kLeadSeconds, end, 0.999)};
  }

  void Record(std::size_t run, bool dying, double seconds, const PacedLoad& gets,
              const PacedLoad& puts, const std::vector<std::uint64_t>& due) {
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(seconds); ++i) {
      const auto from = static_cast<double>(i);
      series_.Add(run, dying ? 1 : 0, from - kLeadSeconds, gets.Percentile(from, from + 1, 0.5),
                  gets.Percentile(from, from + 1, 0.99), puts.Percentile(from, from + 1, 0.5),
                  puts.Percentile(from, from + 1, 0.99), i < due.size() ? due[i] : 0);
    }
  }

  static double Median(const std::vector<Outcome>& outcomes, double (*figure)(const Outcome&)) {
    std::vector<double> figures;
    for (const Outcome& outcome : outcomes) figures.push_back(figure(outcome));
    return Quantile(std::move(figures), 0.5);
  }

  // Of each pair of runs, in the order in which they were made.
  std::vector<double> Rises(double (*figure)(const Outcome&)) const {
    std::vector<double> rises;
    for (std::size_t i = 0; i < with_.size(); ++i) {
      rises.push_back(figure(with_[i]) / figure(without_[i]));
    }
    return rises;
  }

  void Report() {
    struct Line {
      const char* name;
      double (*figure)(const Outcome&);
      bool judged;
    };
    // clang-format off
    static constexpr Line kLines[] = {
        {"get p50",   [](const Outcome& one) { return one.get.p50; },  false},
        {"get p99",   [](const Outcome& one) { return one.get.p99; },  true},
        {"get p99.9", [](const Outcome& one) { return one.get.p999; }, false},
        {"put p50",   [](const Outcome& one) { return one.put.p50; },  false},
        {"put p99",   [](const Outcome& one) { return one.put.p99; },  true},
        {"put p99.9", [](const Outcome& one) { return one.put.p999; }, false},
    };
    // clang-format on
    for (const Line& line : kLines) {
      const std::string what =
          fmt::format("{}: {:.1f} us while they die, {:.1f} without", line.name,
                      Median(with_, line.figure), Median(without_, line.figure));
      const std::vector<double> rises = Rises(line.figure);
      const double rise = Quantile(rises, 0.5);
      if (line.judged) {
        context_.verdicts.AtMost(what, rise, kRiseMax);
        fmt::print("    pairs: {:.2f}\n", fmt::join(rises, " "));
      } else {
        fmt::print("  {:<58} {:7.3f}\n", what, rise);
      }
    }
    const double seconds = Median(with_, [](const Outcome& one) { return one.dying_seconds; });
    const double purged =
        Median(with_, [](const Outcome& one) { return static_cast<double>(one.purged); });
    fmt::print("  {:.0f} rows were purged in {:.1f} s, {:.0f} per second\n", purged, seconds,
               purged / seconds);
    const auto late = [](const Outcome& one) {
      return 100.0 * static_cast<double>(one.late) / static_cast<double>(one.operations);
    };
    fmt::print("  more than a millisecond late: {:.2f}% with, {:.2f}% without\n",
               Median(with_, late), Median(without_, late));
  }

  const ScenarioContext& context_;
  const Rows rows_;
  TimeSeries series_;
  const TemporaryDirectory directory_;
  MovedClock clock_;
  WallTime deadline_;
  std::vector<Outcome> with_;
  std::vector<Outcome> without_;
};

}  // namespace

void RunBurst(const ScenarioContext& context) { Burst(context).Run(); }

}  // namespace mayfly::bench
