// Goal: a small disk that is full takes writes again once rows were deleted, without a restart.
// Method: the faulty disk has a size; files take it, and give it back when they are removed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/function_ref.h"
#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/disk/disk_reserve.h"
#include "engine/rocks/files/limits.h"
#include "engine/rocks/files/rocks_directory.h"
#include "mayfly/clock.h"
#include "tests/engine/disk_engine.h"

namespace mayfly::engine {
namespace {

constexpr Address kAt{Role::kRows};
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Real time in which background threads must be done; far more than they need.
constexpr std::chrono::seconds kPatience{60};

struct Way {
  DiskEngine engine;
  Bytes password = {};
};

class SmallDiskTest : public ::testing::TestWithParam<Way> {
 protected:
  void Open(std::uint64_t disk_bytes, std::uint64_t reserve_bytes,
            Profile profile = Profile::kTiny) {
    if (disk_bytes > 0) disk_.SetSize(disk_bytes);
    auto engine = home_.Open(GetParam().engine, {.directory = directory_.Inside("db"),
                                                 .password = GetParam().password,
                                                 .profile = profile,
                                                 .reserve_bytes = reserve_bytes,
                                                 .clock = &clock_});
    ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
    engine_ = *std::move(engine);
  }

  Status Put(int row, std::size_t bytes) {
    Batch batch;
    batch.Put(kAt, "row" + std::to_string(row), random_.Bytes(bytes));
    batch.Put({Role::kExpiry}, "entry" + std::to_string(row), "");
    batch.Put({Role::kMeta}, "counter", std::to_string(row));
    return engine_->Commit(batch, Durability::kProcess);
  }

  Status Delete(int row) {
    Batch batch;
    batch.Delete(kAt, "row" + std::to_string(row));
    batch.Delete({Role::kExpiry}, "entry" + std::to_string(row));
    batch.Put({Role::kMeta}, "counter", std::to_string(row));
    return engine_->Commit(batch, Durability::kProcess);
  }

  // Puts rows until one is refused; returns which.
  int Fill(std::size_t bytes_max, int row = 0, std::size_t bytes_min = 1) {
    for (const int end = row + 1'000'000; row < end; ++row) {
      if (!Put(row, random_.Between(bytes_min, bytes_max)).ok()) return row;
    }
    ADD_FAILURE() << "the disk never was full";
    return 0;
  }

  void DeleteAll(int rows) {
    for (int row = 0; row < rows; ++row) {
      const Status deleted = Delete(row);
      ASSERT_TRUE(deleted.ok()) << deleted.ToString();
    }
  }

  // True if that comes true in time, whatever the others do.
  bool IsTrueSoon(FunctionRef<bool()> holds) {
    const auto began = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - began < kPatience) {
      if (holds()) return true;
      clock_.Advance(kReserveLookPause);
      std::this_thread::yield();
    }
    return false;
  }

  // Commits that are refused at first are accepted later.
  bool IsDeleted(int row) {
    return IsTrueSoon([&] { return Delete(row).ok(); });
  }
  bool IsEverythingDeleted() {
    return IsTrueSoon([&] { return DeleteEverything().ok(); });
  }
  bool IsAccepted(int row, std::size_t bytes) {
    return IsTrueSoon([&] { return Put(row, bytes).ok(); });
  }

  bool IsShownToHaveRoom() {
    return IsTrueSoon([&] { return !engine_->Stats()->disk_full; });
  }

  Status DeleteEverything() {
    Batch batch;
    for (const Role role : {Role::kRows, Role::kExpiry}) batch.DeleteRange({role}, "a", "z");
    return engine_->Commit(batch, Durability::kProcess);
  }

  bool Has(int row) {
    PinnedBytes value;
    return engine_->Get(kAt, "row" + std::to_string(row), value).ok();
  }

  // Each flush begins a log.
  std::uint64_t NewestLog() {
    std::uint64_t newest = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.Inside("db"))) {
      const DirectoryFile file = FileNamed(entry.path().filename());
      if (file.kind == FileKind::kLog) newest = std::max(newest, file.number);
    }
    return newest;
  }

  const std::uint64_t seed_ = FreshSeed();
  Random random_{seed_};
  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  TemporaryDirectory directory_;
  EngineDisk home_;
  FaultyDisk& disk_ = home_.disk();
  std::unique_ptr<Engine> engine_;
};

TEST_P(SmallDiskTest, TakesWritesAgainWhenEverythingWasDeleted) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ASSERT_NO_FATAL_FAILURE(Open(16 * kMiB, 64 * kMiB));
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    ASSERT_TRUE(IsAccepted(0, 1'000'000)) << "all of the disk is free";
    const int rows = Fill(random_.OneIn(2) ? 30'000 : 1'000'000, 1);
    ASSERT_NO_FATAL_FAILURE(DeleteAll(rows));
    ASSERT_TRUE(IsAccepted(rows, 1000));
    // A compaction that is under way may take the room once more.
    EXPECT_TRUE(IsShownToHaveRoom());
    EXPECT_TRUE(Has(rows));
    EXPECT_FALSE(Has(0));
  }
}

