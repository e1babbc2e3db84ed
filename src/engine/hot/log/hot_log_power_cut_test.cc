// Power cuts, kills and failing calls at every change of the disk: what is left is a prefix, and
// nothing acknowledged is missing. Method: a random play is made once to count its changes, then
// again for each of them, with the fault there. MAYFLY_SEED repeats a run, MAYFLY_ROUNDS lengthens
// it.
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/testing/environment.h"
#include "engine/hot/log/testing/faulty_log_disk.h"
#include "engine/hot/log/testing/log_fixture.h"
#include "engine/hot/log/testing/log_play.h"

namespace mayfly::engine::hot {
namespace {

constexpr int kSteps = 50;

class LogFaultTest : public LogTest {
 protected:
  // Plays once without a fault, and returns the number of changes.
  std::uint64_t CountChanges(std::uint64_t seed) {
    FaultyLogDisk disk;
    LogPlay play(disk, GetParam(), PlayKey(), seed);
    EXPECT_TRUE(play.Open().ok());
    play.Run(kSteps, true);
    return disk.changes();
  }

  std::shared_ptr<const crypto::DatabaseKey> PlayKey() {
    return GetParam().encrypted ? Key() : nullptr;
  }

  static void ExpectOpens(LogPlay& play) {
    const Status opened = play.Open();
    ASSERT_TRUE(opened.ok()) << opened.ToString();
  }

  static std::uint64_t Rounds() { return NumberFromEnvironment("MAYFLY_ROUNDS", 3); }
  static std::uint64_t Seed() {
    static const std::uint64_t seed = [] {
      const std::uint64_t chosen = NumberFromEnvironment("MAYFLY_SEED", FreshSeed() % 1000000);
      std::printf("MAYFLY_SEED=%llu\n", static_cast<unsigned long long>(chosen));
      return chosen;
    }();
    return seed;
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, LogFaultTest, AllLogModes(), NameOf);

TEST_P(LogFaultTest, APowerCutAtEveryChangeLeavesAPrefixWithAllThatWasSynced) {
  for (std::uint64_t seed = Seed(); seed < Seed() + Rounds(); ++seed) {
    const std::uint64_t changes = CountChanges(seed);
    for (std::uint64_t at = 0; at < changes; ++at) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", cut at " + std::to_string(at));
      FaultyLogDisk disk;
      LogPlay play(disk, GetParam(), PlayKey(), seed);
      disk.CutPowerAt(at);
      if (play.Open().ok()) play.Run(kSteps, true);
      play.Die(true);
      // Recovery may meet a power cut, too.
      for (std::uint64_t again = 0; again < at % 4; ++again) {
        disk.CutPowerAt(disk.changes() + 3 * again + at % 7);
        static_cast<void>(play.Open());
        if (HasFatalFailure()) return;
        play.Die(true);
      }
      ASSERT_NO_FATAL_FAILURE(ExpectOpens(play));
      play.Run(10, true);
      play.Die(false);
      ASSERT_NO_FATAL_FAILURE(ExpectOpens(play));
      if (HasFailure()) return;
    }
  }
}

TEST_P(LogFaultTest, AKillAtEveryChangeLosesNothingThatWasAppended) {
  for (std::uint64_t seed = Seed(); seed < Seed() + Rounds(); ++seed) {
    const std::uint64_t changes = CountChanges(seed);
    for (std::uint64_t at = 0; at < changes; ++at) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", killed at " + std::to_string(at));
      FaultyLogDisk disk;
      LogPlay play(disk, GetParam(), PlayKey(), seed);
      disk.CutPowerAt(at);
      if (play.Open().ok()) play.Run(kSteps, true);
      play.Die(false);
      ASSERT_NO_FATAL_FAILURE(ExpectOpens(play));
      play.Run(10, true);
      play.Die(false);
      ASSERT_NO_FATAL_FAILURE(ExpectOpens(play));
      if (HasFailure()) return;
    }
  }
}

// Calls that fail once, a few times, or until the process ends: refused appends are absent, the
// log goes on, and after a kill or a power cut all that was acknowledged is there.
TEST_P(LogFaultTest, AFailedCallAtEveryChangeFailsItsBatchesOnly) {
  const std::uint64_t counts[] = {1, 3, FaultyLogDisk::kNever};
  for (std::uint64_t seed = Seed(); seed < Seed() + Rounds(); ++seed) {
    const std::uint64_t changes = CountChanges(seed);
    for (std::uint64_t at = 0; at < changes; ++at) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", failure at " + std::to_string(at));
      FaultyLogDisk disk;
      LogPlay play(disk, GetParam(), PlayKey(), seed);
      disk.FailAt(at, at % 2 == 0 ? FaultyLogDisk::Fault::kIoError : FaultyLogDisk::Fault::kNoSpace,
                  counts[at % 3]);
      if (play.Open().ok()) play.Run(kSteps, false);
      play.Die(at % 5 < 2);
      ASSERT_NO_FATAL_FAILURE(ExpectOpens(play));
      play.Run(10, true);
      play.Die(false);
      ASSERT_NO_FATAL_FAILURE(ExpectOpens(play));
      if (HasFailure()) return;
    }
  }
}

// A test of the test: a disk that lies about syncs is found out.
TEST(LogFaultTests, ADiskThatIgnoresSyncsIsFoundOut) {
  bool found = false;
  for (std::uint64_t seed = 0; seed < 20 && !found; ++seed) {
    FaultyLogDisk disk;
    Random random(seed);
    std::uint64_t replayed = 0;
    const auto count = [&](const LogRecord&) {
      ++replayed;
      return Status();
    };
    const LogOptions options = {.files = &disk,
                                .segment_bytes = kSegmentBytesMin,
                                .mapped = false,
                                .replay_from = 1,
                                .key = nullptr};
    auto log = HotLog::Open(options, count);
    ASSERT_TRUE(log.has_value());
    disk.IgnoreSyncs(true);
    ASSERT_TRUE((*log)->Append("x").has_value());
    ASSERT_TRUE((*log)->Sync(1).ok());
    disk.PowerCut(random);
    disk.IgnoreSyncs(false);
    auto again = HotLog::Open(options, count);
    found = !again.has_value() || replayed == 0;
    disk.CutPowerAt(0);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace mayfly::engine::hot
