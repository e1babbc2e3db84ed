// Goal: what a commit that got room writes, always fits: into this log, or into the next one.
// Method: logs on a disk that fills up, written as RocksDB writes them: one commit at a time, with
// new logs between commits.
#include "engine/rocks/files/log_room.h"

#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include <atomic>
#include <filesystem>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/rocks/files/limits.h"
#include "engine/rocks/testing/faulty_disk.h"

namespace mayfly::engine {
namespace {

using rocksdb::FSWritableFile;
using rocksdb::IOStatus;

constexpr std::uint64_t kKiB = 1 << 10;
constexpr std::uint64_t kMiB = 1 << 20;

class LogRoomTest : public ::testing::Test {
 protected:
  LogRoomTest() { std::filesystem::create_directory(directory_.Inside("db")); }

  std::string PathOf(int number) const {
    return directory_.Inside("db/" + std::to_string(100'000 + number) + ".log");
  }

  std::unique_ptr<FSWritableFile> Make(const std::string& path) {
    std::unique_ptr<FSWritableFile> file;
    EXPECT_TRUE(files_->NewWritableFile(path, {}, &file, nullptr).ok());
    return file;
  }

  std::unique_ptr<FSWritableFile> Begin(int number) { return Make(PathOf(number)); }

  // Begins a log in the place of this one, which is removed.
  void BeginNext(std::unique_ptr<FSWritableFile>& log, int& number) {
    auto next = Begin(number + 1);
    std::swap(log, next);
    std::filesystem::remove(PathOf(number++));
  }

  static IOStatus Append(FSWritableFile& file, std::uint64_t bytes) {
    return file.Append(std::string(bytes, 'x'), {}, nullptr);
  }

  // On a full disk: lets this many bytes find room.
  void FreeSome(std::uint64_t bytes) {
    const std::string path = directory_.Inside("db/other");
    disk_.Occupy(path, bytes);
    ASSERT_TRUE(disk_.env()->DeleteFile(path).ok());
  }

  TemporaryDirectory directory_;
  FaultyDisk disk_;
  LogRoom room_;
  std::shared_ptr<rocksdb::FileSystem> files_ = room_.GiveTo(disk_.env()->GetFileSystem());
};

TEST_F(LogRoomTest, AReservationIsRefusedOnAFullDiskAndGrantedWhenThereIsRoomAgain) {
  const auto log = Begin(1);
  disk_.SetFull(true);
  LogRoom::Reservation reservation(room_, kMiB);
  EXPECT_FALSE(reservation.Take());
  EXPECT_FALSE(reservation.Take());
  disk_.SetFull(false);
  ASSERT_TRUE(reservation.Take());
  disk_.SetFull(true);
  EXPECT_TRUE(Append(*log, kMiB).ok()) << "the room is the reservation's";
}

TEST_F(LogRoomTest, AReservationIsGrantedIfThereIsRoomForItAlone) {
  const auto log = Begin(1);
  disk_.SetFull(true);
  LogRoom::Reservation reservation(room_, kMiB);
  FreeSome(kMiB);
  EXPECT_FALSE(reservation.Take()) << "the next log may have to take it";
  FreeSome(kMiB);
  ASSERT_TRUE(reservation.Take());
  const auto next = Begin(2);
  EXPECT_TRUE(Append(*next, kMiB).ok());
}

TEST_F(LogRoomTest, OnAFullDiskTheNextLogBeginsWithWhatTheLastGivesBack) {
  auto log = Begin(1);
  LogRoom::Reservation reservation(room_, kMiB);
  ASSERT_TRUE(reservation.Take());
  ASSERT_TRUE(Append(*log, 100).ok());
  disk_.SetFull(true);
  for (const int number : {2, 3, 4}) {
    auto next = Begin(number);
    std::swap(log, next);
    EXPECT_TRUE(next->Close({}, nullptr).ok());
  }
  EXPECT_TRUE(Append(*log, kMiB).ok());
  EXPECT_EQ(std::filesystem::file_size(PathOf(1)), 100u) << "a byte that was written is kept";
}

// Zeros behind a torn record would look like damage to a recovery.
TEST_F(LogRoomTest, ALogThatCouldNotBeWrittenDoesNotGrowWhenItGivesBackItsRoom) {
  const auto log = Begin(1);
  ASSERT_TRUE(Append(*log, 100).ok());
  disk_.SetFull(true);
  ASSERT_FALSE(Append(*log, kMiB).ok());
  const std::uint64_t size = std::filesystem::file_size(PathOf(1));
  const auto next = Begin(2);
  EXPECT_LE(std::filesystem::file_size(PathOf(1)), size);
  EXPECT_GE(std::filesystem::file_size(PathOf(1)), 100u);
}

TEST_F(LogRoomTest, ARefusedReservationTakesNothingFromOthers) {
  const auto log = Begin(1);
  disk_.SetFull(true);
  LogRoom::Reservation small(room_, 100);
  ASSERT_TRUE(small.Take());
  LogRoom::Reservation large(room_, 100 * kMiB);
  ASSERT_FALSE(large.Take());
  LogRoom::Reservation another(room_, 100);
  EXPECT_TRUE(another.Take());
  const auto next = Begin(2);
  EXPECT_TRUE(Append(*next, 200).ok());
}

TEST_F(LogRoomTest, AReservationEndsWithItsCommit) {
  const auto log = Begin(1);
  disk_.SetFull(true);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(LogRoom::Reservation(room_, kKiB).Take()) << i;
}

TEST_F(LogRoomTest, ThereIsRoomWhereNoLogIs) {
  disk_.SetFull(true);
  EXPECT_TRUE(LogRoom::Reservation(room_, kMiB).Take());
  const auto log = Begin(1);
  EXPECT_FALSE(LogRoom::Reservation(room_, kMiB).Take());
  EXPECT_TRUE(log->Close({}, nullptr).ok());
  EXPECT_TRUE(LogRoom::Reservation(room_, kMiB).Take());
}

TEST_F(LogRoomTest, OnlyLogsOwnRoom) {
  const auto log = Begin(1);
  disk_.SetFull(true);
  const auto table = Make(directory_.Inside("db/000002.sst"));
  EXPECT_FALSE(Append(*table, 100).ok());
  LogRoom::Reservation reservation(room_, 100);
  ASSERT_TRUE(reservation.Take());
  EXPECT_TRUE(Append(*log, 100).ok());
}

// A file system without fallocate().
class Unallocating final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "Unallocating"; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file,
                           rocksdb::IODebugContext* debug) override {
    IOStatus status = target()->NewWritableFile(path, options, file, debug);
    if (status.ok()) *file = std::make_unique<File>(std::move(*file));
    return status;
  }

