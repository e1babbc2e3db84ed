// Goal: on a full disk, compactions leave a part of the reserve, and nothing else is held back.
// Method: tables on a real file system, with a disk whose free bytes the test sets.
#include "engine/rocks/files/compaction_room.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary_directory.h"
#include "engine/rocks/files/limits.h"
#include "mayfly/clock.h"

namespace mayfly::engine {
namespace {

constexpr std::uint64_t kReserve = std::uint64_t{16} << 20;
constexpr std::uint64_t kLeft = kReserve / kReserveLeftByCompactions;

class SettableSpace final : public DiskSpace {
 public:
  std::uint64_t FreeBytes(const std::string&) override { return free_bytes; }
  std::uint64_t TotalBytes(const std::string&) override { return std::uint64_t{1} << 30; }
  bool Allocate(const std::string&, std::uint64_t) override { return true; }

  std::uint64_t free_bytes = std::uint64_t{1} << 30;
};

class CompactionRoomTest : public ::testing::Test {
 protected:
  CompactionRoomTest() { reserve_.AfterOpen(); }

  // Appends bytes to a new file.
  rocksdb::IOStatus Append(const std::string& name, bool by_compaction, std::size_t bytes) {
    TableBegins(by_compaction);
    std::unique_ptr<rocksdb::FSWritableFile> file;
    const auto made = files_->NewWritableFile(directory_.Inside(name), {}, &file, nullptr);
    if (!made.ok()) return made;
    return file->Append(std::string(bytes, 'x'), {}, nullptr);
  }

  SettableSpace space_;
  TemporaryDirectory directory_;
  ManualClock clock_{WallTimeFromMs(0)};
  DiskReserve reserve_{space_, directory_.path(), kReserve, clock_, SilentLogger()};
  const std::shared_ptr<rocksdb::FileSystem> files_ =
      LeaveRoomForDeletes(rocksdb::FileSystem::Default(), reserve_);
};

TEST_F(CompactionRoomTest, CompactionsMayFillADiskWhoseReserveIsKept) {
  space_.free_bytes = 0;
  EXPECT_TRUE(Append("000001.sst", true, 100).ok());
}

TEST_F(CompactionRoomTest, CompactionsLeaveAPartOfAReserveThatIsGivenUp) {
  reserve_.GiveUp(0);
  constexpr std::uint64_t kBytes = 2 * kTableRoomOwned;
  space_.free_bytes = kLeft + kBytes;
  EXPECT_TRUE(Append("000001.sst", true, kBytes).ok());
  EXPECT_TRUE(Append("000002.sst", true, kBytes + 1).IsNoSpace());
}

TEST_F(CompactionRoomTest, ATableThatWasMadeHasRoomForAFewBytes) {
  reserve_.GiveUp(0);
  TableBegins(true);
  space_.free_bytes = kLeft + kTableRoomOwned;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  const std::string path = directory_.Inside("000001.sst");
  ASSERT_TRUE(files_->NewWritableFile(path, {}, &file, nullptr).ok());
  space_.free_bytes = 0;
  EXPECT_TRUE(file->Append(std::string(kTableRoomOwned, 'x'), {}, nullptr).ok());
  EXPECT_TRUE(file->Append("x", {}, nullptr).IsNoSpace());

  const std::string other = directory_.Inside("000002.sst");
  EXPECT_TRUE(files_->NewWritableFile(other, {}, &file, nullptr).IsNoSpace());
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(CompactionRoomTest, FlushesAndOtherFilesMayUseAllOfIt) {
  reserve_.GiveUp(0);
  space_.free_bytes = 0;
  EXPECT_TRUE(Append("000001.sst", false, 100).ok());
  EXPECT_TRUE(Append("000002.log", true, 100).ok());
  EXPECT_TRUE(Append("MANIFEST-000003", true, 100).ok());
}

}  // namespace
}  // namespace mayfly::engine
