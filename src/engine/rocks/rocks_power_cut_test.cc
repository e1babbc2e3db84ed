// After a power cut, no batch acknowledged with kDisk is missing and no batch is there in part.
// Method: seeded batches over all roles from two threads on a disk that forgets unsynced bytes; cut
// at a random operation, reopen, compare batch by batch; many rounds on one database. MAYFLY_SEED
// repeats a run, MAYFLY_ROUNDS lengthens it.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "base/testing/environment.h"
#include "engine/rocks/rocks_engine.h"
#include "engine/rocks/testing/faulty_disk.h"

namespace mayfly::engine {
namespace {

// Batch `number` of `writer`: one row per role, the same number in each, so that half of it shows.
std::string KeyOf(int writer, std::uint64_t number) {
  return "writer" + std::to_string(writer) + "/" + std::to_string(number);
}

Batch BatchOf(int writer, std::uint64_t number, std::size_t value_bytes) {
  Batch batch;
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    batch.Put({static_cast<Role>(role)}, KeyOf(writer, number),
              Random(number).Bytes(value_bytes / (role + 1)));
  }
  return batch;
}

// The outcome of one writer's batches in one round.
struct Progress {
  std::uint64_t begun = 0;         // Batches passed to Commit().
  std::uint64_t acknowledged = 0;  // Of those, the first so many are promised to be on the disk.
};

class PowerCut : public ::testing::Test {
 protected:
  static constexpr int kWriters = 2;

  void Open() {
    auto engine = OpenRocksEngine({.directory = directory_.Inside("db"),
                                   .password = password_,
                                   .profile = Profile::kTiny,
                                   .write_buffer_bytes = 32 << 10,
                                   .env = disk_.env()});
    ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
    engine_ = *std::move(engine);
  }

  // Commits until the power goes. A kDisk commit covers all earlier commits of this writer.
  void WriteUntilDark(int writer, std::uint64_t seed) {
    Random random(seed);
    Progress& progress = progress_[static_cast<std::size_t>(writer)];
    for (;;) {
      const std::uint64_t number = progress.begun++;
      const bool durable = random.OneIn(3);
      const Batch batch = BatchOf(writer, number, random.Between(1, 400));
      const Status committed =
          engine_->Commit(batch, durable ? Durability::kDisk : Durability::kProcess);
      if (!committed.ok()) return;
      if (durable) progress.acknowledged = number + 1;
    }
  }

  void CheckWriter(int writer, std::uint64_t first) {
    const Progress& progress = progress_[static_cast<std::size_t>(writer)];
    PinnedBytes value;
    for (std::uint64_t number = first; number < progress.begun; ++number) {
      std::size_t present = 0;
      for (std::size_t role = 0; role < kRoleCount; ++role) {
        const Status read = engine_->Get({static_cast<Role>(role)}, KeyOf(writer, number), value);
        ASSERT_TRUE(read.ok() || read.IsNotFound()) << read.ToString();
        present += read.ok();
      }
      EXPECT_TRUE(present == 0 || present == kRoleCount)
          << "half a batch: " << KeyOf(writer, number) << " is in " << present << " roles";
      if (number < progress.acknowledged) {
        EXPECT_EQ(present, kRoleCount) << "lost: " << KeyOf(writer, number);
      }
    }
  }

  void CutAgainAndAgain(std::uint64_t default_rounds);

