// Goal: a memory-first database is copied under another key as a whole, its log included, or not at
// all, and no file of the copy shows anything in plain or under the old key.
// Method: planted bytes in tables and log, searched for in raw files; the disk full, failing, or the
// process killed at each step of the copy of the log.
#include "engine/hot/hot_reencrypt.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "base/temporary_directory.h"
#include "engine/hot/testing/planted_rows.h"
#include "engine/rocks/testing/faulty_disk.h"

namespace mayfly::engine {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kPassword = "correct horse";
constexpr Bytes kNewPassword = "battery staple";

// Calls before each change of the files of a log; an error of it is the change's.
class WatchedLogFiles final : public hot::LogFiles {
 public:
  using Watch = std::function<Status()>;

  WatchedLogFiles(std::unique_ptr<hot::LogFiles> files, Watch watch)
      : files_(std::move(files)), watch_(std::move(watch)) {}

  Result<std::vector<std::string>> List() override { return files_->List(); }
  Result<std::unique_ptr<hot::LogFile>> Create(const std::string& name) override {
    MAYFLY_RETURN_IF_ERROR(watch_());
    MAYFLY_TRY(auto file, files_->Create(name));
    return std::unique_ptr<hot::LogFile>(std::make_unique<File>(std::move(file), watch_));
  }
  Result<std::unique_ptr<hot::LogFile>> Open(const std::string& name) override {
    MAYFLY_TRY(auto file, files_->Open(name));
    return std::unique_ptr<hot::LogFile>(std::make_unique<File>(std::move(file), watch_));
  }
  Status Remove(const std::string& name) override {
    MAYFLY_RETURN_IF_ERROR(watch_());
    return files_->Remove(name);
  }
  Status SyncDirectory() override {
    MAYFLY_RETURN_IF_ERROR(watch_());
    return files_->SyncDirectory();
  }
  std::string PathOf(const std::string& name) const override { return files_->PathOf(name); }

 private:
  class File final : public hot::LogFile {
   public:
    File(std::unique_ptr<hot::LogFile> file, const Watch& watch)
        : file_(std::move(file)), watch_(watch) {}

    Status Allocate(std::uint64_t bytes) override {
      MAYFLY_RETURN_IF_ERROR(watch_());
      return file_->Allocate(bytes);
    }
    Status Write(std::uint64_t offset, Bytes bytes) override {
      MAYFLY_RETURN_IF_ERROR(watch_());
      return file_->Write(offset, bytes);
    }
    Result<std::string> Read(std::uint64_t offset, std::uint64_t bytes) override {
      return file_->Read(offset, bytes);
    }
    Result<std::uint64_t> Size() override { return file_->Size(); }
    Status Truncate(std::uint64_t bytes) override {
      MAYFLY_RETURN_IF_ERROR(watch_());
      return file_->Truncate(bytes);
    }
    Status Sync() override {
      MAYFLY_RETURN_IF_ERROR(watch_());
      return file_->Sync();
    }
    Result<char*> Map(std::uint64_t bytes) override { return file_->Map(bytes); }
    void Populate(std::uint64_t offset, std::uint64_t bytes) override {
      file_->Populate(offset, bytes);
    }

   private:
    const std::unique_ptr<hot::LogFile> file_;
    const Watch& watch_;
  };

  const std::unique_ptr<hot::LogFiles> files_;
  const Watch watch_;
};

class HotReencryptTest : public ::testing::Test {
 protected:
  std::string At(const std::string& name) const { return home_.Inside(name); }

  WatchedLogFiles LogOf(const std::string& name, WatchedLogFiles::Watch watch) const {
    return {hot::NewLogFiles(At(name) + "/" + kHotLogFolder), std::move(watch)};
  }

  // Changes of the files of the new log in one copy. Many copies are made without passwords, each of
  // which costs a part of a second; the steps are the same.
  int ChangesOfACopy() {
    int changes = 0;
    WatchedLogFiles log = LogOf("counted", [&] {
      ++changes;
      return Status();
    });
    const Status copied = ReencryptHot({At("db"), "", At("counted"), ""}, nullptr, &log);
    EXPECT_TRUE(copied.ok()) << copied.ToString();
    fs::remove_all(At("counted"));
    return changes;
  }