// Many deletes of small rows take more of the log than a flush frees of tables.
TEST_P(SmallDiskTest, TakesWritesAgainWhenManySmallRowsWereDeleted) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ASSERT_NO_FATAL_FAILURE(Open(16 * kMiB, 64 * kMiB, Profile::kServer));
  const int rows = Fill(40);
  for (int row = 0; row < rows; ++row) ASSERT_TRUE(IsDeleted(row)) << row << " of " << rows;
  ASSERT_TRUE(IsAccepted(rows, 1000));
  EXPECT_TRUE(IsShownToHaveRoom());
  EXPECT_FALSE(Has(0));
  EXPECT_FALSE(Has(rows - 1));
}

// Rounds that make room come too late for deletes of rows: time stands still meanwhile. On the
// memory-first engine a range may have to wait for one (decision 75, "Left for later").
TEST_P(SmallDiskTest, ARangeIsDeletedWhenRowsHaveUsedUpWhatTheyMay) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ASSERT_NO_FATAL_FAILURE(Open(16 * kMiB, 64 * kMiB, Profile::kServer));
  const int rows = Fill(40);
  int row = 0;
  while (row < rows && Delete(row).ok()) ++row;
  const Status deleted = DeleteEverything();
  if (GetParam().engine == DiskEngine::kRocks) {
    ASSERT_TRUE(deleted.ok()) << "after " << row << " rows: " << deleted.ToString();
  } else {
    ASSERT_TRUE(deleted.ok() || IsEverythingDeleted()) << "after " << row << " rows";
  }
  EXPECT_TRUE(IsAccepted(rows, 1000));
  EXPECT_FALSE(Has(rows - 1));
}

// A stream keeps an image of each item that was deleted.
TEST_P(SmallDiskTest, ADeleteThatLeavesAsManyBytesElsewhereGoesOn) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ASSERT_NO_FATAL_FAILURE(Open(16 * kMiB, 64 * kMiB));
  constexpr std::size_t kBytes = 6000;
  int rows = 0;
  while (Put(rows, kBytes).ok()) ++rows;
  const auto move = [this](int row, std::size_t bytes) {
    Batch batch;
    batch.Delete(kAt, "row" + std::to_string(row));
    batch.Put(kAt, "image" + std::to_string(row), random_.Bytes(bytes));
    return engine_->Commit(batch, Durability::kProcess);
  };
  EXPECT_FALSE(move(0, 2 * kBytes).ok()) << "it adds bytes";
  EXPECT_FALSE(move(rows, kBytes).ok()) << "there is no such row";
  const Status moved = move(0, kBytes + 100);
  EXPECT_TRUE(moved.ok()) << moved.ToString();
  EXPECT_FALSE(Has(0));
}

