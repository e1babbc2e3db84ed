// Measures disk use while rows come at a fixed rate and all live for the same time: once the first
// have died, as many die as come, and the disk use should stay in proportion to the living rows.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "expiry_scenario.h"
#include "must.h"
#include "time_series.h"
#include "watched_database.h"

namespace mayfly::bench {
namespace {

constexpr double kDiskPerLiveMax = 1.5;  // From the third ttl on, at every sample.

// Keys of 16 B and values are random: nothing to compress.
constexpr std::size_t kPoolBytes = 16 << 20;

constexpr double kTtlSeconds = 30;
constexpr std::size_t kTtls = 20;
constexpr std::size_t kTtlsToSettle = 3;
constexpr double kSampleSeconds = 0.25;

// The rate that two cores can write, purge and compact at the same time, with room to spare, times
// a ttl is about 580 MiB alive: rows of two kilobytes, since most of the cost is per row. Buffers
// and logs of a profile do not shrink with the data; the tiny profile shows the same with less of
// both.
struct Plan {
  const char* name;
  MemoryProfile profile;
  double rows_per_second;
  std::size_t value_bytes;
  std::size_t ttls;
  bool judged;

  std::size_t row_bytes() const { return kExpiryKeyBytes + value_bytes; }
};

// Rows are written a tick's worth at a time; live rows are those of the last ttl's ticks.
class Ingest {
 public:
  static constexpr Millis kTick{10};

  Ingest(Database& database, const Plan& plan)
      : keyspace_(database.default_keyspace()),
        value_bytes_(plan.value_bytes),
        rows_per_tick_(plan.rows_per_second * kTick.count() / 1000),
        ticks_max_(static_cast<std::size_t>(static_cast<double>(plan.ttls) * kTtlSeconds * 1000) /
                   kTick.count()),
        written_(new std::atomic<std::uint32_t>[ticks_max_ * 2]()),
        thread_([this](const std::stop_token& stop) { Run(stop); }) {}

  std::uint64_t rows() const { return rows_.load(); }

  // The largest lag behind the plan, in seconds.
  double behind() const { return behind_.load(); }

  // Rows written within the ttl before now.
  std::uint64_t LiveRows() const {
    const auto now = static_cast<std::size_t>(watch_.Seconds() * 1000 / kTick.count());
    const auto ttl = static_cast<std::size_t>(kTtlSeconds * 1000 / kTick.count());
    std::uint64_t rows = 0;
    for (std::size_t i = now < ttl ? 0 : now - ttl; i <= now && i < 2 * ticks_max_; ++i) {
      rows += written_[i].load(std::memory_order_relaxed);
    }
    return rows;
  }

 private:
  void Run(const std::stop_token& stop) {
    const std::string pool = Random(3).Bytes(kPoolBytes);
    Random random(4);
    const Millis ttl(static_cast<std::int64_t>(kTtlSeconds * 1000));
    double planned = 0;
    for (std::size_t tick = 0; !stop.stop_requested(); ++tick) {
      const double due = static_cast<double>(tick) * kTick.count() / 1000.0;
      if (watch_.Seconds() < due) SleepSeconds(due - watch_.Seconds());
      behind_ = std::max(behind_.load(), watch_.Seconds() - due);
      planned += rows_per_tick_;
      while (planned >= 1) {
        planned -= 1;
        const std::string key = random.Bytes(kExpiryKeyBytes);
        const std::size_t at = random.Below(kPoolBytes - value_bytes_);
        Must(keyspace_.Put(key, Bytes(pool).substr(at, value_bytes_), Lifetime::For(ttl)));
        const auto now = static_cast<std::size_t>(watch_.Seconds() * 1000 / kTick.count());
        if (now < 2 * ticks_max_) written_[now].fetch_add(1, std::memory_order_relaxed);
        ++rows_;
      }
    }
  }

  Keyspace& keyspace_;
  const std::size_t value_bytes_;
  const double rows_per_tick_;
  const std::size_t ticks_max_;
  const std::unique_ptr<std::atomic<std::uint32_t>[]> written_;  // Rows in each tick of real time.
  const Stopwatch watch_;
  std::atomic<std::uint64_t> rows_{0};
  std::atomic<double> behind_{0};
  std::jthread thread_;  // Last: it uses the others.
};

struct Ratios {
  double max = 0;
  double sum = 0;
  double sum_without_logs = 0;
  std::size_t samples = 0;

