// bench_command.cc - a self-test of a machine: work with deadlines, one request after the other.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/mayfly/cli/progress.h"
#include "apps/mayfly/live/live_commands.h"
#include "apps/mayfly/terminal/interrupt.h"
#include "apps/mayfly/terminal/units.h"
#include "base/random.h"
#include "base/temporary_directory.h"

namespace mayfly::app {
namespace {

constexpr std::size_t kBatch = 100;
constexpr std::string_view kPrefix = "mayfly-bench:";

struct BenchFlags {
  TargetFlags target;
  OutputFlags output;
  std::uint64_t rows = 10'000;
  std::size_t value_bytes = 100;
};

std::string KeyOf(std::uint64_t n) { return fmt::format("{}{:010}", kPrefix, n); }

// What one workload took: operations, and the time of each.
struct Measured {
  std::string name;
  std::string what;
  std::uint64_t operations = 0;
  double seconds = 0;
  std::vector<double> micros;  // Of each request.

  double Percentile(double share) {
    if (micros.empty()) return 0;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(micros.size() - 1));
    std::nth_element(micros.begin(), micros.begin() + static_cast<std::ptrdiff_t>(at),
                     micros.end());
    return micros[at];
  }
};

class Bench {
 public:
  Bench(Target& target, const BenchFlags& flags)
      : target_(target), flags_(flags), value_(flags.value_bytes, 'x') {}

  Status Run() {
    const std::uint64_t rows = flags_.rows;
    MAYFLY_RETURN_IF_ERROR(
        Each("put-ttl", "a row with a ttl of an hour", rows, [&](std::uint64_t n) {
          return target_.Put(KeyOf(n), value_, Lifetime::For(std::chrono::hours(1)));
        }));
    MAYFLY_RETURN_IF_ERROR(Each("get", "a living row, at random", rows, [&](std::uint64_t) {
      return target_.Get(KeyOf(random_.Below(rows))).status();
    }));
    MAYFLY_RETURN_IF_ERROR(
        Each("get-missing", "a key that is not there", rows, [&](std::uint64_t n) {
          const Status status = target_.Get(KeyOf(rows + n)).status();
          return status.IsNotFound() ? Status() : status;
        }));
    MAYFLY_RETURN_IF_ERROR(
        Each("slide", "a new ttl for a row, at random", rows, [&](std::uint64_t) {
          return target_.Expire(KeyOf(random_.Below(rows)), Lifetime::For(std::chrono::hours(2)));
        }));
    MAYFLY_RETURN_IF_ERROR(Batches());
    MAYFLY_RETURN_IF_ERROR(Each("forecast", "24 spans of an hour", 10, [&](std::uint64_t) {
      return target_.Forecast(std::chrono::hours(1), 24).status();
    }));
    MAYFLY_RETURN_IF_ERROR(Each("delete", "a row", rows, [&](std::uint64_t n) {
      return target_.Delete(KeyOf(n)).status();
    }));
    return {};
  }

  std::vector<Measured>& results() { return results_; }

 private:
  using Operation = std::function<Status(std::uint64_t)>;

  Status Each(const char* name, const char* what, std::uint64_t count, const Operation& operation,
              std::uint64_t operations_each = 1) {
    Measured measured;
    measured.name = name;
    measured.what = what;
    ProgressBar bar(name, ProgressBar::Unit::kRows);
    const Clock& clock = SystemClock::Process();
    const SteadyTime began = clock.Steady();
    SteadyTime last = began;
    for (std::uint64_t n = 0; n < count && bar.Report(n, count); ++n) {
      MAYFLY_RETURN_IF_ERROR(operation(n));
      const SteadyTime now = clock.Steady();
      measured.micros.push_back(std::chrono::duration<double, std::micro>(now - last).count());
      measured.operations += operations_each;
      last = now;
    }
    measured.seconds = std::chrono::duration<double>(last - began).count();
    results_.push_back(std::move(measured));
    return Interrupted() ? Status::Conflict("interrupted") : Status();
  }

  Status Batches() {
    const WallTime deadline = SystemClock::Process().Now() + std::chrono::hours(1);
    return Each(
        "put-batch", "100 rows with deadlines at once", flags_.rows / kBatch + 1,
        [&](std::uint64_t n) {
          std::vector<TargetRow> rows;
          for (std::uint64_t i = 0; i < kBatch; ++i) {
            rows.push_back({.key = KeyOf((n * kBatch + i) % flags_.rows),
                            .value = value_,
                            .deadline = deadline});
          }
          return target_.PutAll(rows);
        },
        kBatch);
  }

