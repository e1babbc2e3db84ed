// engine_overhead - what our engine adds to RocksDB, as a ratio, and whether that is too much.
// One database is loaded, compacted and copied; our engine opens one copy and raw RocksDB another,
// so both read the same files and are given the same writes. Where memory happens to lie makes two
// equal databases differ by some per cent, so this is repeated over several rounds with fresh
// copies, opened in turns. How time is measured: comparison.h. Exits with 1 when a bar is exceeded.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "base/temporary_directory.h"
#include "comparison.h"
#include "dataset.h"
#include "engine_store.h"
#include "load.h"
#include "must.h"
#include "raw_rocks.h"
#include "settings.h"

namespace mayfly::bench {
namespace {

constexpr double kGetRatioMax = 1.05;
constexpr double kBatchRatioMax = 1.03;
constexpr double kNoBar = std::numeric_limits<double>::infinity();

// Operations per turn: a turn lasts a millisecond or two, far above the clock's own cost and far
// below the time in which a machine's speed changes.
constexpr std::size_t kGetsPerTurn = 500;
constexpr std::size_t kMissesPerTurn = 2000;
constexpr std::size_t kScanRowsPerTurn = 5000;
constexpr std::size_t kBatchesPerTurn = 5;
constexpr std::size_t kPutsPerTurn = 300;

struct Comparisons {
  Comparison get_hit;
  Comparison get_miss;
  Comparison scan_forward;
  Comparison scan_reverse;
  Comparison batch;
  Comparison put;
};

// Compares A with raw RocksDB, in one round.
template <typename A>
class Round {
 public:
  Round(std::size_t repetitions, const Dataset& data, A& a, RawRocks& raw)
      : repetitions_(repetitions), data_(data), a_(a), raw_(raw) {}

  // Reads come first, while both copies are as they were loaded.
  void Run(Comparisons& comparisons) {
    GetHit(comparisons.get_hit);
    GetMiss(comparisons.get_miss);
    Scan(comparisons.scan_forward, Direction::kForward);
    Scan(comparisons.scan_reverse, Direction::kReverse);
    Batch(comparisons.batch);
    Put(comparisons.put);
  }

 private:
  // Compares work(store, session, first) on both stores.
  template <typename Work>
  void Both(Comparison& comparison, std::size_t count, Work work) {
    typename A::Session a_session;
    RawRocks::Session raw_session;
    comparison.Add(
        repetitions_, count, [&](std::size_t first) { work(a_, a_session, first); },
        [&](std::size_t first) { work(raw_, raw_session, first); });
  }

  void GetHit(Comparison& comparison) {
    Both(comparison, kGetsPerTurn, [this](const auto& store, auto& session, std::size_t first) {
      for (std::size_t i = first; i < first + kGetsPerTurn; ++i) {
        Must(store.Get(session, data_.key(i)), "a lost row");
      }
    });
  }

  void GetMiss(Comparison& comparison) {
    Both(comparison, kMissesPerTurn, [this](const auto& store, auto& session, std::size_t first) {
      for (std::size_t i = first; i < first + kMissesPerTurn; ++i) {
        Must(!store.Get(session, data_.missing_key(i)), "a row nobody wrote");
      }
    });
  }

  void Scan(Comparison& comparison, Direction direction) {
    Both(comparison, kScanRowsPerTurn, [=, this](const auto& store, auto&, std::size_t first) {
      const std::size_t bytes = store.Scan(data_.key(first), kScanRowsPerTurn, direction);
      Must(bytes == kScanRowsPerTurn * (Dataset::kKeyBytes + Dataset::kValueBytes), "a lost row");
    });
  }

  void Batch(Comparison& comparison) {
    constexpr std::size_t kRowsPerTurn = kBatchesPerTurn * kBatchRows;
    Both(comparison, kRowsPerTurn, [this](auto& store, auto& session, std::size_t first) {
      for (std::size_t i = first; i < first + kRowsPerTurn; i += kBatchRows) {
        store.PutMany(session, data_, i, kBatchRows, 1, Durability::kProcess);
      }
    });
  }

