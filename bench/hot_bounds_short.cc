// Rows with a ttl of a second, put as fast as one thread can, with the reaper at its defaults: nearly
// none of them may reach the cold store, and neither memory nor disk may grow with what was written.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "core/new_database.h"
#include "engine/hot/hot_engine.h"
#include "hot_bounds.h"
#include "must.h"

namespace mayfly::bench {
namespace {

constexpr std::size_t kShortValueBytes = 100;
constexpr std::chrono::seconds kShortTtl{1};
constexpr std::uint64_t kShortMemory = std::uint64_t{512} << 20;
constexpr std::size_t kSampleRows = 100'000;
constexpr double kFoldedShareMax = 0.05;
constexpr double kDiskOfLivingMax = 1.3;
constexpr std::chrono::seconds kPromise{10};
constexpr double kPromisedSeconds = 30;

// A database whose engine can be asked.
struct ShortLivedDatabase {
  explicit ShortLivedDatabase(const engine::HotOptions& options) {
    const auto horizon = std::make_shared<core::DropHorizon>();
    auto made = Must(engine::OpenHotEngine(
        {.directory = directory.Inside("db"), .drop_policy = horizon}, options));
    engine = made.get();
    database = Must(core::NewDatabase(std::move(made), {.horizon = horizon}));
    reaper = Must(database->StartReaper());
  }

  const TemporaryDirectory directory;
  const engine::Engine* engine = nullptr;  // The database's.
  std::unique_ptr<Database> database;
  std::unique_ptr<Reaper> reaper;
};

}  // namespace

void RunShortLived(const BoundsContext& context) {
  const std::size_t rows = 10 * context.rows;
  const engine::HotOptions options{.memory_bytes_max = kShortMemory};
  const ShortLivedDatabase home(options);
  const TemporaryDirectory& directory = home.directory;
  const engine::Engine& engine = *home.engine;
  const auto& database = home.database;
  Keyspace& keyspace = database->default_keyspace();
  Random random(5);
  const std::string value = random.Bytes(kShortValueBytes);
  const Stopwatch watch;
  std::uint64_t memory = 0;
  double disk_over_living = 0;
  double before = 0;
  double slowest = 0;
  const std::uint64_t log_bound = options.log_bytes_max + 2 * options.segment_bytes;
  for (std::size_t i = 0; i < rows; ++i) {
    Must(keyspace.Put(random.Bytes(kExpiryKeyBytes), value, Lifetime::For(kShortTtl)));
    if (i % kSampleRows != kSampleRows - 1) continue;
    const double took = watch.Seconds() - before;
    before = watch.Seconds();
    slowest = std::max(slowest, took);
    memory = std::max(memory, Must(engine.Stats()).memory_bytes);
    const double living = kSampleRows / took * (kExpiryKeyBytes + kShortValueBytes);
    const auto disk = static_cast<double>(DiskUseOf(directory.path()).sizes);
    disk_over_living = std::max(disk_over_living, (disk - static_cast<double>(log_bound)) / living);
  }
  const double seconds = watch.Seconds();
  const engine::EngineStats stats = Must(engine.Stats());
  fmt::print("  {} rows were purged meanwhile\n", Must(database->GetStatistics()).purged_rows);
  fmt::print(
      "  {} puts in {:.1f} s, {:.0f} a second, the slowest {} at {:.0f}; {:.0f} MiB logged\n", rows,
      seconds, static_cast<double>(rows) / seconds, kSampleRows,
      static_cast<double>(kSampleRows) / slowest, MiB(stats.logged_bytes));
  context.verdicts.AtMost(
      fmt::format("bytes to the cold store, {:.1f} MiB, of those logged", MiB(stats.folded_bytes)),
      static_cast<double>(stats.folded_bytes) / static_cast<double>(stats.logged_bytes),
      kFoldedShareMax);
  context.verdicts.AtMost("memory at its highest, of the budget and RocksDB's 64 MiB",
                          static_cast<double>(memory) / (kShortMemory + (std::uint64_t{64} << 20)),
                          1.0);
  context.verdicts.AtMost("disk at its largest, less the log's bound, of living bytes",
                          disk_over_living, kDiskOfLivingMax);
}

void RunPromised(const BoundsContext& /*context*/) {
  const ShortLivedDatabase home({.memory_bytes_max = kShortMemory});
  Keyspace& keyspace = home.database->default_keyspace();
  Must(keyspace.SetPolicy({.purge_within = kPromise}));
  Random random(5);
  const std::string value = random.Bytes(kShortValueBytes);
  const Stopwatch watch;
  std::size_t rows = 0;
  for (; watch.Seconds() < kPromisedSeconds; ++rows) {
    Must(keyspace.Put(random.Bytes(kExpiryKeyBytes), value, Lifetime::For(kShortTtl)));
  }
  const engine::EngineStats stats = Must(home.engine->Stats());
  const double share =
      static_cast<double>(stats.folded_bytes) / static_cast<double>(stats.logged_bytes);
  fmt::print("  {} puts in {:.0f} s, {:.0f} MiB logged, {:.1f}% of it went to the cold store\n",
             rows, kPromisedSeconds, MiB(stats.logged_bytes), 100 * share);
}

}  // namespace mayfly::bench
