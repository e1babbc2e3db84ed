// Opening on a full disk gives back what a crash left taken, and nothing else. What all engines do on a
// full disk: tests/engine/disk_full_test.cc.
// Method: the faulty disk says "no space" while the database is opened.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/disk/disk_reserve.h"
#include "engine/rocks/files/limits.h"
#include "engine/rocks/files/rocks_directory.h"
#include "engine/rocks/rocks_engine.h"
#include "engine/rocks/testing/faulty_disk.h"
#include "mayfly/clock.h"

namespace mayfly::engine {
namespace {

constexpr Address kAtFullDisk{Role::kRows};

struct Way {
  Durability durability;
  Bytes password = {};
};

class RocksDiskFull : public ::testing::TestWithParam<Way> {
 protected:
  Result<std::unique_ptr<Engine>> TryOpen(DiskSpace* space) {
    return OpenRocksEngine({.directory = directory_.Inside("db"),
                            .password = GetParam().password,
                            .profile = Profile::kTiny,
                            .write_buffer_bytes = 64 << 10,
                            .clock = &clock_,
                            .env = disk_.env(),
                            .disk_space = space});
  }

  void Open(DiskSpace* space = nullptr) {
    auto engine = TryOpen(space != nullptr ? space : disk_.space());
    ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
    engine_ = *std::move(engine);
  }

  // A batch over two roles, so that half of it would show.
  Status Commit(int row) {
    Batch batch;
    batch.Put(kAtFullDisk, "row" + std::to_string(row), std::string(200, 'v'));
    batch.Put({Role::kExpiry}, "entry" + std::to_string(row), "");
    return engine_->Commit(batch, GetParam().durability);
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

  // Closes the database with rows in tables and in its log.
  void CloseWith(int rows) {
    Open();
    for (int row = 0; row < rows; ++row) ASSERT_TRUE(Commit(row).ok());
    ASSERT_TRUE(engine_->Close().ok());
    engine_.reset();
    ASSERT_FALSE(Paths(FileKind::kTable).empty());
    ASSERT_FALSE(Paths(FileKind::kLog).empty());
  }

  std::vector<std::string> Paths(FileKind kind) {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.Inside("db"))) {
      if (FileNamed(entry.path().filename()).kind == kind) paths.push_back(entry.path());
    }
    return paths;
  }

  // Tables as an unfinished compaction leaves them: with numbers before and after the manifest's.
  void LeaveUnfinishedTables() {
    for (const std::string& path : unfinished_) disk_.Occupy(path, 1 << 20);
  }
  void ExpectUnfinishedTables(bool exist) {
    for (const std::string& path : unfinished_) {
      EXPECT_EQ(std::filesystem::exists(path), exist) << path;
    }
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  TemporaryDirectory directory_;
  FaultyDisk disk_;
  std::unique_ptr<Engine> engine_;
  const std::vector<std::string> unfinished_{directory_.Inside("db/000002.sst"),
                                             directory_.Inside("db/900000.sst")};
};

TEST_P(RocksDiskFull, OpeningRemovesUnfinishedTablesBeforeItNeedsTheirRoom) {
  constexpr int kRows = 1000;
  ASSERT_NO_FATAL_FAILURE(CloseWith(kRows));
  LeaveUnfinishedTables();
  disk_.SetFull(true);
  ASSERT_NO_FATAL_FAILURE(Open());
  ExpectUnfinishedTables(false);
  ExpectExactly(kRows);
}

TEST_P(RocksDiskFull, OpeningRemovesNothingByADamagedManifest) {
  ASSERT_NO_FATAL_FAILURE(CloseWith(1000));
  LeaveUnfinishedTables();
  for (const std::string& path : Paths(FileKind::kManifest)) {
    std::fstream manifest(path, std::ios::in | std::ios::out | std::ios::binary);
    manifest.seekp(-20, std::ios::end);
    manifest << "damage";
  }
  disk_.SetFull(true);
  EXPECT_FALSE(TryOpen(disk_.space()).has_value());
  ExpectUnfinishedTables(true);
}

TEST_P(RocksDiskFull, OpeningRemovesNothingByAManifestWhoseTablesAreMissing) {
  ASSERT_NO_FATAL_FAILURE(CloseWith(1000));
  std::filesystem::remove(Paths(FileKind::kTable).front());
  LeaveUnfinishedTables();
  EXPECT_FALSE(TryOpen(disk_.space()).has_value());
  ExpectUnfinishedTables(true);
}

TEST_P(RocksDiskFull, OpeningWithoutRoomGivesBackWhatFilesPreallocatedAndSaysWhatItNeeds) {
  constexpr int kRows = 1000;
  constexpr std::uint64_t kPreallocatedBytes = 8 << 20;
  ASSERT_NO_FATAL_FAILURE(CloseWith(kRows));
  std::vector<std::string> paths = Paths(FileKind::kLog);
  for (std::string& path : Paths(FileKind::kManifest)) paths.push_back(std::move(path));
  std::vector<std::uint64_t> sizes;
  for (const std::string& path : paths) {
    sizes.push_back(std::filesystem::file_size(path));
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    const int made = fallocate(file, FALLOC_FL_KEEP_SIZE, 0, kPreallocatedBytes);
    close(file);
    if (made != 0) GTEST_SKIP() << "this file system does not preallocate";
  }
  disk_.SetFull(true);
  const auto refused = TryOpen(disk_.space());
  ASSERT_EQ(refused.status().code(), StatusCode::kIoError);
  EXPECT_NE(refused.status().message().find("opening needs about"), Bytes::npos)
      << refused.status().ToString();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    struct stat about {};
    ASSERT_EQ(stat(paths[i].c_str(), &about), 0);
    EXPECT_EQ(static_cast<std::uint64_t>(about.st_size), sizes[i]) << paths[i];
    EXPECT_LT(static_cast<std::uint64_t>(about.st_blocks) * 512, kPreallocatedBytes / 2)
        << paths[i];
  }
  disk_.SetFull(false);
  Open();
  ExpectExactly(kRows);
}

INSTANTIATE_TEST_SUITE_P(EveryDurability, RocksDiskFull,
                         ::testing::Values(Way{Durability::kProcess}, Way{Durability::kDisk},
                                           Way{Durability::kDisk, "password"}),
                         [](const auto& tested) {
                           if (!tested.param.password.empty()) return "Encrypted";
                           return tested.param.durability == Durability::kDisk ? "Disk" : "Process";
                         });

}  // namespace
}  // namespace mayfly::engine
