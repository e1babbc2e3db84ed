// core_overhead - what a TTL costs on top of the engine's own calls, and whether that is too much.
// One database is loaded, compacted and copied; core opens one copy and its engine alone another,
// so both read the same files and touch the same rows. How time is measured, and why there are
// rounds: comparison.h and engine_overhead.cc. Exits with 1 when a bar is exceeded.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/temporary_directory.h"
#include "comparison.h"
#include "core/keyspaces/key_latches.h"
#include "core/layout/keys.h"
#include "core_store.h"
#include "dataset.h"
#include "engine/rocks/rocks_engine.h"
#include "must.h"
#include "settings.h"

namespace mayfly::bench {
namespace {

using namespace std::chrono_literals;

constexpr double kGetRatioMax = 1.10;
constexpr double kPutRatioMax = 2.6;    // Against the engine's put of a row that exists.
constexpr double kPurgeRatioMax = 2.0;  // Against two deletes in a batch per row.
constexpr double kNoBar = std::numeric_limits<double>::infinity();

// Operations per turn; a turn lasts some milliseconds.
constexpr std::size_t kGetsPerTurn = 500;
constexpr std::size_t kPutsPerTurn = 200;
constexpr std::size_t kScanRowsPerTurn = 5000;
constexpr std::size_t kPurgesPerTurn = 640;

constexpr std::size_t kTouches = 20;  // Of each session.

constexpr engine::Address kRows{engine::Role::kRows};
constexpr engine::Address kExpiry{engine::Role::kExpiry};
constexpr engine::Address kMeta{engine::Role::kMeta};
constexpr core::KeyspaceId kDefault = 1;

// Keys as core gives them to the engine, made beforehand: the engine's side pays for no encoding.
struct StoredKeys {
  StoredKeys(const Dataset& data, const Mortality& mortality) {
    for (std::size_t i = 0; i < mortality.mortal_rows(); ++i) {
      mortal.emplace_back(Bytes(core::RowKey(kDefault, mortality.mortal_key(i))));
      plain.emplace_back(Bytes(core::RowKey(kDefault, mortality.plain_key(i))));
      entries.push_back(core::EntryKey(kDefault, mortality.deadline(i), mortality.mortal_key(i)));
      fresh.emplace_back(Bytes(core::RowKey(kDefault, data.missing_key(i))));
      fresh_entries.push_back(core::EntryKey(kDefault, mortality.deadline(i), data.missing_key(i)));
      counters.push_back(core::CounterKey(
          kDefault, core::CounterOf(core::StripeOf(kDefault, data.missing_key(i)))));
    }
  }

  std::vector<std::string> mortal;
  std::vector<std::string> plain;
  std::vector<std::string> entries;
  std::vector<std::string> fresh;  // Of rows that do not exist.
  std::vector<std::string> fresh_entries;
  std::vector<std::string> counters;
};

struct Comparisons {
  Comparison get;
  Comparison get_ttl;
  Comparison scan;
  Comparison put;
  Comparison put_ttl;
  Comparison put_ttl_batch;  // Against a batch of the same three changes.
  Comparison touch;
  Comparison put_new;      // Against a batch of row, entry and counter.
  Comparison counter;      // The engine with and without the counter.
  Comparison purge;        // Against a batch per row.
  Comparison purge_batch;  // Against a batch of many rows.
};

struct Inputs {
  const Settings& settings;
  const Dataset& data;
  const Mortality& mortality;
  const StoredKeys& keys;
};

// The same rows twice: as core's and as the engine's.
class Copies {
 public:
  Copies(const Inputs& in, const TemporaryDirectory& directory, const Clock& clock, bool core_first)
      : in_(in) {
    for (const char* name : {"core", "engine"}) {
      std::filesystem::copy(directory.Inside("loaded"), directory.Inside(name));
      paths_.push_back(directory.Inside(name));
    }
    if (core_first) core_.emplace(paths_[0], clock);
    engine_ = Must(engine::OpenRocksEngine({.directory = paths_[1]}));
    if (!core_first) core_.emplace(paths_[0], clock);
  }