  void ExpectPlantedIn(const std::string& name, Bytes password) {
    const auto engine = OpenPlanted(PlantedAt(At(name), password));
    ASSERT_NE(engine, nullptr);
    ExpectPlanted(*engine);
  }

  const TemporaryDirectory home_;
};

TEST_F(HotReencryptTest, GoesEveryWay) {
  Plant(PlantedAt(At("plain"), ""));
  EXPECT_FALSE(ShowingPlanted(At("plain") + "/hot").empty()) << "the search finds what is there";
  ASSERT_TRUE(ReencryptHot({At("plain"), "", At("one"), kPassword}).ok());
  EXPECT_EQ(ShowingPlanted(At("one")), std::set<std::string>());
  EXPECT_TRUE(HasHotLog(At("one")));
  fs::copy(At("one"), At("again"), fs::copy_options::recursive);
  ExpectPlantedIn("one", kPassword);

  ASSERT_TRUE(ReencryptHot({At("again"), kPassword, At("two"), kNewPassword}).ok());
  EXPECT_EQ(ShowingPlanted(At("two")), std::set<std::string>());
  EXPECT_EQ(OpenHotEngine(PlantedAt(At("two"), kPassword)).error().code(),
            StatusCode::kWrongPassword);
  fs::copy(At("two"), At("mixed"), fs::copy_options::recursive);
  ExpectPlantedIn("two", kNewPassword);
  // Another key, so the old key file opens nothing of it, and the old log does not fit the new files.
  fs::remove_all(At("mixed/hot"));
  fs::copy(At("again/hot"), At("mixed/hot"), fs::copy_options::recursive);
  EXPECT_EQ(OpenHotEngine(PlantedAt(At("mixed"), kNewPassword)).error().code(),
            StatusCode::kCorruption);

  ASSERT_TRUE(ReencryptHot({At("again"), kPassword, At("three"), ""}).ok());
  EXPECT_FALSE(ShowingPlanted(At("three") + "/hot").empty());
  ExpectPlantedIn("three", "");
}

// What an orderly close and a later open leave: a log in several segments, some of them trimmed.
TEST_F(HotReencryptTest, TheCopyGoesOnAsTheOriginalDoes) {
  Plant(PlantedAt(At("db"), kPassword));
  ASSERT_TRUE(ReencryptHot({At("db"), kPassword, At("new"), kNewPassword}).ok());
  for (int round = 0; round < 3; ++round) {
    const auto engine = OpenPlanted(PlantedAt(At("new"), kNewPassword));
    ExpectPlanted(*engine);
    Batch batch;
    batch.Put({Role::kRows}, "round" + std::to_string(round), "v");
    ASSERT_TRUE(engine->Commit(batch).ok());
    if (round == 1) {
      ASSERT_TRUE(engine->Flush().ok());
    }
    ASSERT_TRUE(engine->Close().ok());
  }
  ASSERT_TRUE(ReencryptHot({At("new"), kNewPassword, At("newer"), ""}).ok());
  const auto engine = OpenPlanted(PlantedAt(At("newer"), ""));
  ExpectPlanted(*engine);
  PinnedBytes value;
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(engine->Get({Role::kRows}, "round" + std::to_string(round), value).ok());
  }
}

TEST_F(HotReencryptTest, RefusesWhatItShould) {
  Plant(PlantedAt(At("db"), kPassword));
  EXPECT_EQ(ReencryptHot({At("db"), "wrong", At("new"), ""}).code(), StatusCode::kWrongPassword);
  EXPECT_EQ(ReencryptRocks({At("db"), kPassword, At("new"), ""}).code(), StatusCode::kInvalid)
      << "the copy would lack the log";
  EXPECT_FALSE(fs::exists(At("new")));
  {
    const auto engine = OpenPlanted(PlantedAt(At("db"), kPassword));
    EXPECT_EQ(ReencryptHot({At("db"), kPassword, At("new"), ""}).code(), StatusCode::kBusy);
  }
  // A damaged log: the copy would lack rows without a word.
  DamageLogOf(At("db"));
  const Status damaged = ReencryptHot({At("db"), kPassword, At("new"), ""});
  EXPECT_EQ(damaged.code(), StatusCode::kCorruption) << damaged.ToString();
  EXPECT_NE(damaged.message().find("--salvage"), Bytes::npos) << damaged.ToString();
  EXPECT_FALSE(fs::exists(At("new")));
}

