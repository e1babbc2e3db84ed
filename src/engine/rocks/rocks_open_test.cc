// Which directories can be opened, and the errors for the others.
// Method: real directories, one thing wrong with each.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/checksum.h"
#include "base/temporary_directory.h"
#include "engine/rocks/files/format_file.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {
namespace {

using ::testing::Test;

class RocksOpen : public Test {
 protected:
  RocksOptions At(const std::string& name) const {
    return {.directory = directory_.Inside(name), .profile = Profile::kTiny};
  }

  static std::unique_ptr<Engine> MustOpen(const RocksOptions& options) {
    auto engine = OpenRocksEngine(options);
    EXPECT_TRUE(engine.has_value()) << engine.status().ToString();
    return engine ? *std::move(engine) : nullptr;
  }

  static void PutOne(Engine& engine, Bytes key, Bytes value) {
    Batch batch;
    batch.Put({Role::kRows}, key, value);
    ASSERT_TRUE(engine.Commit(batch).ok());
  }

  static void ExpectRefused(const RocksOptions& options, StatusCode code, const std::string& said) {
    const auto engine = OpenRocksEngine(options);
    ASSERT_FALSE(engine.has_value());
    EXPECT_EQ(engine.error().code(), code) << engine.error().ToString();
    EXPECT_NE(engine.error().message().find(said), Bytes::npos) << engine.error().ToString();
    EXPECT_NE(engine.error().message().find(options.directory), Bytes::npos)
        << "the message does not name the directory: " << engine.error().ToString();
  }

  // Replaces the text of the MAYFLY file, with a correct check.
  static void RewriteFormat(const RocksOptions& options, const std::string& lines) {
    char check[32];
    std::snprintf(check, sizeof check, "check %016lx\n", static_cast<unsigned long>(Hash64(lines)));
    std::ofstream(options.directory + "/" + kFormatFileName) << lines << check;
  }

  TemporaryDirectory directory_;
};

TEST_F(RocksOpen, MakesADirectoryWithItsParents) {
  const RocksOptions options = At("a/b/c");
  MustOpen(options);
  EXPECT_TRUE(std::filesystem::exists(options.directory + "/MAYFLY"));
}

TEST_F(RocksOpen, ASecondOpenerInThisProcessIsBusyUntilTheFirstCloses) {
  const RocksOptions options = At("db");
  const auto first = MustOpen(options);
  ExpectRefused(options, StatusCode::kBusy, "open elsewhere");
  ASSERT_TRUE(first->Close().ok());
  EXPECT_TRUE(OpenRocksEngine(options).has_value());
}

TEST_F(RocksOpen, ASecondOpenerInAnotherProcessIsBusyAndNothingHappensToTheFirst) {
  const RocksOptions options = At("db");
  const auto first = MustOpen(options);
  PutOne(*first, "key", "value");
  // The child does nothing but open, and leaves without running our destructors.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::execl("/proc/self/exe", "rocks_open_test", "--open-and-tell", options.directory.c_str(),
            nullptr);
    ::_exit(127);
  }
  int outcome = 0;
  ASSERT_EQ(::waitpid(child, &outcome, 0), child);
  ASSERT_TRUE(WIFEXITED(outcome));
  EXPECT_EQ(WEXITSTATUS(outcome), static_cast<int>(StatusCode::kBusy));
  PinnedBytes value;
  EXPECT_TRUE(first->Get({Role::kRows}, "key", value).ok());
}

TEST_F(RocksOpen, ReadersShareAndExcludeWriters) {
  RocksOptions options = At("db");
  PutOne(*MustOpen(options), "key", "value");
  options.read_only = true;
  {
    const auto one = MustOpen(options);
    const auto two = MustOpen(options);
    PinnedBytes value;
    ASSERT_TRUE(two->Get({Role::kRows}, "key", value).ok());
    EXPECT_EQ(value.view(), "value");
    options.read_only = false;
    ExpectRefused(options, StatusCode::kBusy, "open elsewhere");
  }
  const auto writer = MustOpen(options);
  options.read_only = true;
  ExpectRefused(options, StatusCode::kBusy, "open for writing elsewhere");
}

