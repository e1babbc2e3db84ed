// Goal: a memory-first directory becomes one of plain rocks with all its rows, or stays what it is.
// Method: rows in tables and in the log alone; the process killed at changes of the files; readers and
// writers beside.
#include "engine/hot/hot_to_rocks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "base/directory_lock.h"
#include "base/temporary_directory.h"
#include "engine/hot/testing/planted_rows.h"
#include "engine/rocks/files/format_file.h"
#include "engine/rocks/testing/faulty_disk.h"

namespace mayfly::engine {
namespace {

namespace fs = std::filesystem;

class HotToRocksTest : public ::testing::TestWithParam<bool> {
 protected:
  RocksOptions Options() const {
    return PlantedAt(home_.Inside("db"), GetParam() ? Bytes("a password") : Bytes());
  }
  std::string Inside(const std::string& name) const { return home_.Inside("db/" + name); }

  void ExpectPlainWithAllRows() const {
    EXPECT_FALSE(fs::exists(Inside("hot")));
    EXPECT_FALSE(fs::exists(Inside("hot.removed")));
    const auto plain = OpenRocksEngine(Options());
    ASSERT_TRUE(plain.has_value()) << plain.error().ToString();
    ExpectPlanted(**plain);
  }

  const TemporaryDirectory home_;
};
INSTANTIATE_TEST_SUITE_P(Modes, HotToRocksTest, ::testing::Values(false, true),
                         [](const auto& mode) { return mode.param ? "Encrypted" : "Plain"; });

TEST_P(HotToRocksTest, ThereAndBackKeepsEveryRow) {
  Plant(Options());
  EXPECT_EQ(OpenRocksEngine(Options()).error().code(), StatusCode::kInvalid);
  ASSERT_TRUE(ConvertHotToRocks(Options()).ok());
  ExpectPlainWithAllRows();
  ASSERT_TRUE(ConvertHotToRocks(Options()).ok()) << "there is nothing to do";
  ExpectPlainWithAllRows();
  {
    const auto plain = *OpenRocksEngine(Options());
    Batch batch;
    batch.Put({Role::kRows}, "plain", "1");
    ASSERT_TRUE(plain->Commit(batch).ok());
  }
  {
    const auto again = OpenPlanted(Options());
    ExpectPlanted(*again);
    Batch batch;
    batch.Put({Role::kRows}, "again", "2");
    ASSERT_TRUE(again->Commit(batch).ok());
  }
  ASSERT_TRUE(ConvertHotToRocks(Options()).ok());
  ExpectPlainWithAllRows();
  const auto plain = *OpenRocksEngine(Options());
  PinnedBytes value;
  EXPECT_TRUE(plain->Get({Role::kRows}, "plain", value).ok());
  EXPECT_TRUE(plain->Get({Role::kRows}, "again", value).ok());
}

TEST_P(HotToRocksTest, IsBusyWhileItIsOpenElsewhere) {
  Plant(Options());
  {
    const auto writer = OpenPlanted(Options());
    EXPECT_EQ(ConvertHotToRocks(Options()).code(), StatusCode::kBusy);
    ExpectPlanted(*writer);
  }
  {
    // As readers hold it: beside a writer, or with a password instead of one.
    const DirectoryLock reader =
        GetParam()
            ? *DirectoryLock::Take(home_.Inside("db"), kLockFileName, DirectoryLock::Mode::kShared)
            : DirectoryLock::Beside(home_.Inside("db"), kLockFileName);
    EXPECT_EQ(ConvertHotToRocks(Options()).code(), StatusCode::kBusy);
  }
  EXPECT_TRUE(fs::exists(Inside("hot"))) << "nothing was removed";
  ASSERT_TRUE(ConvertHotToRocks(Options()).ok());
  ExpectPlainWithAllRows();
}

TEST_P(HotToRocksTest, ADamagedLogIsLeftAsItIs) {
  Plant(Options());
  DamageLogOf(home_.Inside("db"));
  EXPECT_EQ(ConvertHotToRocks(Options()).code(), StatusCode::kCorruption);
  EXPECT_TRUE(HasHotLog(home_.Inside("db")));
}

TEST_P(HotToRocksTest, WhatACrashLeftOfTheFolderIsRemovedByTheNextOpen) {
  Plant(Options());
  ASSERT_TRUE(ConvertHotToRocks(Options()).ok());
  fs::create_directory(Inside("hot.removed"));
  fs::copy_file(Inside("MAYFLY"), Inside("hot.removed/segment-000000000007"));
  EXPECT_FALSE(HasHotLog(home_.Inside("db")));
  ASSERT_TRUE(OpenRocksEngine(Options()).has_value());
  EXPECT_FALSE(fs::exists(Inside("hot.removed")));
}

TEST_P(HotToRocksTest, AKillAtEachChangeLosesNothing) {
  Plant(Options());
  fs::copy(home_.Inside("db"), home_.Inside("original"), fs::copy_options::recursive);
  bool finished = false;
  int killed = 0;
  for (std::uint64_t at = 1; !finished && at < 2000; at += 1 + at / (GetParam() ? 1 : 8)) {
    SCOPED_TRACE("change " + std::to_string(at));
    fs::remove_all(home_.Inside("db"));
    fs::copy(home_.Inside("original"), home_.Inside("db"), fs::copy_options::recursive);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      FaultyDisk disk;
      disk.KillProcessAt(at);
      RocksOptions options = Options();
      options.env = disk.env();
      ::_exit(ConvertHotToRocks(options).ok() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << status;
    finished = !WIFSIGNALED(status);
    killed += finished ? 0 : 1;
    if (at % 2 == 0 || finished) {
      ASSERT_TRUE(ConvertHotToRocks(Options()).ok());
      ExpectPlainWithAllRows();
    } else {
      ExpectPlanted(*OpenPlanted(Options()));
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_TRUE(finished);
  EXPECT_GT(killed, 3);
}

}  // namespace
}  // namespace mayfly::engine
