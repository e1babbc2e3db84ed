// Measures the space left when all rows die at once and no writes follow: the engine has no reason
// of its own to touch a file again. The keyspace promises that nothing is left after purge_within.
#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "expiry_scenario.h"
#include "must.h"
#include "time_series.h"

namespace mayfly::bench {
namespace {

using namespace std::chrono_literals;

constexpr double kLeftMax = 0.05;  // Of the peak, once the promise is due.

constexpr std::size_t kRows = 500'000;
constexpr std::size_t kValueBytes = 200;
constexpr Millis kPurgeWithin = 20s;
constexpr double kLeadSeconds = 2;   // Between the start of the reaper and the deadline.
constexpr double kAfterSeconds = 2;  // Of watching, after the promise is due.
constexpr double kSampleSeconds = 0.1;

}  // namespace

void RunIdle(const ScenarioContext& context) {
  const TemporaryDirectory directory;
  MovedClock clock;
  const auto database = Must(Database::Open({.directory = directory.Inside("db"),
                                             .engine = context.settings.OnDisk(),
                                             .clock = &clock.clock()}));
  const auto keyspace = Must(database->CreateKeyspace("sessions", {.purge_within = kPurgeWithin}));
  const WallTime deadline = clock.Now() + 1h;
  const std::size_t rows = context.settings.Rows(kRows);
  Random random(5);
  for (std::size_t i = 0; i < rows; ++i) {
    Must(keyspace->Put(random.Bytes(kExpiryKeyBytes), random.Bytes(kValueBytes),
                       Lifetime::Until(deadline)));
  }
  AwaitStillDisk(directory.path());
  clock.MoveTo(deadline - Millis(static_cast<std::int64_t>(kLeadSeconds * 1000)));
  const auto reaper = Must(database->StartReaper(context.settings.reaper));

  TimeSeries series(context.settings.out, "idle", "seconds,disk_bytes,disk_blocks_bytes,log_bytes");
  const double promise = std::chrono::duration<double>(kPurgeWithin).count();
  const std::uint64_t loaded = DiskUseOf(directory.path()).sizes;
  std::uint64_t peak = 0;
  std::uint64_t left = 0;                        // When the promise is due.
  double small_after = promise + kAfterSeconds;  // Seconds until it was, and stayed, below the bar.
  bool small = false;
  for (double now = 0; now < promise + kAfterSeconds;) {
    now = std::chrono::duration<double>(clock.Now() - deadline).count();
    const DiskUse disk = DiskUseOf(directory.path());
    series.Add(now, disk.sizes, disk.blocks, disk.logs);
    peak = std::max(peak, disk.sizes);
    if (now <= promise) left = disk.sizes;
    const bool small_now = static_cast<double>(disk.sizes) < kLeftMax * static_cast<double>(peak);
    if (small_now && !small) small_after = now;
    small = small_now;
    SleepSeconds(kSampleSeconds);
  }
  const Proof proof = Must(database->Prove());
  fmt::print("  {} rows, {:.1f} MiB loaded, {:.1f} MiB at the peak, {:.2f} MiB left\n", rows,
             MiB(loaded), MiB(peak), MiB(left));
  fmt::print("  below the bar {:.1f} s after the deadline, of {:.0f} s promised\n", small_after,
             promise);
  context.verdicts.AtMost("disk when the promise is due, over the peak",
                          static_cast<double>(left) / static_cast<double>(peak), kLeftMax);
  context.verdicts.Holds("the proof says that the promise is kept", proof.kept());
  for (const ProofHolder& holder : proof.holders) fmt::print("    {}\n", holder.description);
  PrintReclaimed(Must(database->GetStatistics()), rows * (kExpiryKeyBytes + kValueBytes));
}

}  // namespace mayfly::bench