  void Put(Comparison& comparison) {
    Both(comparison, kPutsPerTurn, [this](auto& store, auto& session, std::size_t first) {
      for (std::size_t i = first; i < first + kPutsPerTurn; ++i) {
        store.Put(session, data_.key(i), data_.value(i + 2), Durability::kProcess);
      }
    });
  }

  const std::size_t repetitions_;
  const Dataset& data_;
  A& a_;
  RawRocks& raw_;
};

template <typename A>
void RunRounds(const Settings& settings, const Dataset& data, const TemporaryDirectory& directory,
               Comparisons& comparisons) {
  const std::string loaded = directory.Inside("loaded");
  Load(RocksStore(loaded), data);
  for (std::size_t i = 0; i < settings.rounds; ++i) {
    const std::string a_path = directory.Inside("a");
    const std::string raw_path = directory.Inside("raw");
    for (const std::string& path : {a_path, raw_path}) {
      std::filesystem::copy(loaded, path, std::filesystem::copy_options::recursive);
    }
    std::optional<A> a;
    std::optional<RawRocks> raw;
    const auto open = [&](auto& store, const std::string& path) {
      store.emplace(path);
      Warm(*store, data);
    };
    if (i % 2 == 0) open(a, a_path);
    open(raw, raw_path);
    if (i % 2 != 0) open(a, a_path);
    Round<A>(settings.repetitions / settings.rounds + 1, data, *a, *raw).Run(comparisons);
    a.reset();
    raw.reset();
    for (const std::string& path : {a_path, raw_path}) std::filesystem::remove_all(path);
  }
}

// Prints a line. True when the ratio is within its bar.
bool Report(const char* operation, const Comparison& comparison, double bar) {
  const bool within = comparison.ratio() <= bar;
  fmt::print("{:<22}{:>8.0f}{:>8.0f}{:>8.3f}   {:.3f} to {:.3f}   {}\n", operation,
             comparison.b_ns(), comparison.a_ns(), comparison.ratio(), comparison.ratio(0.25),
             comparison.ratio(0.75),
             bar == kNoBar ? "" : fmt::format("{} {:.2f}", within ? "within" : "ABOVE", bar));
  return within;
}

bool Report(const Settings& settings, const Comparisons& comparisons) {
  fmt::print("{} rows, {} repetitions over {} rounds; {}\n", settings.rows, settings.repetitions,
             settings.rounds,
             settings.control ? "control: raw RocksDB against itself" : "our engine against raw");
  fmt::print("{:<22}{:>8}{:>8}{:>8}   {:<16}   {}\n", "CPU ns per operation", "raw", "engine",
             "ratio", "middle half", "bar");
  bool within = Report("get hit", comparisons.get_hit, kGetRatioMax);
  within &= Report("get miss", comparisons.get_miss, kGetRatioMax);
  within &= Report("batch of 100, per row", comparisons.batch, kBatchRatioMax);
  Report("put", comparisons.put, kNoBar);
  Report("scan forward, per row", comparisons.scan_forward, kNoBar);
  Report("scan reverse, per row", comparisons.scan_reverse, kNoBar);
  return within;
}

int Main(int argc, char** argv) {
  const Settings settings = TakeSettings(argc, argv);
  Must(argc == 1, "flags: --rows=N --repetitions=N --rounds=N --control");
  const Dataset data(settings.rows);
  const TemporaryDirectory directory;
  Comparisons comparisons;
  if (settings.control) {
    RunRounds<RawRocks>(settings, data, directory, comparisons);
  } else {
    RunRounds<RocksStore>(settings, data, directory, comparisons);
  }
  return Report(settings, comparisons) ? 0 : 1;
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) { return mayfly::bench::Main(argc, argv); }