TEST_F(RocksOpen, ReadOnlyRefusesEveryChangeAndLeavesTheFilesAlone) {
  RocksOptions options = At("db");
  PutOne(*MustOpen(options), "key", "value");
  const auto listing = [&] {
    std::map<std::string, std::uintmax_t> files;
    for (const auto& entry : std::filesystem::directory_iterator(options.directory)) {
      files[entry.path().filename()] = entry.file_size();
    }
    return files;
  };
  const auto before = listing();
  options.read_only = true;
  {
    const auto reader = MustOpen(options);
    EXPECT_FALSE(reader->capabilities().writable);
    Batch batch;
    batch.Delete({Role::kRows}, "key");
    EXPECT_EQ(reader->Commit(batch).code(), StatusCode::kReadOnly);
    EXPECT_EQ(reader->Sync(Durability::kDisk).code(), StatusCode::kReadOnly);
    EXPECT_EQ(reader->Compact(Role::kRows).code(), StatusCode::kReadOnly);
    const auto cursor = reader->NewCursor({Role::kRows});
    ASSERT_TRUE(cursor.has_value());
    (*cursor)->SeekToFirst();
    EXPECT_TRUE((*cursor)->Valid());
  }
  EXPECT_EQ(listing(), before);
}

TEST_F(RocksOpen, AMissingDatabaseIsNotFoundWhenItMayNotBeMade) {
  RocksOptions options = At("nowhere");
  options.create_if_missing = false;
  ExpectRefused(options, StatusCode::kNotFound, "there is no database");
  options.create_if_missing = true;
  options.read_only = true;
  ExpectRefused(options, StatusCode::kNotFound, "there is no database");
  EXPECT_FALSE(std::filesystem::exists(options.directory));
}

TEST_F(RocksOpen, ADirectoryOfSomebodyElseIsLeftAlone) {
  const RocksOptions options = At("photos");
  std::filesystem::create_directory(options.directory);
  std::ofstream(options.directory + "/cat.jpg") << "meow";
  ExpectRefused(options, StatusCode::kInvalid, "cat.jpg");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(options.directory), {}), 1);
}

TEST_F(RocksOpen, AFileInPlaceOfTheDirectoryIsInvalid) {
  const RocksOptions options = At("file");
  std::ofstream(options.directory) << "not a directory";
  ExpectRefused(options, StatusCode::kInvalid, "not a directory");
}

TEST_F(RocksOpen, ADirectoryThatCannotBeMadeIsAnIoError) {
  std::ofstream(directory_.Inside("file")) << "in the way";
  ExpectRefused(At("file/db"), StatusCode::kIoError, "cannot make the directory");
}

TEST_F(RocksOpen, NoDirectoryAtAllIsInvalid) {
  EXPECT_EQ(OpenRocksEngine({}).error().code(), StatusCode::kInvalid);
}

TEST_F(RocksOpen, ANewerFormatIsRefusedByName) {
  const RocksOptions options = At("db");
  MustOpen(options);
  RewriteFormat(options, "mayfly rocks\nformat 7\nshards 12\n");
  ExpectRefused(options, StatusCode::kUnsupported, "format 7");
  ExpectRefused(options, StatusCode::kUnsupported, "up to format 4");
}

TEST_F(RocksOpen, AFormatThatNoReleaseWroteIsRefusedByName) {
  const RocksOptions options = At("db");
  MustOpen(options);
  RewriteFormat(options, "mayfly rocks\nformat 2\nstate ready\nencryption aes-256-ctr\n");
  ExpectRefused(options, StatusCode::kUnsupported, "format 2");
}

TEST_F(RocksOpen, AnotherEnginesDirectoryIsRefusedByName) {
  const RocksOptions options = At("db");
  MustOpen(options);
  RewriteFormat(options, "mayfly hot\nformat 1\nstate ready\n");
  ExpectRefused(options, StatusCode::kUnsupported, "'hot'");
}

TEST_F(RocksOpen, ADamagedFormatFileIsCorruption) {
  const RocksOptions options = At("db");
  MustOpen(options);
  const std::string good = EncodeFormat({DirectoryState::kReady});
  for (std::size_t size = 0; size < good.size(); ++size) {
    std::ofstream(options.directory + "/MAYFLY") << good.substr(0, size);
    ExpectRefused(options, StatusCode::kCorruption, "MAYFLY file is damaged");
    ExpectRefused(options, StatusCode::kCorruption, "mayfly backup --salvage");
  }
  std::ofstream(options.directory + "/MAYFLY") << good;
  MustOpen(options);
}

// RocksDB would open it as if nothing were lost.
TEST_F(RocksOpen, ADatabaseWithoutItsLogIsCorruption) {
  const RocksOptions options = At("db");
  PutOne(*MustOpen(options), "key", "value");
  for (const auto& entry : std::filesystem::directory_iterator(options.directory)) {
    if (entry.path().extension() == ".log") std::filesystem::remove(entry.path());
  }
  ExpectRefused(options, StatusCode::kCorruption, "its log is missing");
  ExpectRefused(options, StatusCode::kCorruption, "mayfly backup --salvage");
}