  ~Copies() {
    core_.reset();
    engine_.reset();
    for (const std::string& path : paths_) std::filesystem::remove_all(path);
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  // Reads come first, while both copies are as they were loaded.
  void CompareCalls(std::size_t repetitions, Comparisons& comparisons) {
    repetitions_ = repetitions;
    Warm();
    Get(comparisons.get, &Mortality::plain_key, in_.keys.plain);
    Get(comparisons.get_ttl, &Mortality::mortal_key, in_.keys.mortal);
    Scan(comparisons.scan);
    Put(comparisons.put, &Mortality::plain_key, in_.keys.plain, Lifetime::Forever());
    Put(comparisons.put_ttl, &Mortality::mortal_key, in_.keys.mortal, Lifetime::For(10h));
    PutAgainstBatch(comparisons.put_ttl_batch);
    Touch(comparisons.touch);
    PutNew(comparisons.put_new);
  }

  // Both engines alone: new rows with their entries, with and without a counter.
  void CompareCounter(std::size_t repetitions, Comparisons& comparisons) {
    repetitions_ = repetitions;
    PutCounter(comparisons.counter);
  }

  void ComparePurge(std::size_t repetitions, std::size_t batch_rows, Comparison& comparison) {
    // As many as there are dead rows for.
    const std::size_t fours = in_.mortality.dead_rows() / (2 * kPurgesPerTurn);
    Must(fours >= 12, "too few rows for a purge to be measured; at least 80,000 are needed");
    repetitions_ = std::min(repetitions, (fours - 1) * 10 / 11 - 1);
    Purge(comparison, batch_rows);
  }

 private:
  using KeyOf = Bytes (Mortality::*)(std::size_t) const;

  void Warm() {
    ScanCore(in_.mortality.mortal_key(0), in_.data.rows());
    ScanEngine(in_.keys.mortal[0], in_.data.rows());
  }

  const std::string& At(const std::vector<std::string>& keys, std::size_t i) const {
    return keys[i % keys.size()];
  }

  // Bytes as long as a stored row.
  Bytes Stored(std::size_t i) const { return in_.data.stored(i); }

  // Work on one row at a time, on either side: core(i) and engine(i).
  template <typename Core, typename Engine>
  void Each(Comparison& comparison, std::size_t count, Core core, Engine engine) {
    comparison.Add(
        repetitions_, count,
        [&](std::size_t first) {
          for (std::size_t i = first; i < first + count; ++i) core(i);
        },
        [&](std::size_t first) {
          for (std::size_t i = first; i < first + count; ++i) engine(i);
        });
  }

  void Get(Comparison& comparison, KeyOf key, const std::vector<std::string>& stored) {
    PinnedBytes core_value;
    PinnedBytes engine_value;
    Each(
        comparison, kGetsPerTurn,
        [&](std::size_t i) { Must(core_->rows().Get((in_.mortality.*key)(i), core_value)); },
        [&](std::size_t i) { Must(engine_->Get(kRows, At(stored, i), engine_value)); });
  }

  std::size_t ScanCore(Bytes start, std::size_t rows) {
    const auto cursor = Must(core_->rows().NewCursor());
    std::size_t bytes = 0;
    cursor->SeekAtOrAfter(start);
    for (std::size_t i = 0; i < rows; ++i) {
      if (!cursor->Valid()) cursor->SeekToFirst();
      bytes += cursor->key().size() + cursor->value().size();
      cursor->Next();
    }
    return bytes;
  }

  std::size_t ScanEngine(Bytes start, std::size_t rows) {
    const auto cursor = Must(engine_->NewCursor(kRows));
    std::size_t bytes = 0;
    cursor->SeekAtOrAfter(start);
    for (std::size_t i = 0; i < rows; ++i) {
      if (!cursor->Valid()) cursor->SeekToFirst();
      bytes += cursor->key().size() + cursor->value().size();
      cursor->Next();
    }
    return bytes;
  }

  void Scan(Comparison& comparison) {
    comparison.Add(
        repetitions_, kScanRowsPerTurn,
        [&](std::size_t first) {
          Must(ScanCore(in_.mortality.mortal_key(first), kScanRowsPerTurn) > 0, "an empty scan");
        },
        [&](std::size_t first) {
          Must(ScanEngine(At(in_.keys.mortal, first), kScanRowsPerTurn) > 0, "an empty scan");
        });
  }

  void Put(Comparison& comparison, KeyOf key, const std::vector<std::string>& stored,
           Lifetime lifetime) {
    engine::Batch batch;
    Each(
        comparison, kPutsPerTurn,
        [&](std::size_t i) {
          Must(core_->rows().Put((in_.mortality.*key)(i), in_.data.value(i + 1), lifetime));
        },
        [&](std::size_t i) {
          batch.Clear();
          batch.Put(kRows, At(stored, i), Stored(i + 1));
          Must(engine_->Commit(batch));
        });
  }

  void PutAgainstBatch(Comparison& comparison) {
    engine::Batch batch;
    Each(
        comparison, kPutsPerTurn,
        [&](std::size_t i) {
          Must(core_->rows().Put(in_.mortality.mortal_key(i), in_.data.value(i + 2),
                                 Lifetime::For(10h)));
        },
        [&](std::size_t i) {
          batch.Clear();
          batch.Put(kRows, At(in_.keys.mortal, i), Stored(i + 2));
          batch.Delete(kExpiry, At(in_.keys.entries, i));
          batch.Put(kExpiry, At(in_.keys.fresh_entries, i), {});
          Must(engine_->Commit(batch));
        });
  }

  void Touch(Comparison& comparison) {
    engine::Batch batch;
    Each(
        comparison, kPutsPerTurn,
        [&](std::size_t i) {
          Must(core_->rows().Touch(in_.mortality.mortal_key(i), Lifetime::For(10h)).status());
        },
        [&](std::size_t i) {
          batch.Clear();
          batch.Put(kRows, At(in_.keys.mortal, i), Stored(i + 3));
          Must(engine_->Commit(batch));
        });
  }

  void AddNew(engine::Batch& batch, std::size_t i) const {
    batch.Clear();
    batch.Put(kRows, At(in_.keys.fresh, i), Stored(i));
    batch.Put(kExpiry, At(in_.keys.fresh_entries, i), {});
  }

  void PutNew(Comparison& comparison) {
    engine::Batch batch;
    Each(
        comparison, kPutsPerTurn,
        [&](std::size_t i) {
          Must(core_->rows().Put(in_.data.missing_key(i), in_.data.value(i), Lifetime::For(10h)));
        },
        [&](std::size_t i) {
          AddNew(batch, i);
          batch.Put(kMeta, At(in_.keys.counters, i), "1234");
          Must(engine_->Commit(batch));
        });
  }

  void PutCounter(Comparison& comparison) {
    engine::Batch with;
    engine::Batch without;
    Each(
        comparison, kPutsPerTurn,
        [&](std::size_t i) {
          AddNew(with, i);
          with.Put(kMeta, At(in_.keys.counters, i), "1234");
          Must(core_->engine().Commit(with));
        },
        [&](std::size_t i) {
          AddNew(without, i);
          Must(engine_->Commit(without));
        });
  }

  void Purge(Comparison& comparison, std::size_t batch_rows) {
    engine::Batch batch;
    std::size_t next = 0;  // Dead row of the engine's.
    comparison.Add(
        repetitions_, kPurgesPerTurn,
        [&](std::size_t) {
          const PurgeReport report = Must(core_->database().Purge({.rows_max = kPurgesPerTurn}));
          Must(report.rows == kPurgesPerTurn, "too few dead rows");
        },
        [&](std::size_t) {
          for (std::size_t i = 0; i < kPurgesPerTurn; i += batch_rows) {
            batch.Clear();
            for (std::size_t j = 0; j < batch_rows; ++j, ++next) {
              batch.Delete(kRows, in_.keys.mortal[next]);
              batch.Delete(kExpiry, in_.keys.entries[next]);
            }
            Must(engine_->Commit(batch));
          }
        });
  }

  const Inputs& in_;
  std::vector<std::string> paths_;
  std::optional<CoreStore> core_;
  std::unique_ptr<engine::Engine> engine_;
  std::size_t repetitions_ = 0;
};

void RunRounds(const Inputs& in, const TemporaryDirectory& directory, Comparisons& comparisons) {
  const std::size_t repetitions = in.settings.repetitions / in.settings.rounds + 1;
  ManualClock later(in.mortality.when_dead());
  for (std::size_t i = 0; i < in.settings.rounds; ++i) {
    const bool core_first = i % 2 == 0;
    Copies(in, directory, SystemClock::Process(), core_first)
        .CompareCalls(repetitions, comparisons);
    Copies(in, directory, SystemClock::Process(), core_first)
        .CompareCounter(repetitions, comparisons);
    Copies(in, directory, later, core_first).ComparePurge(repetitions, 1, comparisons.purge);
    Copies(in, directory, later, core_first).ComparePurge(repetitions, 64, comparisons.purge_batch);
  }
}

// Prints a line. True when the ratio is within its bar.
bool Report(const char* operation, const Comparison& comparison, double bar = kNoBar) {
  const bool within = comparison.ratio() <= bar;
  fmt::print("{:<34}{:>8.0f}{:>8.0f}{:>8.3f}   {:.3f} to {:.3f}   {}\n", operation,
             comparison.b_ns(), comparison.a_ns(), comparison.ratio(), comparison.ratio(0.25),
             comparison.ratio(0.75),
             bar == kNoBar ? "" : fmt::format("{} {:.2f}", within ? "within" : "ABOVE", bar));
  return within;
}

bool Report(const Settings& settings, const Comparisons& comparisons) {
  fmt::print("{} rows, {} repetitions over {} rounds; core against its engine on rocks\n",
             settings.rows, settings.repetitions, settings.rounds);
  fmt::print("{:<34}{:>8}{:>8}{:>8}   {:<16}   {}\n", "CPU ns per operation", "engine", "core",
             "ratio", "middle half", "bar");
  bool within = Report("get of a row with a ttl", comparisons.get_ttl, kGetRatioMax);
  within &= Report("put with ttl / put", comparisons.put_ttl, kPutRatioMax);
  within &= Report("purge / batch per row", comparisons.purge, kPurgeRatioMax);
  Report("purge / batch of 64 rows", comparisons.purge_batch);
  Report("get of a row without", comparisons.get);
  Report("scan, per row", comparisons.scan);
  Report("put / put", comparisons.put);
  Report("put with ttl / batch of its 3", comparisons.put_ttl_batch);
  Report("touch / put", comparisons.touch);
  Report("new row with ttl / batch of its 3", comparisons.put_new);
  Report("engine: 2 puts and counter / 2", comparisons.counter);
  return within;
}

// Sessions touched again and again leave one entry each. True when they do.
bool CheckSlidingSessions(const Settings& settings, const Dataset& data,
                          const TemporaryDirectory& directory) {
  const std::size_t sessions = std::max<std::size_t>(settings.rows / 10, 1);
  ManualClock clock(SystemClock::Process().Now());
  CoreStore store(directory.Inside("sessions"), clock);
  for (std::size_t i = 0; i < sessions; ++i) {
    Must(store.rows().Put(data.key(i), data.value(i), Lifetime::For(30min)));
  }
  const std::int64_t begin = ThreadCpuNs();
  for (std::size_t touch = 0; touch < kTouches; ++touch) {
    clock.Advance(1min);
    for (std::size_t i = 0; i < sessions; ++i) {
      Must(store.rows().Touch(data.key(i), Lifetime::For(30min)).status());
    }
  }
  const auto ns = static_cast<double>(ThreadCpuNs() - begin);
  const CheckReport report = Must(store.database().Check());
  const bool exact = report.entries == sessions && report.rows == sessions && report.clean();
  fmt::print("{} sessions touched {} times each, {:.0f} ns: {} entries in the index, {}\n",
             sessions, kTouches, ns / static_cast<double>(sessions * kTouches), report.entries,
             exact ? "one for each" : "NOT ONE FOR EACH");
  return exact;
}

int Main(int argc, char** argv) {
  const Settings settings = TakeSettings(argc, argv);
  Must(argc == 1 && !settings.control, "flags: --rows=N --repetitions=N --rounds=N");
  const Dataset data(settings.rows);
  const Mortality mortality(data, SystemClock::Process().Now());
  const TemporaryDirectory directory;
  {
    ManualClock clock(mortality.start());
    CoreStore(directory.Inside("loaded"), clock).Load(data, mortality);
  }
  Comparisons comparisons;
  {
    const StoredKeys keys(data, mortality);
    RunRounds({settings, data, mortality, keys}, directory, comparisons);
  }
  std::filesystem::remove_all(directory.Inside("loaded"));
  const bool within = Report(settings, comparisons);
  return CheckSlidingSessions(settings, data, directory) && within ? 0 : 1;
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) { return mayfly::bench::Main(argc, argv); }
