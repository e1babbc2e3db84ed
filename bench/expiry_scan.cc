// Compares a scan over a range in which a million rows have died with one over a range that never
// had any.
#include <fmt/format.h>

#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "comparison.h"
#include "expiry_scenario.h"
#include "must.h"
#include "time_series.h"

namespace mayfly::bench {
namespace {

using namespace std::chrono_literals;

constexpr double kScanRatioMax = 3.0;  // Once the reaper is idle.

constexpr std::size_t kDyingRows = 1'000'000;
constexpr std::size_t kLivingRows = 10'000;  // In either range; in one they lie among the dead.
constexpr std::size_t kValueBytes = 100;
constexpr std::size_t kScans = 15;  // Of each range, in turn; the median counts.

constexpr Bytes kHaunted = "haunted:";
constexpr Bytes kFresh = "fresh:";

class Scan {
 public:
  explicit Scan(const ScenarioContext& context)
      : context_(context),
        dying_(context.settings.Rows(kDyingRows)),
        database_(Must(Database::Open({.directory = directory_.Inside("db"),
                                       .engine = context.settings.OnDisk(),
                                       .clock = &clock_.clock()}))),
        series_(context.settings.out, "scan", "moment,haunted_ms,fresh_ms,ratio") {}

  void Run() {
    const WallTime deadline = Load();
    clock_.MoveTo(deadline);
    Compare("dead", false);
    const Stopwatch purge;
    const PurgeReport purged = Must(database_->Purge());
    Must(purged.rows == dying_, "rows that died were not purged");
    fmt::print("  purged in {:.1f} s\n", purge.Seconds());
    Compare("purged", false);
    const Stopwatch reclaim;
    const auto reaper = Must(database_->StartReaper(context_.settings.reaper));
    SleepSeconds(1);  // Until the database counts as quiet.
    reaper->AwaitIdle();
    fmt::print("  reclaimed in {:.1f} s\n", reclaim.Seconds());
    Compare("reclaimed", true);
    PrintReclaimed(Must(database_->GetStatistics()),
                   (dying_ + 2 * kLivingRows) * (kExpiryKeyBytes + kValueBytes));
  }

 private:
  WallTime Load() {
    Keyspace& keyspace = database_->default_keyspace();
    const WallTime deadline = clock_.Now() + 1h;
    Random random(6);
    const auto put = [&](Bytes prefix, Lifetime lifetime) {
      const std::string key = std::string(prefix) + random.Bytes(kExpiryKeyBytes);
      Must(keyspace.Put(key, random.Bytes(kValueBytes), lifetime));
    };
    for (std::size_t i = 0; i < dying_; ++i) {
      put(kHaunted, Lifetime::Until(deadline));
      if (i % (dying_ / kLivingRows) != 0) continue;
      put(kHaunted, Lifetime::For(24h));
      put(kFresh, Lifetime::For(24h));
    }
    AwaitStillDisk(directory_.path());
    return deadline;
  }

  double ScanMs(Bytes prefix) {
    const Stopwatch watch;
    std::size_t rows = 0;
    const auto cursor = Must(database_->default_keyspace().NewCursor({.prefix = prefix}));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++rows;
    Must(cursor->status());
    Must(rows >= kLivingRows && rows <= kLivingRows + 1, "a scan that lost rows");
    return watch.Seconds() * 1000;
  }

  void Compare(std::string_view moment, bool judged) {
    std::vector<double> haunted;
    std::vector<double> fresh;
    for (std::size_t i = 0; i < kScans; ++i) {
      haunted.push_back(ScanMs(kHaunted));
      fresh.push_back(ScanMs(kFresh));
    }
    const double haunted_ms = Quantile(haunted, 0.5);
    const double fresh_ms = Quantile(fresh, 0.5);
    series_.Add(moment, haunted_ms, fresh_ms, haunted_ms / fresh_ms);
    const std::string what =
        fmt::format("{}: {:.2f} ms, {:.2f} in the other range", moment, haunted_ms, fresh_ms);
    if (judged) {
      context_.verdicts.AtMost(what, haunted_ms / fresh_ms, kScanRatioMax);
    } else {
      fmt::print("  {:<58} {:7.3f}\n", what, haunted_ms / fresh_ms);
    }
  }

  const ScenarioContext& context_;
  const std::size_t dying_;
  const TemporaryDirectory directory_;
  MovedClock clock_;
  const std::unique_ptr<Database> database_;
  TimeSeries series_;
};

}  // namespace

void RunScan(const ScenarioContext& context) { Scan(context).Run(); }

}  // namespace mayfly::bench
