// Goal: a memory-first database whose folder hot/ is gone is damaged for every way of opening it; its
// tables can be saved.
// Method: the folder is moved away between two opens.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary_directory.h"
#include "mayfly/database.h"

namespace mayfly {
namespace {

class MissingLog : public ::testing::Test {
 protected:
  DatabaseOptions Options(StorageEngine engine = StorageEngine::kAsFound) const {
    return {.directory = directory_.Inside("db"), .memory = MemoryProfile::kTiny, .engine = engine};
  }

  // Makes a database with a row that RocksDB has, and one in the log alone.
  void Make() const {
    Put(StorageEngine::kRocks, "in a table", "1");
    Put(StorageEngine::kMemoryFirst, "in the log", "2");
  }

  void Put(StorageEngine engine, Bytes key, Bytes value) const {
    const auto database = Database::Open(Options(engine));
    ASSERT_TRUE(database.has_value()) << database.status().ToString();
    ASSERT_TRUE((*database)->default_keyspace().Put(key, value).ok());
    ASSERT_TRUE((*database)->Close().ok());
  }

  std::string log() const { return directory_.Inside("db/hot"); }
  std::string aside() const { return directory_.Inside("aside"); }

  TemporaryDirectory directory_;
};

TEST_F(MissingLog, IsDamageForEveryWayOfOpening) {
  ASSERT_NO_FATAL_FAILURE(Make());
  std::filesystem::rename(log(), aside());
  for (const StorageEngine engine :
       {StorageEngine::kAsFound, StorageEngine::kRocks, StorageEngine::kMemoryFirst}) {
    for (const bool read_only : {false, true}) {
      DatabaseOptions options = Options(engine);
      options.read_only = read_only;
      const auto refused = Database::Open(options);
      ASSERT_EQ(refused.status().code(), StatusCode::kCorruption) << refused.status().ToString();
      EXPECT_NE(refused.status().message().find(log()), std::string_view::npos);
      EXPECT_NE(refused.status().message().find("mayfly backup --salvage"), std::string_view::npos);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(log())) << "nothing is made in its place";
  std::filesystem::rename(aside(), log());
  const auto database = Database::Open(Options());
  ASSERT_TRUE(database.has_value()) << database.status().ToString();
  EXPECT_EQ((*database)->default_keyspace().Get("in a table").value(), "1");
  EXPECT_EQ((*database)->default_keyspace().Get("in the log").value(), "2");
}

TEST_F(MissingLog, LeavesTheTablesToASalvage) {
  ASSERT_NO_FATAL_FAILURE(Make());
  std::filesystem::rename(log(), aside());
  DatabaseOptions options = Options();
  options.read_only = true;
  options.salvage = true;
  const auto database = Database::Open(options);
  ASSERT_TRUE(database.has_value()) << database.status().ToString();
  EXPECT_EQ((*database)->default_keyspace().Get("in a table").value(), "1");
  EXPECT_FALSE((*database)->default_keyspace().Get("in the log").has_value());
}

}  // namespace
}  // namespace mayfly