TEST_F(RocksOpen, RowsOfALogThatWasRemovedUnderTheEngineAreSavedByItsClose) {
  const RocksOptions options = At("db");
  auto engine = MustOpen(options);
  PutOne(*engine, "key", "value");
  for (const auto& entry : std::filesystem::directory_iterator(options.directory)) {
    if (entry.path().extension() == ".log") std::filesystem::remove(entry.path());
  }
  PutOne(*engine, "later", "value");
  ASSERT_TRUE(engine->Close().ok());
  engine = MustOpen(options);
  PinnedBytes value;
  EXPECT_TRUE(engine->Get({Role::kRows}, "key", value).ok());
  EXPECT_TRUE(engine->Get({Role::kRows}, "later", value).ok());
}

TEST_F(RocksOpen, ACloseDoesNotCallARemovedDirectorySaved) {
  const RocksOptions options = At("db");
  const auto engine = MustOpen(options);
  PutOne(*engine, "key", "value");
  std::filesystem::rename(options.directory, options.directory + " elsewhere");
  EXPECT_FALSE(engine->Close().ok());
}

TEST_F(RocksOpen, ADatabaseWithoutItsNewestLogIsCorruptionWhateverOlderOnesThereAre) {
  RocksOptions options = At("db");
  options.write_buffer_bytes = 64 << 10;
  {
    const auto engine = MustOpen(options);
    Batch kept;  // Is in no table, so that its log stays.
    kept.Put({Role::kMembers}, "member", "value");
    ASSERT_TRUE(engine->Commit(kept).ok());
    for (int row = 0; row < 300; ++row)
      PutOne(*engine, std::to_string(row), std::string(1000, 'v'));
    ASSERT_TRUE(engine->Close().ok());
  }
  std::set<std::filesystem::path> logs;
  for (const auto& entry : std::filesystem::directory_iterator(options.directory)) {
    if (entry.path().extension() == ".log") logs.insert(entry.path());
  }
  ASSERT_GT(logs.size(), 1U);
  std::filesystem::remove(*logs.rbegin());
  for (const bool read_only : {false, true}) {
    options.read_only = read_only;
    ExpectRefused(options, StatusCode::kCorruption, "its newest log is missing");
    ExpectRefused(options, StatusCode::kCorruption, "mayfly backup --salvage");
  }
}

TEST_F(RocksOpen, ADatabaseThatLostASmallFileIsNotCalledSomethingElse) {
  for (const std::string name : {"MAYFLY", "CURRENT"}) {
    RocksOptions options = At("without-" + name);
    PutOne(*MustOpen(options), "key", "value");
    std::filesystem::remove(options.directory + "/" + name);
    for (const bool read_only : {false, true}) {
      options.read_only = read_only;
      ExpectRefused(options, StatusCode::kCorruption, name);
      ExpectRefused(options, StatusCode::kCorruption, "mayfly backup --salvage");
    }
  }
}

TEST_F(RocksOpen, ACreationThatWasInterruptedIsBegunAgain) {
  const RocksOptions options = At("db");
  std::filesystem::create_directory(options.directory);
  std::ofstream(options.directory + "/MAYFLY") << EncodeFormat({DirectoryState::kCreating});
  const auto engine = MustOpen(options);
  PutOne(*engine, "key", "value");
  ASSERT_TRUE(engine->Close().ok());
  RocksOptions existing = options;
  existing.create_if_missing = false;
  MustOpen(existing);
}

TEST(FormatFile, SurvivesEveryTruncationAndFlippedBit) {
  for (const int way : {0, 1, 2, 3}) {
    const bool encrypted = way % 2 == 1;
    const bool has_hot_log = way / 2 == 1;
    const std::string good = EncodeFormat({DirectoryState::kReady, encrypted, has_hot_log});
    ASSERT_EQ(DecodeFormat(good).value().state, DirectoryState::kReady);
    ASSERT_EQ(DecodeFormat(good).value().encrypted, encrypted);
    ASSERT_EQ(DecodeFormat(good).value().has_hot_log, has_hot_log);
    for (std::size_t i = 0; i < good.size(); ++i) {
      EXPECT_FALSE(DecodeFormat(good.substr(0, i)).has_value());
      for (int bit = 0; bit < 8; ++bit) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
        EXPECT_FALSE(DecodeFormat(bad).has_value()) << "byte " << i << " bit " << bit;
      }
    }
  }
}

}  // namespace
}  // namespace mayfly::engine

int main(int argc, char** argv) {
  // The part of the second process; see ASecondOpenerInAnotherProcess.
  if (argc == 3 && std::string_view(argv[1]) == "--open-and-tell") {
    const auto engine = mayfly::engine::OpenRocksEngine({.directory = argv[2]});
    return static_cast<int>(engine.status().code());
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