 private:
  class File final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;

    IOStatus Allocate(std::uint64_t, std::uint64_t, const rocksdb::IOOptions&,
                      rocksdb::IODebugContext*) override {
      return IOStatus::NotSupported("fallocate");
    }
  };
};

TEST_F(LogRoomTest, AFileSystemThatCannotSetBlocksAsideAlwaysHasRoom) {
  files_ = room_.GiveTo(std::make_shared<Unallocating>(disk_.env()->GetFileSystem()));
  const auto log = Begin(1);
  disk_.SetFull(true);
  LogRoom::Reservation reservation(room_, 100 * kMiB);
  EXPECT_TRUE(reservation.Take());
  const auto next = Begin(2);
  EXPECT_TRUE(LogRoom::Reservation(room_, 100 * kMiB).Take());
}

TEST_F(LogRoomTest, WhatWasGrantedFitsWhateverComesBetween) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  struct Commit {
    Commit(LogRoom& room, std::uint64_t size) : reservation(room, size), bytes(size) {}
    LogRoom::Reservation reservation;
    const std::uint64_t bytes;
  };
  std::list<Commit> granted;
  auto log = Begin(0);
  int number = 0;
  int refused = 0;
  int written = 0;
  for (int step = 0; step < 3000; ++step) {
    const std::uint64_t choice = random.Between(0, 99);
    if (choice < 2) {
      disk_.SetFull(true);
    } else if (choice < 3) {
      disk_.SetFull(false);
    } else if (choice < 10) {
      BeginNext(log, number);
    } else if (choice < 60 && granted.size() < 8) {
      const std::uint64_t bytes = random.Between(1, random.Between(0, 9) == 0 ? kMiB : 20 * kKiB);
      granted.emplace_back(room_, bytes);
      if (granted.back().reservation.Take()) continue;
      granted.pop_back();
      ++refused;
    } else if (!granted.empty()) {
      ASSERT_TRUE(Append(*log, granted.front().bytes).ok()) << "in step " << step;
      granted.pop_front();
      ++written;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(written, 0);
}

TEST_F(LogRoomTest, ReservationsOfSeveralThreadsAreAllCovered) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr int kThreads = 4;
  constexpr int kCommits = 1000;
  std::mutex writing;  // RocksDB writes commits, and begins logs, one at a time.
  auto log = Begin(0);
  int logs = 0;
  std::atomic<int> refused{0};
  std::atomic<int> failed{0};
  const auto commit = [&](std::uint64_t thread_seed) {
    Random random(thread_seed);
    for (int i = 0; i < kCommits; ++i) {
      // Some are larger than what a log owns.
      const std::uint64_t bytes = random.Between(0, 49) == 0 ? kMiB : random.Between(1, 4 * kKiB);
      LogRoom::Reservation reservation(room_, bytes);
      if (!reservation.Take() && !reservation.Take()) {
        ++refused;
        if (random.Between(0, 99) == 0) disk_.SetFull(false);
        continue;
      }
      const std::lock_guard lock(writing);
      if (random.Between(0, 19) == 0) {
        BeginNext(log, logs);
      }
      if (!Append(*log, bytes).ok()) ++failed;
      if (random.Between(0, 19) == 0) disk_.SetFull(true);
    }
  };
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < kThreads; ++i) threads.emplace_back(commit, seed + i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GT(refused, 0);
  EXPECT_GT(logs, 0);
}

}  // namespace
}  // namespace mayfly::engine
