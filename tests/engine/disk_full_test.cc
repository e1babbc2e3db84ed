// A full disk refuses commits with advice, loses nothing, and is over as soon as there is room.
// Method: the faulty disk says "no space" for a while, in the log, under a flush and while the
// database is opened.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/disk/disk_reserve.h"
#include "engine/disk/limits.h"
#include "mayfly/clock.h"
#include "tests/engine/disk_engine.h"

namespace mayfly::engine {
namespace {

constexpr Address kAt{Role::kRows};

// Counts lines with a word in them; background threads write, too.
class CountingLogger final : public Logger {
 public:
  bool Wants(LogLevel level) const override { return level >= LogLevel::kWarning; }
  void Write(LogLevel, std::string_view line) override {
    const std::lock_guard lock(mutex_);
    lines_.emplace_back(line);
  }
  int lines(std::string_view word) {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(std::count_if(lines_.begin(), lines_.end(), [word](const auto& line) {
      return line.starts_with("the disk of") && line.find(word) != std::string::npos;
    }));
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

struct Way {
  DiskEngine engine;
  Durability durability;
  Bytes password = {};
};

class DiskFullTest : public ::testing::TestWithParam<Way> {
 protected:
  Result<std::unique_ptr<Engine>> TryOpen(DiskSpace* space = nullptr) {
    return home_.Open(GetParam().engine,
                      {.directory = directory_.Inside("db"),
                       .password = GetParam().password,
                       .profile = Profile::kTiny,
                       .write_buffer_bytes = write_buffer_bytes_,
                       .reserve_bytes = reserve_bytes_,
                       .logger = &logger_,
                       .clock = &clock_,
                       .disk_space = space},
                      kSegmentBytes);
  }

  void Open(DiskSpace* space = nullptr) {
    auto engine = TryOpen(space);
    ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
    engine_ = *std::move(engine);
  }

  // A batch over two roles, so that half of it would show.
  Status Commit(int row) {
    Batch batch;
    batch.Put(kAt, "row" + std::to_string(row), std::string(200, 'v'));
    batch.Put({Role::kExpiry}, "entry" + std::to_string(row), "");
    return engine_->Commit(batch, GetParam().durability);
  }

  // Commits rows from this one on until one is refused; returns which.
  int CommitUntilRefused(int row) {
    constexpr int kMore = 5000;  // The log owns some space.
    for (const int end = row + kMore; row < end; ++row) {
      if (!Commit(row).ok()) return row;
    }
    ADD_FAILURE() << "the disk never was full";
    return row;
  }

  bool Has(Role role, const std::string& key) {
    PinnedBytes value;
    const Status read = engine_->Get({role}, key, value);
    EXPECT_TRUE(read.ok() || read.IsNotFound()) << read.ToString();
    return read.ok();
  }

  void ExpectExactly(int rows) {
    for (int row = 0; row < rows + 5; ++row) {
      EXPECT_EQ(Has(Role::kRows, "row" + std::to_string(row)), row < rows) << row;
      EXPECT_EQ(Has(Role::kExpiry, "entry" + std::to_string(row)), row < rows) << row;
    }
  }

  Status Delete(int row) {
    Batch batch;
    batch.Delete(kAt, "row" + std::to_string(row));
    batch.Delete({Role::kExpiry}, "entry" + std::to_string(row));
    batch.Put({Role::kMeta}, "counter", std::to_string(row));
    return engine_->Commit(batch, GetParam().durability);
  }

  static constexpr std::uint64_t kSegmentBytes = 64 << 10;

  std::uint64_t reserve_bytes_ = 0;
  std::size_t write_buffer_bytes_ = 64 << 10;
  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  TemporaryDirectory directory_;
  CountingLogger logger_;
  EngineDisk home_;
  FaultyDisk& disk_ = home_.disk();
  std::unique_ptr<Engine> engine_;
};

// A disk with this many free bytes beside the reserve.
class SmallDisk final : public DiskSpace {
 public:
  explicit SmallDisk(std::uint64_t free_bytes) : free_bytes_(free_bytes) {}

  std::uint64_t FreeBytes(const std::string&) override { return free_bytes_; }
  std::uint64_t TotalBytes(const std::string&) override { return std::uint64_t{1} << 30; }
  bool Allocate(const std::string&, std::uint64_t bytes) override {
    free_bytes_ += held_bytes_;
    held_bytes_ = bytes <= free_bytes_ ? bytes : 0;
    free_bytes_ -= held_bytes_;
    return held_bytes_ == bytes;
  }
  std::uint64_t held_bytes() const { return held_bytes_; }

 private:
  std::uint64_t free_bytes_;
  std::uint64_t held_bytes_ = 0;
};

TEST_P(DiskFullTest, ARefusedCommitLeavesNoTraceAndTheNextOneAfterwardsGoesThrough) {
  write_buffer_bytes_ = 8 << 20;  // No flush: one that fails gives back room that others find.
  Open();
  ASSERT_TRUE(engine_->Flush().ok());  // Old files of the opening would give room back later.
  for (int row = 0; row < 100; ++row) ASSERT_TRUE(Commit(row).ok());
  disk_.SetFull(true);
  int rows = CommitUntilRefused(100);
  int let_through = 0;  // Work in the background may give room back at any moment.
  for (int attempt = 0; attempt < 3; ++attempt) {
    Status refused = Commit(rows);
    for (; refused.ok() && let_through < 100; ++let_through) {
      rows = CommitUntilRefused(rows + 1);
      refused = Commit(rows);
    }
    EXPECT_EQ(refused.code(), StatusCode::kIoError);
    EXPECT_NE(refused.message().find("free some space"), Bytes::npos) << refused.ToString();
    EXPECT_NE(refused.message().find(directory_.path()), Bytes::npos) << refused.ToString();
    ExpectExactly(rows);
    EXPECT_TRUE(engine_->Stats()->disk_full);
  }
  const int room_came_back = logger_.lines("has room again");
  EXPECT_LE(room_came_back, let_through);
  EXPECT_EQ(logger_.lines(" is full"), room_came_back + 1) << "once, not with every commit";
  disk_.SetFull(false);
  const Status accepted = Commit(rows);
  clock_.Advance(kReserveLookPause);
  EXPECT_FALSE(engine_->Stats()->disk_full);
  EXPECT_EQ(logger_.lines("has room again"), room_came_back + 1);
  ASSERT_TRUE(accepted.ok()) << accepted.ToString();
  ExpectExactly(rows + 1);

  ASSERT_TRUE(engine_->Close().ok());
  engine_.reset();
  Open();
  ExpectExactly(rows + 1);
}

TEST_P(DiskFullTest, WhatWasAcknowledgedSurvivesADeathOnAFullDisk) {
  Open();
  // Past several flushes, so that the disk is full for background work as well.
  for (int row = 0; row < 1500; ++row) ASSERT_TRUE(Commit(row).ok());
  disk_.SetFull(true);
  const int acknowledged = CommitUntilRefused(1500);
  const Status closed = engine_->Close();  // May report the full disk; must not lose anything.
  (void)closed;
  engine_.reset();
  disk_.SetFull(false);
  Open();
  ExpectExactly(acknowledged);
}

TEST_P(DiskFullTest, ALogThatIsEmptyCanBeWrittenWhenThereIsRoomAgain) {
  Open();
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    disk_.SetFull(true);
    const int rows = CommitUntilRefused(round * 10'000);
    disk_.SetFull(false);
    const Status accepted = Commit(rows);
    ASSERT_TRUE(accepted.ok()) << accepted.ToString();
    ASSERT_TRUE(engine_->Flush().ok());
  }
}

// RocksDB waited for ever when a log could not be written while a flush was about to begin.
TEST_P(DiskFullTest, AFullDiskMayComeAtAnyMoment) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  Open();
  int row = 0;
  for (int round = 0; round < 6; ++round) {
    for (const int end = row + static_cast<int>(random.Between(1, 400)); row < end; ++row) {
      const Status accepted = Commit(row);
      ASSERT_TRUE(accepted.ok()) << accepted.ToString() << " in round " << round;
    }
    disk_.SetFull(true);
    row = CommitUntilRefused(row);
    disk_.SetFull(false);
  }
  const Status accepted = Commit(row);
  ASSERT_TRUE(accepted.ok()) << accepted.ToString();
  ASSERT_TRUE(engine_->Close().ok());
  engine_.reset();
  Open();
  ExpectExactly(row + 1);
}

TEST_P(DiskFullTest, WithAReserveDeletesGoOnAndWhatAddsBytesDoesNotUseItUp) {
  reserve_bytes_ = 4 << 20;
  Open();
  for (int row = 0; row < 1000; ++row) ASSERT_TRUE(Commit(row).ok());
  disk_.SetFull(true);
  const int rows = CommitUntilRefused(1000);
  for (int attempt = 0; attempt < 50'000; ++attempt) {
    clock_.Advance(kReserveLookPause);
    const Status refused = Commit(rows);
    ASSERT_EQ(refused.code(), StatusCode::kIoError);
    ASSERT_NE(refused.message().find("the disk is full"), Bytes::npos) << refused.ToString();
  }
  for (int row = 500; row < rows; ++row) {
    const Status deleted = Delete(row);
    ASSERT_TRUE(deleted.ok()) << deleted.ToString();
  }
  ASSERT_TRUE(engine_->Flush().ok());
  Batch all;
  all.DeleteRange(kAt, "row4", "row5");
  ASSERT_TRUE(engine_->Commit(all, GetParam().durability).ok());
  EXPECT_EQ(Commit(rows).code(), StatusCode::kIoError) << "there is still no room";
  EXPECT_FALSE(Has(Role::kRows, "row999"));
  EXPECT_FALSE(Has(Role::kRows, "row499"));
  EXPECT_TRUE(Has(Role::kRows, "row399"));
  EXPECT_TRUE(engine_->Stats()->disk_full);
  EXPECT_EQ(logger_.lines(" is full"), 1);

  disk_.SetFull(false);
  clock_.Advance(kReserveLookPause - Millis(1));
  EXPECT_TRUE(engine_->Stats()->disk_full) << "it is not yet time to look";
  clock_.Advance(Millis(1));
  // Stats() shows that it is over, without any write.
  EXPECT_FALSE(engine_->Stats()->disk_full);
  EXPECT_EQ(logger_.lines("has room again"), 1);
  const Status accepted = Commit(rows);
  EXPECT_TRUE(accepted.ok()) << accepted.ToString();
}

TEST_P(DiskFullTest, WithAReserveAFullDiskIsOpened) {
  reserve_bytes_ = 4 << 20;
  Open();
  constexpr int kRows = 1000;
  for (int row = 0; row < kRows; ++row) ASSERT_TRUE(Commit(row).ok());
  ASSERT_TRUE(engine_->Close().ok());
  engine_.reset();
  disk_.SetFull(true);
  Open();
  ExpectExactly(kRows);
  EXPECT_EQ(Commit(kRows).code(), StatusCode::kIoError);
  EXPECT_TRUE(Delete(kRows - 1).ok());
  ExpectExactly(kRows - 1);
}

TEST_P(DiskFullTest, AReserveThatIsHeldCountsAsRoomWhenTheDatabaseIsOpened) {
  reserve_bytes_ = 4 << 20;
  SmallDisk space(9 << 20);
  for (int opening = 0; opening < 2; ++opening) {
    ASSERT_NO_FATAL_FAILURE(Open(&space));
    EXPECT_EQ(space.held_bytes(), reserve_bytes_);
    EXPECT_FALSE(engine_->Stats()->disk_full) << "more is free than the reserve";
    const Status accepted = Commit(opening);
    EXPECT_TRUE(accepted.ok()) << accepted.ToString();
    ASSERT_TRUE(engine_->Close().ok());
    engine_.reset();
  }
}

TEST_P(DiskFullTest, WithoutRoomOpeningSaysWhatItNeedsAndWorksWhenThereIsSome) {
  Open();
  constexpr int kRows = 1000;
  for (int row = 0; row < kRows; ++row) ASSERT_TRUE(Commit(row).ok());
  ASSERT_TRUE(engine_->Close().ok());
  engine_.reset();
  disk_.SetFull(true);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto refused = TryOpen();
    ASSERT_EQ(refused.status().code(), StatusCode::kIoError) << refused.status().ToString();
    EXPECT_NE(refused.status().message().find("opening needs about"), Bytes::npos)
        << refused.status().ToString();
  }
  disk_.SetFull(false);
  Open();
  ExpectExactly(kRows);
}

// Each call either does all of its work or says that it could not, and all go on afterwards. Busy is
// a flush whose rows are in tables, while a full disk kept RocksDB from letting go of the old log.
TEST_P(DiskFullTest, FlushCompactionAndSyncGoOnWhenThereIsRoomAgain) {
  Open();
  int row = 0;
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    for (const int end = row + 300; row < end; ++row) ASSERT_TRUE(Commit(row).ok());
    disk_.SetFull(true);
    row = CommitUntilRefused(row);
    const auto check = [](const Status& status) {
      EXPECT_TRUE(status.ok() || status.code() == StatusCode::kIoError) << status.ToString();
    };
    if (const Status full = engine_->Flush(); full.code() != StatusCode::kBusy) check(full);
    check(engine_->Compact(Role::kRows, {}));
    check(engine_->Sync(Durability::kDisk));
    ExpectExactly(row);
    disk_.SetFull(false);
    clock_.Advance(kReserveLookPause);
    Status flushed;
    for (int attempt = 0; attempt < 3 && !(flushed = engine_->Flush()).ok(); ++attempt) {
      ASSERT_TRUE(Commit(row++).ok());  // Resumes RocksDB.
    }
    ASSERT_TRUE(flushed.ok()) << flushed.ToString();
    ASSERT_TRUE(engine_->Compact(Role::kRows, {}).ok());
    ASSERT_TRUE(engine_->Sync(Durability::kDisk).ok());
    ExpectExactly(row);
  }
  ASSERT_TRUE(engine_->Close().ok());
  engine_.reset();
  Open();
  ExpectExactly(row);
}

INSTANTIATE_TEST_SUITE_P(EveryWay, DiskFullTest,
                         ::testing::Values(Way{DiskEngine::kRocks, Durability::kProcess},
                                           Way{DiskEngine::kRocks, Durability::kDisk},
                                           Way{DiskEngine::kRocks, Durability::kDisk, "password"},
                                           Way{DiskEngine::kHot, Durability::kProcess},
                                           Way{DiskEngine::kHot, Durability::kDisk},
                                           Way{DiskEngine::kHot, Durability::kDisk, "password"}),
                         [](const auto& tested) {
                           const Way& way = tested.param;
                           if (!way.password.empty()) return NameOf(way.engine) + "Encrypted";
                           return NameOf(way.engine) +
                                  (way.durability == Durability::kDisk ? "Disk" : "Process");
                         });

}  // namespace
}  // namespace mayfly::engine
