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
constexpr std::uint64_t kSeeds = 5;

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

  // Plays once per change of an unbroken play, each time broken there; with several seeds.
  template <typename Break>
  void PlayBrokenAtEveryChange(const Break& broken) {
    for (std::uint64_t seed = seed_; seed < seed_ + kSeeds && !HasFailure(); ++seed) {
      SCOPED_TRACE("MAYFLY_SEED=" + std::to_string(seed));
      std::uint64_t changes = 0;
      {
        HotPlay play(PlayOptions(GetParam()), seed);
        ASSERT_TRUE(play.Open().ok());
        play.Run(kPlaySteps, true);
        play.CheckNow();
        changes = play.changes();
      }
      for (std::uint64_t change = 0; change < changes && !HasFailure(); ++change) {
        SCOPED_TRACE("change " + std::to_string(change));
        HotPlay play(PlayOptions(GetParam()), seed);
        broken(play, change);
      }
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

// A failed sync among them: what it lost is written again, and folds go on.
TEST_P(HotFaultTest, AFailureOfEveryChangeFailsItsCallOnly) {
  PlayBrokenAtEveryChange([](HotPlay& play, std::uint64_t change) {
    if (!play.Open().ok()) return;
    play.disk().FailAt(change, FaultyLogDisk::Fault::kIoError);
    play.cold().FailAt(change);
    play.Run(kPlaySteps, false);
    play.CheckNow();
    const Status flushed = play.Flush();
    EXPECT_TRUE(flushed.ok()) << flushed.ToString();
    play.Die(/*power_cut=*/change % 2 == 0);
    OpenAfter(play);
  });
}

TEST_P(HotFaultTest, ADiskThatIsFullForAWhileFailsCallsOnlyUntilThereIsRoom) {
  constexpr std::uint64_t kChangesWithoutRoom = 12;
  PlayBrokenAtEveryChange([](HotPlay& play, std::uint64_t change) {
    play.disk().FailAt(change, FaultyLogDisk::Fault::kNoSpace, kChangesWithoutRoom);
    play.cold().FailAt(change, kChangesWithoutRoom);
    for (std::uint64_t attempt = 0; attempt < 2 * kChangesWithoutRoom; ++attempt) {
      if (play.Open().ok()) break;
    }
    play.Run(kPlaySteps, false);
    play.CheckNow();
    Status flushed = play.Flush();
    for (std::uint64_t call = 0; call < kChangesWithoutRoom && !flushed.ok(); ++call) {
      flushed = play.Flush();
    }
    EXPECT_TRUE(flushed.ok()) << flushed.ToString();
    play.Die(/*power_cut=*/change % 2 == 0);
    OpenAfter(play);
  });
}

// One engine on storage of its own, for the two stories below.
struct Stage {
  explicit Stage(bool mapped) : options(PlayOptions(mapped)) {}
  ~Stage() {
    disk.Restart();
    cold.Restart();
    engine.reset();
  }

  void Open() {
    auto opened = OpenHotEngineOn(
        {.name = "hot", .cold = cold.Open(), .files = FilesOf(disk, cold), .key = nullptr},
        options);
    ASSERT_TRUE(opened.has_value()) << opened.status().ToString();
    engine = *std::move(opened);
  }
  void Put(Bytes key, Bytes value) { batch.Put({.role = Role::kRows}, key, value); }
  void Commit(Durability durability = Durability::kProcess) {
    EXPECT_TRUE(engine->Commit(batch, durability).ok());
    batch.Clear();
  }
  bool Has(Bytes key) {
    PinnedBytes value;
    return engine->Get({.role = Role::kRows}, key, value).ok();
  }

  HotOptions options;
  FaultyLogDisk disk;
  ColdDisk cold{disk};
  std::unique_ptr<Engine> engine;
  Batch batch;
};

constexpr std::uint64_t kFoldChangesMax = 30;  // Of the storage, in the folds of these stories.

// The fold of the first segment skips a row that a later record deletes.
TEST_P(HotFaultTest, ARowWhoseDeleteIsLostByAPowerCutIsStillThere) {
  Random random(seed_);
  for (std::uint64_t i = 0; i < 8 * kFoldChangesMax; ++i) {
    SCOPED_TRACE("MAYFLY_SEED=" + std::to_string(seed_) + " play " + std::to_string(i));
    Stage stage(GetParam());
    stage.Open();
    stage.Put("row", "value");
    stage.Commit(Durability::kDisk);
    for (int fill = 0; fill < 2; ++fill) {
      stage.Put("fills the segment", std::string(6000, 'f'));
      stage.Commit(Durability::kDisk);
    }
    stage.batch.Delete({.role = Role::kRows}, "row");
    stage.Put("deleted", "yes");
    stage.Commit();
    const std::uint64_t cut = stage.disk.changes() + i % kFoldChangesMax;
    stage.disk.CutPowerAt(cut);
    stage.cold.CutPowerAt(cut);
    static_cast<void>(stage.engine->Flush());
    stage.disk.PowerCut(random);
    stage.cold.PowerCut(random);
    const auto dead = std::move(stage.engine);
    stage.Open();
    ASSERT_NE(stage.Has("row"), stage.Has("deleted"));
  }
}

TEST_P(HotFaultTest, ASegmentWhoseRemovalFailedIsNotFoldedAgain) {
  for (std::uint64_t change = 0; change < kFoldChangesMax; ++change) {
    SCOPED_TRACE("change " + std::to_string(change));
    Stage stage(GetParam());
    stage.Open();
    stage.batch.DeleteRange({.role = Role::kRows}, "a", "z");
    stage.Commit();
    stage.Put("row", "value");
    stage.Commit();
    stage.disk.FailAt(stage.disk.changes() + change, FaultyLogDisk::Fault::kIoError);
    static_cast<void>(stage.engine->Flush());
    static_cast<void>(stage.engine->Flush());
    stage.disk.Restart();
    stage.cold.Restart();
    const auto dead = std::move(stage.engine);
    stage.Open();
    ASSERT_TRUE(stage.Has("row"));
  }
}

INSTANTIATE_TEST_SUITE_P(Logs, HotFaultTest, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "Mapped" : "Written"; });

}  // namespace
}  // namespace mayfly::engine::hot