  Bytes password_ = {};
  TemporaryDirectory directory_;
  FaultyDisk disk_;
  std::unique_ptr<Engine> engine_;
  std::array<Progress, kWriters> progress_;
};

void PowerCut::CutAgainAndAgain(std::uint64_t default_rounds) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  const std::uint64_t rounds = NumberFromEnvironment("MAYFLY_ROUNDS", default_rounds);
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("MAYFLY_SEED=" + std::to_string(seed));
  Random random(seed);
  std::uint64_t lost_bytes = 0;
  std::uint64_t acknowledged = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    ASSERT_NO_FATAL_FAILURE(Open());
    std::array<std::uint64_t, kWriters> first;
    for (std::size_t w = 0; w < kWriters; ++w) {
      // The outcome of the last cut is known by now; numbers go on after it.
      first[w] = progress_[w].begun;
      progress_[w].acknowledged = progress_[w].begun;
    }
    disk_.CutPowerAt(random.Between(1, 400));
    {
      std::array<std::jthread, kWriters> writers;
      for (int w = 0; w < kWriters; ++w) {
        writers[static_cast<std::size_t>(w)] = std::jthread(
            [this, w, writer_seed = random.Next()] { WriteUntilDark(w, writer_seed); });
      }
    }
    engine_.reset();
    lost_bytes += disk_.DropUnsynced(random);
    ASSERT_NO_FATAL_FAILURE(Open());
    for (int w = 0; w < kWriters; ++w) {
      ASSERT_NO_FATAL_FAILURE(CheckWriter(w, first[static_cast<std::size_t>(w)]));
      acknowledged +=
          progress_[static_cast<std::size_t>(w)].acknowledged - first[static_cast<std::size_t>(w)];
    }
    ASSERT_TRUE(engine_->Close().ok());
    engine_.reset();
    if (HasFailure()) break;
  }
  // Both would be zero if the test had no teeth: no cut would lose anything, or nothing be
  // promised.
  EXPECT_GT(lost_bytes, 0U);
  EXPECT_GT(acknowledged, rounds);
}

TEST_F(PowerCut, LosesNothingAcknowledgedAndLeavesNoHalfBatch) { CutAgainAndAgain(40); }

// Headers may be lost, too, and half of one is no damage. Fewer rounds: each runs scrypt.
TEST_F(PowerCut, LosesNothingOfEncryptedFiles) {
  password_ = "password";
  CutAgainAndAgain(15);
}

// A server syncs after each commit, and a thread every second: neither may cost an fsync when there
// is nothing to sync.
TEST_F(PowerCut, NothingIsSyncedTwice) {
  Open();
  const auto changes_of_persist = [&] {
    const std::uint64_t before = disk_.operations();
    EXPECT_TRUE(engine_->Sync(Durability::kDisk).ok());
    return disk_.operations() - before;
  };
  EXPECT_GT(changes_of_persist(), 0u) << "what was found at the start may not be on the disk";
  EXPECT_EQ(changes_of_persist(), 0u);
  for (std::uint64_t number = 0; number < 3; ++number) {
    ASSERT_TRUE(engine_->Commit(BatchOf(0, number, 100), Durability::kProcess).ok());
  }
  EXPECT_GT(changes_of_persist(), 0u);
  EXPECT_EQ(changes_of_persist(), 0u);
  ASSERT_TRUE(engine_->Commit(BatchOf(0, 3, 100), Durability::kNone).ok());
  disk_.CutPower();
  EXPECT_FALSE(engine_->Sync(Durability::kDisk).ok());
  EXPECT_FALSE(engine_->Sync(Durability::kDisk).ok()) << "it is not synced because it was tried";
}

TEST_F(PowerCut, ADiskThatLiesAboutSyncingIsCaught) {
  // The same check must fail when acknowledged bytes are really lost, or it proves nothing.
  disk_.IgnoreSyncs(true);
  ASSERT_NO_FATAL_FAILURE(Open());
  for (std::uint64_t number = 0; number < 50; ++number) {
    ASSERT_TRUE(engine_->Commit(BatchOf(0, number, 100), Durability::kDisk).ok());
  }
  disk_.CutPower();
  engine_.reset();
  Random random(1);
  EXPECT_GT(disk_.DropUnsynced(random), 0U);
  auto engine = OpenRocksEngine({.directory = directory_.Inside("db"), .env = disk_.env()});
  if (!engine.has_value()) return;  // Lost so much that it does not open: caught as well.
  PinnedBytes value;
  EXPECT_TRUE((*engine)->Get({Role::kRows}, KeyOf(0, 49), value).IsNotFound());
}

}  // namespace
}  // namespace mayfly::engine