// Few deletes hide all that is in tables: too few to be written out because there are many.
TEST_P(SmallDiskTest, TakesWritesAgainWhenWhatIsInTablesWasDeleted) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ASSERT_NO_FATAL_FAILURE(Open(16 * kMiB, 64 * kMiB));
  int rows = 0;
  for (; rows < 60; ++rows) {
    ASSERT_TRUE(Put(rows, 100'000).ok());
    if (rows % 10 == 9) {
      ASSERT_TRUE(engine_->Flush().ok());
    }
  }
  ASSERT_TRUE(engine_->Compact(Role::kRows, {}).ok());
  disk_.OccupyAllBut(0);
  ASSERT_FALSE(Put(rows, 1'000'000).ok());
  ASSERT_NO_FATAL_FAILURE(DeleteAll(rows));
  EXPECT_TRUE(IsAccepted(rows, 1000));
  EXPECT_FALSE(Has(0));
}

// A role that gathers few bytes keeps the logs of all.
TEST_P(SmallDiskTest, TakesWritesAgainWhenOldLogsCanGo) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ASSERT_NO_FATAL_FAILURE(Open(64 * kMiB, 64 * kMiB));
  for (int time = 0; time < 17; ++time) ASSERT_TRUE(Put(1, 200'000).ok());
  if (GetParam().engine == DiskEngine::kRocks) {
    ASSERT_TRUE(engine_->Compact(Role::kRows, {}).ok());  // Of hot, it would remove the log.
  }
  disk_.OccupyAllBut(0);
  const int rows = Fill(1'000'000, 2, 1'000'000);  // The log may have room for some.
  EXPECT_TRUE(IsAccepted(rows, 1000));
  EXPECT_TRUE(Has(1));
}

// A client may wait for the end of the full disk, instead of trying to write. A compaction that is
// under way may take the room once more before the client writes; then the client waits again.
TEST_P(SmallDiskTest, ShowsThatThereIsRoomWithoutAnotherWrite) {
  constexpr int kWaitsMax = 5;
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ASSERT_NO_FATAL_FAILURE(Open(16 * kMiB, 64 * kMiB));
  const int rows = Fill(1'000'000);
  ASSERT_NO_FATAL_FAILURE(DeleteAll(rows));
  bool accepted = false;
  for (int wait = 0; wait < kWaitsMax && !accepted; ++wait) {
    ASSERT_TRUE(IsShownToHaveRoom());
    accepted = Put(rows, 1000).ok();
  }
  EXPECT_TRUE(accepted);
}

// What takes the room here is not ours: nothing that is removed gives any back. Deletes go on, one
// at a time, and must not be written out one by one.
TEST_P(SmallDiskTest, WithNothingToFreeRefusedCommitsCauseFewFlushes) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ASSERT_NO_FATAL_FAILURE(Open(0, 8 * kMiB));
  int rows = 0;
  for (; rows < 1000; ++rows) ASSERT_TRUE(Put(rows, 10'000).ok());
  disk_.SetFull(true);
  rows = Fill(10'000, rows);
  const std::uint64_t log = NewestLog();
  const auto began = std::chrono::steady_clock::now();
  int deleted = 0;
  while (deleted < 300) {
    ASSERT_FALSE(Put(rows, 10'000).ok());
    clock_.Advance(kRoundPauseMax);
    std::this_thread::yield();
    // Rounds get some real time between two deletes.
    if (std::chrono::steady_clock::now() - began < deleted * std::chrono::milliseconds(5)) continue;
    ASSERT_TRUE(Delete(deleted++).ok());
  }
  EXPECT_LE(NewestLog(), log + 30) << "all files are numbered, and each flush makes some";
  for (int row = deleted; row < rows; ++row) ASSERT_TRUE(Has(row)) << row;
}

// RocksDB ends the process when a compaction whose table has no pairs cannot write the table's end.
// Here the ranges that hide all pairs are all there is, and go as well.
TEST_P(SmallDiskTest, FilesWithNothingLeftInThemAreCompactedWithAnyRoom) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ASSERT_NO_FATAL_FAILURE(Open(16 * kMiB, 64 * kMiB));
  for (int attempt = 0; attempt < 12; ++attempt) {
    for (int row = 0; row < 3; ++row) ASSERT_TRUE(Put(row, 1000).ok()) << attempt;
    ASSERT_TRUE(engine_->Flush().ok());
    ASSERT_TRUE(DeleteEverything().ok());
    ASSERT_TRUE(engine_->Flush().ok());
    disk_.OccupyAllBut(0);
    ASSERT_FALSE(Put(0, 1'000'000).ok());
    disk_.OccupyAllBut(random_.Between(0, random_.OneIn(2) ? 8 * kMiB : 10'000));
    const std::vector<FileInfo> files = engine_->Files(Role::kRows).value();
    for (const FileInfo& file : files) {
      static_cast<void>(engine_->CompactFile(Role::kRows, file.name, 0));
    }
    disk_.OccupyAllBut(12 * kMiB);
    ASSERT_TRUE(IsAccepted(0, 1000));
  }
}

TEST_P(SmallDiskTest, ClosesWhileRoomIsMade) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ASSERT_NO_FATAL_FAILURE(Open(16 * kMiB, 64 * kMiB));
  for (int round = 0; round < 5; ++round) {
    const int rows = Fill(1'000'000);
    ASSERT_NO_FATAL_FAILURE(DeleteAll(rows));
    static_cast<void>(Put(rows, 1000));
    ASSERT_TRUE(engine_->Close().ok());
    engine_.reset();
    ASSERT_NO_FATAL_FAILURE(Open(0, 64 * kMiB));
    EXPECT_FALSE(Has(0));
  }
}

TEST_P(SmallDiskTest, IsShownAsFullWheneverCommitsAreRefusedWithoutAReserve) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ASSERT_NO_FATAL_FAILURE(Open(16 * kMiB, 0));
  ASSERT_TRUE(Put(0, 1000).ok());
  disk_.OccupyAllBut(3 * kMiB);
  for (int attempt = 0; attempt < 3; ++attempt) {
    ASSERT_FALSE(Put(1, 4'000'000).ok());
    clock_.Advance(kReserveLookPause);
    EXPECT_TRUE(engine_->Stats()->disk_full);
  }
  ASSERT_TRUE(Put(1, 1000).ok());
  EXPECT_FALSE(engine_->Stats()->disk_full);
}

// With ThreadSanitizer a run takes fifteen times as long. Encryption has no thread of its own, and
// the other presets have it.
#ifdef __SANITIZE_THREAD__
constexpr Way kWays[] = {{DiskEngine::kRocks}, {DiskEngine::kHot}};
#else
constexpr Way kWays[] = {{DiskEngine::kRocks},
                         {DiskEngine::kRocks, "password"},
                         {DiskEngine::kHot},
                         {DiskEngine::kHot, "password"}};
#endif

INSTANTIATE_TEST_SUITE_P(EveryWay, SmallDiskTest, ::testing::ValuesIn(kWays),
                         [](const auto& tested) {
                           return NameOf(tested.param.engine) +
                                  (tested.param.password.empty() ? "" : "Encrypted");
                         });

}  // namespace
}  // namespace mayfly::engine