  void Add(const DiskUse& disk, double live_bytes) {
    const double ratio = static_cast<double>(disk.sizes) / live_bytes;
    max = std::max(max, ratio);
    sum += ratio;
    sum_without_logs += static_cast<double>(disk.sizes - disk.logs) / live_bytes;
    ++samples;
  }
};

// Where the bytes are: by role and level, live and dead.
void PrintFiles(const Database& database) {
  struct Sum {
    std::size_t files = 0;
    std::uint64_t bytes = 0;
    double dead = 0;
    std::uint64_t tombstones = 0;
  };
  std::map<std::pair<std::string, int>, Sum> sums;
  const Proof proof = Must(database.Prove());
  for (const KeyspaceProof& keyspace : proof.keyspaces) {
    for (const ProofFile& file : keyspace.files) {
      Sum& sum = sums[{file.role, file.level}];
      ++sum.files;
      sum.bytes += file.bytes;
      sum.dead += file.dead_share() * static_cast<double>(file.bytes);
      sum.tombstones += file.tombstones;
    }
  }
  for (const KeyspaceProof& keyspace : proof.keyspaces) {
    fmt::print("    purged to the last row up to {} ms ago\n",
               (proof.taken_at - keyspace.purged_rows_through).count());
  }
  for (const auto& [where, sum] : sums) {
    fmt::print(
        "    {:<8} level {}: {:3} files, {:7.1f} MiB, of these dead {:5.1f} MiB; {} tombstones\n",
        where.first, where.second, sum.files, MiB(sum.bytes), sum.dead / (1 << 20), sum.tombstones);
  }
}

void RunPlan(const ScenarioContext& context, const Plan& plan) {
  const TemporaryDirectory directory;
  const WatchedDatabase database({.directory = directory.Inside("db"),
                                  .memory = plan.profile,
                                  .engine = context.settings.OnDisk()});
  const auto reaper = Must(database->StartReaper(context.settings.reaper));
  TimeSeries series(context.settings.out, fmt::format("steady_{}", plan.name),
                    "seconds,live_bytes,disk_bytes,disk_blocks_bytes,log_bytes,due_rows");
  Ratios ratios;
  std::uint64_t live_bytes = 0;
  std::uint64_t due_rows_max = 0;
  double behind = 0;
  std::uint64_t rows = 0;
  {
    const Stopwatch watch;
    const Ingest ingest(*database, plan);
    const double seconds = static_cast<double>(plan.ttls) * kTtlSeconds;
    while (watch.Seconds() < seconds) {
      SleepSeconds(kSampleSeconds);
      const DiskUse disk = DiskUseOf(directory.path());
      live_bytes = ingest.LiveRows() * plan.row_bytes();
      const std::uint64_t stored = database.StoredRows();
      const std::uint64_t due = stored - std::min(stored, live_bytes / plan.row_bytes());
      series.Add(watch.Seconds(), live_bytes, disk.sizes, disk.blocks, disk.logs, due);
      if (watch.Seconds() < kTtlsToSettle * kTtlSeconds) continue;
      due_rows_max = std::max(due_rows_max, due);
      ratios.Add(disk, static_cast<double>(live_bytes));
    }
    PrintFiles(*database);
    behind = ingest.behind();
    rows = ingest.rows();
  }
  const auto samples = static_cast<double>(ratios.samples);
  fmt::print(
      "  {}: {:.0f} rows/s of {} B for {} ttls of {} s, {:.1f} MiB alive at the end; ingest at "
      "most "
      "{:.2f} s behind, purge {} rows\n",
      plan.name, plan.rows_per_second, plan.row_bytes(), plan.ttls, kTtlSeconds, MiB(live_bytes),
      behind, due_rows_max);
  fmt::print("  {:<58} {:7.3f}   (tables alone {:.3f})\n", "disk over live bytes, mean",
             ratios.sum / samples, ratios.sum_without_logs / samples);
  if (plan.judged) {
    context.verdicts.AtMost("disk over live bytes, max", ratios.max, kDiskPerLiveMax);
  } else {
    fmt::print("  {:<58} {:7.3f}\n", "disk over live bytes, max", ratios.max);
  }
  PrintReclaimed(Must(database->GetStatistics()), rows * plan.row_bytes());
}

}  // namespace

void RunSteady(const ScenarioContext& context) {
  const double scale = context.settings.scale * (context.settings.quick ? 0.3 : 1.0);
  const std::size_t ttls = context.settings.quick ? 5 : kTtls;
  RunPlan(context, {"default", MemoryProfile::kDefault, 10'000 * scale, 2000, ttls, true});
  if (context.settings.quick) return;
  RunPlan(context, {"tiny", MemoryProfile::kTiny, 5'000 * scale, 1000, 8, false});
}

}  // namespace mayfly::bench