TEST_F(HotReencryptTest, AFullDiskLeavesTheOldPasswordAndNothingElse) {
  {
    Plant(PlantedAt(At("secret"), kPassword));
    FaultyDisk disk;
    disk.SetFull(true);
    EXPECT_EQ(ReencryptHot({At("secret"), kPassword, At("new"), kNewPassword}, disk.env()).code(),
              StatusCode::kIoError);
    EXPECT_FALSE(fs::exists(At("new")));
    ExpectPlantedIn("secret", kPassword);
  }
  Plant(PlantedAt(At("db"), ""));
  const int changes = ChangesOfACopy();
  ASSERT_GT(changes, 5);
  for (int failing = 0; failing < changes; ++failing) {
    int change = 0;
    WatchedLogFiles log =
        LogOf("new", [&] { return change++ < failing ? Status() : Status::Busy("no space left"); });
    const Status refused = ReencryptHot({At("db"), "", At("new"), ""}, nullptr, &log);
    // Without room for the segment after the last one, or for its removal, the copy is whole.
    if (refused.ok()) {
      ExpectPlantedIn("new", "");
      fs::remove_all(At("new"));
      continue;
    }
    EXPECT_EQ(refused.code(), StatusCode::kIoError) << refused.ToString();
    EXPECT_FALSE(fs::exists(At("new"))) << "after " << failing << " changes";
  }
  ExpectPlantedIn("db", "");
}

TEST_F(HotReencryptTest, AKillAtEachStepLeavesTheOldAndNoHalfOfTheNew) {
  Plant(PlantedAt(At("db"), ""));
  const int changes = ChangesOfACopy();
  const auto copy_in_child = [&](const std::function<Status()>& copy) {
    const pid_t child = ::fork();
    EXPECT_GE(child, 0);
    if (child == 0) ::_exit(copy().ok() ? 0 : 1);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << status;
    return !WIFSIGNALED(status);
  };
  const auto expect_whole_or_none = [&](bool finished) {
    RocksOptions existing = PlantedAt(At("new"), "");
    existing.create_if_missing = false;
    auto opened = OpenHotEngine(existing, PlantedOptions());
    EXPECT_EQ(opened.has_value(), finished) << "the file MAYFLY is written last";
    if (opened) {
      ExpectPlanted(**opened);
    } else {
      EXPECT_TRUE(opened.error().IsNotFound() || opened.error().code() == StatusCode::kCorruption)
          << opened.error().ToString();
    }
    if (opened) opened->reset();
    fs::remove_all(At("new"));
  };
  for (int killed_at = 0; killed_at < changes; killed_at += 1 + changes / 40) {
    SCOPED_TRACE("change " + std::to_string(killed_at) + " of the log");
    expect_whole_or_none(copy_in_child([&] {
      int change = 0;
      WatchedLogFiles log = LogOf("new", [&] {
        if (change++ == killed_at) ::raise(SIGKILL);
        return Status();
      });
      return ReencryptHot({At("db"), "", At("new"), ""}, nullptr, &log);
    }));
  }
  int finished = 0;
  for (std::uint64_t killed_at = 1; killed_at < 200 && finished == 0; killed_at += 3) {
    SCOPED_TRACE("change " + std::to_string(killed_at) + " of the files below");
    const bool done = copy_in_child([&] {
      FaultyDisk disk;
      disk.KillProcessAt(killed_at);
      return ReencryptHot({At("db"), "", At("new"), ""}, disk.env());
    });
    finished += done ? 1 : 0;
    if (done) {
      expect_whole_or_none(true);
      continue;
    }
    // Killed after the rename of MAYFLY, the copy is whole.
    if (fs::exists(At("new/MAYFLY"))) {
      ExpectPlantedIn("new", "");
      fs::remove_all(At("new"));
    } else {
      expect_whole_or_none(false);
    }
  }
  EXPECT_EQ(finished, 1) << "every change was tried";
  ExpectPlantedIn("db", "");
}

}  // namespace
}  // namespace mayfly::engine
