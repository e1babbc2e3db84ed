// Profiles bound memory and threads.
// Method: write several times a profile's memory, then check the engine's and the kernel's figures.
#include "engine/rocks/rocks_profile.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {
namespace {

std::ptrdiff_t ThreadCount() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(RocksProfile, TinyStaysUnderItsMemoryWithFewThreads) {
  const TemporaryDirectory directory;
  const std::ptrdiff_t threads_before = ThreadCount();
  auto opened = OpenRocksEngine({.directory = directory.path() + "/db", .profile = Profile::kTiny});
  ASSERT_TRUE(opened.has_value()) << opened.status().ToString();
  Engine& engine = **opened;

  constexpr std::uint64_t kMebibyte = 1 << 20;
  Random random(7);
  Batch batch;
  std::uint64_t written = 0;
  std::uint64_t highest = 0;
  for (int number = 0; written < 40 * kMebibyte; ++number) {
    batch.Clear();
    for (std::size_t role = 0; role < kRoleCount; ++role) {
      batch.Put({static_cast<Role>(role)}, random.Bytes(16), random.Bytes(1000));
    }
    written += batch.bytes();
    ASSERT_TRUE(engine.Commit(batch).ok());
    if (number % 500 == 0) highest = std::max(highest, engine.Stats()->memory_bytes);
  }
  PinnedBytes value;
  for (int i = 0; i < 20000; ++i) {
    const Status read = engine.Get({Role::kRows}, random.Bytes(16), value);
    ASSERT_TRUE(read.IsNotFound()) << read.ToString();
  }
  highest = std::max(highest, engine.Stats()->memory_bytes);
  EXPECT_LT(highest, 16 * kMebibyte);
  // Two background jobs make up to two threads each for flushing and compacting, and RocksDB one
  // for its timer. They belong to the process and are shared by its databases.
  EXPECT_LE(ThreadCount() - threads_before, 5);
  EXPECT_GT(engine.Stats()->disk_bytes, 30 * kMebibyte);
}

TEST(RocksProfile, EachAllowsMoreThanTheOneBefore) {
  std::size_t cache = 0;
  std::size_t buffers = 0;
  for (const Profile profile : {Profile::kTiny, Profile::kDefault, Profile::kServer}) {
    const RocksSetup setup = SetupRocks({.profile = profile});
    EXPECT_GT(setup.block_cache->GetCapacity(), cache);
    EXPECT_GT(setup.database.db_write_buffer_size, buffers);
    EXPECT_EQ(setup.families.size(), kRoleCount);
    cache = setup.block_cache->GetCapacity();
    buffers = setup.database.db_write_buffer_size;
  }
}

class DiskOf final : public DiskSpace {
 public:
  explicit DiskOf(std::uint64_t bytes) : bytes_(bytes) {}

  std::uint64_t FreeBytes(const std::string&) override { return bytes_; }
  std::uint64_t TotalBytes(const std::string&) override { return bytes_; }
  bool Allocate(const std::string&, std::uint64_t) override { return true; }

 private:
  const std::uint64_t bytes_;
};

TEST(RocksProfile, WhatIsInMemoryFitsIntoTheReserveOfASmallDisk) {
  constexpr std::uint64_t kMebibyte = 1 << 20;
  const RocksOptions asked{.profile = Profile::kServer, .reserve_bytes = 64 * kMebibyte};
  DiskOf large(1024 * kMebibyte);
  EXPECT_EQ(ForDisk(asked, large).write_buffer_bytes, 0U) << "as the profile says";
  DiskOf small(64 * kMebibyte);
  const RocksOptions with_reserve = ForDisk(asked, small);
  EXPECT_EQ(with_reserve.write_buffer_bytes, kMebibyte) << "of a reserve of 16 MiB";
  const RocksSetup setup = SetupRocks(with_reserve);
  EXPECT_EQ(setup.database.max_total_wal_size, 4 * kMebibyte);
  EXPECT_EQ(setup.database.db_write_buffer_size, 4 * kMebibyte);
}

TEST(RocksProfile, WriteBuffersAreSmallOnASmallDiskWithoutAReserve) {
  constexpr std::uint64_t kMebibyte = 1 << 20;
  const RocksOptions without{.profile = Profile::kServer};
  DiskOf large(1024 * kMebibyte);
  EXPECT_EQ(ForDisk(without, large).write_buffer_bytes, 0U);
  DiskOf small(64 * kMebibyte);
  EXPECT_EQ(ForDisk(without, small).write_buffer_bytes, kMebibyte);
  DiskOf unknown(0);
  EXPECT_EQ(ForDisk(without, unknown).write_buffer_bytes, 0U);
}

TEST(RocksProfile, ACompactionWithoutRoomIsNoReasonToStop) {
  using rocksdb::BackgroundErrorReason;
  const RocksSetup setup = SetupRocks({});
  rocksdb::EventListener& listener = *setup.database.listeners.front();
  const auto io_error = [](int error) {
    return rocksdb::Status::IOError("While appending to file: a.sst", std::strerror(error));
  };
  for (const auto& cause : {rocksdb::Status::NoSpace(), io_error(EDQUOT), io_error(EFBIG)}) {
    rocksdb::Status compaction(cause, rocksdb::Status::Severity::kFatalError);
    listener.OnBackgroundError(BackgroundErrorReason::kCompaction, &compaction);
    EXPECT_TRUE(compaction.ok()) << cause.ToString();
    EXPECT_FALSE(setup.flushes->is_closed());
  }
  rocksdb::Status broken(io_error(EIO), rocksdb::Status::Severity::kFatalError);
  listener.OnBackgroundError(BackgroundErrorReason::kCompaction, &broken);
  EXPECT_FALSE(broken.ok());
  EXPECT_TRUE(setup.flushes->is_closed());
  setup.flushes->Open();

  rocksdb::Status flush(rocksdb::Status::NoSpace(), rocksdb::Status::Severity::kHardError);
  listener.OnBackgroundError(BackgroundErrorReason::kFlush, &flush);
  EXPECT_TRUE(flush.IsNoSpace());
  EXPECT_TRUE(setup.flushes->is_closed());
}

}  // namespace
}  // namespace mayfly::engine