  Target& target_;
  const BenchFlags& flags_;
  const std::string value_;
  Random random_{1};
  std::vector<Measured> results_;
};

// Deletes the rows of a bench that did not come to its end.
Status RemoveRows(const TargetFlags& flags, std::unique_ptr<Target>& target) {
  constexpr std::uint64_t kPage = 10'000;
  const HeldInterrupt held;
  // A request may be under way on the connection.
  if (IsUrl(flags.target)) {
    MAYFLY_TRY(target, OpenTarget(flags, Access::kWrite));
  }
  std::vector<std::string> keys;
  do {
    keys.clear();
    MAYFLY_RETURN_IF_ERROR(
        target->Scan({.prefix = std::string(kPrefix), .rows_max = kPage, .with_values = false},
                     [&](const TargetRow& row) {
                       keys.push_back(row.key);
                       return true;
                     }));
    for (const std::string& key : keys) {
      if (Interrupted()) return Status::Conflict("interrupted");
      MAYFLY_RETURN_IF_ERROR(target->Delete(key).status());
    }
  } while (!keys.empty());
  return {};
}

Result<ExitCode> RunBench(const BenchFlags& flags) {
  Output output(flags.output);
  TargetFlags chosen = flags.target;
  std::optional<TemporaryDirectory> temporary;
  if (chosen.target.empty()) {
    temporary.emplace();
    chosen.target = temporary->Inside("bench");
    chosen.create = true;
  }
  MAYFLY_TRY(auto target, OpenTarget(chosen, Access::kWrite));
  MAYFLY_TRY(const std::uint64_t before, target->Count(kPrefix));
  if (before > 0) {
    return Status::Invalid(fmt::format("{} has rows of another bench, under {}; delete them first",
                                       target->name(), kPrefix));
  }
  Bench bench(*target, flags);
  const Status ran = bench.Run();
  if (!ran.ok()) {
    const std::string name = target->name();
    if (const Status removed = RemoveRows(chosen, target); !removed.ok()) {
      fmt::print(stderr, "mayfly: rows under {} are left in {}: {}. They die within two hours\n",
                 kPrefix, name, removed.message());
    }
    if (!Interrupted()) return ran;
  } else {
    target->Keep();
  }
  for (Measured& one : bench.results()) {
    const double rate = one.seconds > 0 ? static_cast<double>(one.operations) / one.seconds : 0;
    output.Row({{"workload", Cell::Text(one.name)},
                {"operations", Cell::Count(one.operations)},
                {"per_second", Cell::Real(rate)},
                {"p50_us", Cell::Real(one.Percentile(0.5))},
                {"p99_us", Cell::Real(one.Percentile(0.99))},
                {"what", Cell::Text(one.what)}});
  }
  output.End();
  output.Note(fmt::format(
      "Measured on {}: one client, one request after the other, values of {}, no fsync per write.\n"
      "Not measured: several clients, rows that do not fit into memory, a full disk.",
      IsUrl(chosen.target) ? target->name() : "the library in " + chosen.target,
      SizeToText(flags.value_bytes)));
  target.reset();  // Before its folder.
  return kExitDone;
}

}  // namespace

void AddBench(Commands& commands) {
  const auto flags = std::make_shared<BenchFlags>();
  CLI::App* const bench = commands.Add(
      commands.app(), "bench",
      "Measure this machine, or a server, with rows that have deadlines. Without TARGET, in a\n"
      "temporary folder. Its rows begin with mayfly-bench: and are deleted again.",
      {"mayfly bench", "mayfly bench --url redis://localhost --rows 100000",
       "mayfly bench data --value-bytes 1000 --json"},
      [=] { return RunBench(*flags); });
  AddTarget(*bench, flags->target);
  bench->get_option("TARGET")->required(false);
  bench->add_option("--rows", flags->rows, "How many (default: 10000).")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}));
  bench->add_option("--value-bytes", flags->value_bytes, "Of each value (default: 100).")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 20));
  AddKeyspace(*bench, flags->target);
  AddCreate(*bench, flags->target);
  AddOutput(*bench, flags->output);
}

}  // namespace mayfly::app
