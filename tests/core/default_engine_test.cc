// Goal: a new database is memory-first, and one that exists is opened as it was made. Method: the
// log's folder, which only the memory-first engine makes.
#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "engine/rocks/rocks_engine.h"
#include "mayfly/database.h"

namespace mayfly {
namespace {

class DefaultEngine : public ::testing::Test {
 protected:
  std::unique_ptr<Database> Open(StorageEngine engine, bool read_only = false) {
    auto opened = Database::Open({.directory = Path(),
                                  .read_only = read_only,
                                  .memory = MemoryProfile::kTiny,
                                  .engine = engine});
    EXPECT_TRUE(opened.has_value()) << opened.status().ToString();
    return opened ? *std::move(opened) : nullptr;
  }
  std::string Path() const { return directory_.Inside("db"); }
  bool IsMemoryFirst() const { return engine::HasHotLog(Path()); }

  TemporaryDirectory directory_;
};

TEST_F(DefaultEngine, OfANewDatabaseIsMemoryFirst) {
  ASSERT_TRUE(Open(StorageEngine::kAsFound)->default_keyspace().Put("key", "value").ok());
  EXPECT_TRUE(IsMemoryFirst());
  EXPECT_EQ(Open(StorageEngine::kAsFound)->default_keyspace().Get("key").value_or(""), "value");
}

TEST_F(DefaultEngine, LeavesADatabaseOfRocksAsItWasMade) {
  ASSERT_TRUE(Open(StorageEngine::kRocks)->default_keyspace().Put("key", "value").ok());
  for (const bool read_only : {true, false}) {
    EXPECT_EQ(Open(StorageEngine::kAsFound, read_only)->default_keyspace().Get("key").value_or(""),
              "value");
    EXPECT_FALSE(IsMemoryFirst());
  }
}

TEST_F(DefaultEngine, TakesADatabaseOfRocksOverWhenAsked) {
  ASSERT_TRUE(Open(StorageEngine::kRocks)->default_keyspace().Put("key", "value").ok());
  EXPECT_EQ(Open(StorageEngine::kMemoryFirst)->default_keyspace().Get("key").value_or(""), "value");
  EXPECT_TRUE(IsMemoryFirst());
}

TEST_F(DefaultEngine, MakesNothingForAReaderOrWhereItMayNot) {
  EXPECT_TRUE(Database::Open({.directory = Path(), .read_only = true}).status().IsNotFound());
  EXPECT_TRUE(
      Database::Open({.directory = Path(), .create_if_missing = false}).status().IsNotFound());
  EXPECT_FALSE(IsMemoryFirst());
}

}  // namespace
}  // namespace mayfly
