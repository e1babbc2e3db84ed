// Goal: a directory of the memory-first engine that has lost its log is damaged, and never opened as
// the older state that its tables have.
// Method: the folder, or files of it, are taken away between two opens.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "engine/hot/hot_engine.h"

namespace mayfly::engine::hot {
namespace {

class HotMissingLogTest : public ::testing::Test {
 protected:
  HotMissingLogTest() {
    options_.segment_bytes = kSegmentBytesMin;
    options_.reserved_bytes = std::size_t{64} << 20;
    options_.huge_pages = false;
    options_.has_thread = false;
  }

  std::unique_ptr<Engine> MustOpen(const std::string& directory) {
    auto engine = OpenHotEngine({.directory = directory, .profile = Profile::kTiny}, options_);
    if (!engine.has_value()) throw std::runtime_error(engine.status().ToString());
    return *std::move(engine);
  }
  static void PutOne(Engine& engine, Bytes key, Bytes value) {
    Batch batch;
    batch.Put({Role::kRows}, key, value);
    EXPECT_TRUE(engine.Commit(batch).ok());
  }
  static std::string GetOne(Engine& engine, Bytes key) {
    PinnedBytes value;
    return engine.Get({Role::kRows}, key, value).ok() ? std::string(value.view()) : "-";
  }

  HotOptions options_;
  TemporaryDirectory directory_;
};

// The tables alone are an old state, and an empty log would hide that.
TEST_F(HotMissingLogTest, ADirectoryWithoutItsLogIsCorruption) {
  for (const bool only_segments : {false, true}) {
    SCOPED_TRACE(only_segments);
    const std::string directory = directory_.Inside(only_segments ? "segments" : "folder");
    {
      const auto engine = MustOpen(directory);
      PutOne(*engine, "folded", "1");
      ASSERT_TRUE(engine->Flush().ok());
      PutOne(*engine, "logged", "2");
      ASSERT_TRUE(engine->Close().ok());
    }
    const std::string log = directory + "/" + kHotLogFolder;
    const std::string aside = directory_.Inside("aside");
    std::filesystem::rename(log, aside);
    if (only_segments) {
      // What is left beside segments does not make a log.
      std::filesystem::create_directory(log);
      std::ofstream(log + "/notes.txt") << "a file of somebody else";
    }
    EXPECT_FALSE(HasHotLog(directory));
    EXPECT_TRUE(IsHotDirectory(directory));
    for (const auto& refused : {OpenHotEngine({.directory = directory}, options_),
                                OpenRocksEngine({.directory = directory}),
                                OpenRocksEngine({.directory = directory, .read_only = true})}) {
      ASSERT_EQ(refused.status().code(), StatusCode::kCorruption) << refused.status().ToString();
      EXPECT_NE(refused.status().message().find(log), Bytes::npos) << refused.status().ToString();
      EXPECT_NE(refused.status().message().find("Restore a backup"), Bytes::npos);
    }
    EXPECT_FALSE(HasHotLog(directory)) << "nothing is made";
    std::filesystem::remove_all(log);
    std::filesystem::rename(aside, log);
    const auto engine = MustOpen(directory);
    EXPECT_EQ(GetOne(*engine, "folded"), "1");
    EXPECT_EQ(GetOne(*engine, "logged"), "2");
  }
}

// Without its marker the log seems to begin with record 1, which is in no segment any more.
TEST_F(HotMissingLogTest, ALogWithoutItsMarkerIsCorruption) {
  const std::string directory = directory_.Inside("db");
  {
    const auto engine = MustOpen(directory);
    PutOne(*engine, "folded", "1");
    ASSERT_TRUE(engine->Flush().ok());
    PutOne(*engine, "logged", "2");
    ASSERT_TRUE(engine->Close().ok());
  }
  int markers = 0;
  const std::filesystem::directory_iterator files(directory + "/" + kHotLogFolder);
  for (const auto& entry : files) {
    if (!entry.path().filename().string().starts_with("folded-")) continue;
    std::filesystem::remove(entry.path());
    ++markers;
  }
  ASSERT_EQ(markers, 1);
  const auto refused = OpenHotEngine({.directory = directory}, options_);
  ASSERT_EQ(refused.status().code(), StatusCode::kCorruption) << refused.status().ToString();
  EXPECT_NE(refused.status().message().find("Restore a backup"), Bytes::npos);
}

TEST_F(HotMissingLogTest, ADirectoryWhoseLogWasFoldedAndRemovedIsOfRocksAgain) {
  const std::string directory = directory_.Inside("db");
  {
    const auto engine = MustOpen(directory);
    PutOne(*engine, "folded", "1");
    ASSERT_TRUE(engine->Flush().ok());
    ASSERT_TRUE(engine->Close().ok());
  }
  ASSERT_TRUE(RecordHotLog({.directory = directory}, false).ok());
  EXPECT_EQ(OpenRocksEngine({.directory = directory}).status().code(), StatusCode::kInvalid)
      << "the log is still there";
  std::filesystem::remove_all(directory + "/" + kHotLogFolder);
  EXPECT_FALSE(IsHotDirectory(directory));
  const auto engine = OpenRocksEngine({.directory = directory});
  ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
  EXPECT_EQ(GetOne(**engine, "folded"), "1");
}

}  // namespace
}  // namespace mayfly::engine::hot
