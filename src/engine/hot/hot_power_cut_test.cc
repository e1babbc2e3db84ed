// Goal: whatever breaks at any change of the storage, in commits and in folds, the engine shows a
// state that its commits made, and none earlier than it promised.
// Method: seeded plays on disks in memory, broken at every change in turn. MAYFLY_SEED repeats one.
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/testing/environment.h"
#include "engine/hot/testing/hot_play.h"

namespace mayfly::engine::hot {
namespace {

constexpr int kPlaySteps = 40;
constexpr int kStepsAfter = 15;

HotOptions PlayOptions(bool mapped) {
  HotOptions options;
  options.segment_bytes = kSegmentBytesMin;
  options.map_log = mapped;
  options.reserved_bytes = std::size_t{64} << 20;
  options.huge_pages = false;
  options.has_thread = false;  // Folds are the play's, so that a seed repeats it.
  return options;
}

class HotFaultTest : public ::testing::TestWithParam<bool> {
 protected:
  const std::uint64_t seed_ = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());

  // Plays once per change of an unbroken play, each time broken there.
  template <typename Break>
  void PlayBrokenAtEveryChange(const Break& broken) {
    SCOPED_TRACE("MAYFLY_SEED=" + std::to_string(seed_));
    std::uint64_t changes = 0;
    {
      HotPlay play(PlayOptions(GetParam()), seed_);
      ASSERT_TRUE(play.Open().ok());
      play.Run(kPlaySteps, true);
      play.CheckNow();
      changes = play.changes();
    }
    for (std::uint64_t change = 0; change < changes; ++change) {
      SCOPED_TRACE("change " + std::to_string(change));
      HotPlay play(PlayOptions(GetParam()), seed_);
      broken(play, change);
      if (HasFailure()) return;
    }
  }

  static void OpenAfter(HotPlay& play) {
    const Status opened = play.Open();
    ASSERT_TRUE(opened.ok()) << opened.ToString();
    play.Run(kStepsAfter, true);
    play.CheckNow();
  }
};

TEST_P(HotFaultTest, APowerCutAtEveryChangeLeavesAStateWithAllThatWasSynced) {
  PlayBrokenAtEveryChange([](HotPlay& play, std::uint64_t change) {
    play.disk().CutPowerAt(change);
    play.cold().CutPowerAt(change);
    if (play.Open().ok()) play.Run(kPlaySteps, true);
    play.Die(/*power_cut=*/true);
    OpenAfter(play);
    // Once more, where recovery itself left things.
    play.Die(/*power_cut=*/true);
    OpenAfter(play);
  });
}

TEST_P(HotFaultTest, AKillAtEveryChangeLosesNothing) {
  PlayBrokenAtEveryChange([](HotPlay& play, std::uint64_t change) {
    play.disk().CutPowerAt(change);
    play.cold().CutPowerAt(change);
    if (play.Open().ok()) play.Run(kPlaySteps, true);
    play.Die(/*power_cut=*/false);
    OpenAfter(play);
  });
}

TEST_P(HotFaultTest, AFailureOfEveryChangeFailsItsCallOnly) {
  PlayBrokenAtEveryChange([](HotPlay& play, std::uint64_t change) {
    if (!play.Open().ok()) return;
    play.disk().FailAt(change, FaultyLogDisk::Fault::kIoError);
    play.cold().FailAt(change);
    play.Run(kPlaySteps, false);
    play.CheckNow();
    play.Die(/*power_cut=*/false);
    OpenAfter(play);
  });
}

INSTANTIATE_TEST_SUITE_P(Logs, HotFaultTest, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "Mapped" : "Written"; });

}  // namespace
}  // namespace mayfly::engine::hot
