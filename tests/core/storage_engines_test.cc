// Goal: a database goes from one engine to the other and back by an opening that asks for it by name,
// keeps everything on the way, and stays what it is otherwise.
// Method: rows with and without deadlines, a policy and events, before and after each step; readers
// beside; a folder of the log that tells which engine a directory has.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/each_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class StorageEngines : public ::testing::Test {
 protected:
  DatabaseOptions With(StorageEngine engine, bool read_only = false) const {
    return {.directory = home_.Inside("db"),
            .read_only = read_only,
            .memory = MemoryProfile::kTiny,
            .engine = engine,
            .clock = &clock_};
  }

  std::unique_ptr<Database> Open(StorageEngine engine, bool read_only = false) const {
    auto opened = Database::Open(With(engine, read_only));
    EXPECT_TRUE(opened.has_value()) << opened.status().ToString();
    return opened ? *std::move(opened) : nullptr;
  }

  bool IsMemoryFirst() const { return fs::exists(home_.Inside("db/hot")); }

  // Rows of this step, and of all before it.
  void WriteStep(Database& database) {
    const std::string name = "step" + std::to_string(++steps_);
    Keyspace& rows = database.default_keyspace();
    ASSERT_EQ(CodeOf(rows.Put(name, "v")), kOk);
    ASSERT_EQ(CodeOf(rows.Put(name + " mortal", "v", Lifetime::For(1h))), kOk);
    ASSERT_EQ(CodeOf(rows.Put(name + " deleted", "v")), kOk);
    ASSERT_TRUE(rows.Delete(name + " deleted").value());
    ASSERT_EQ(CodeOf(database.CreateKeyspace(name, {.default_ttl = 2h})), kOk);
  }

  void ExpectSteps(Database& database) {
    Keyspace& rows = database.default_keyspace();
    EXPECT_EQ(rows.Count().value(), 2U * static_cast<unsigned>(steps_));
    for (int step = 1; step <= steps_; ++step) {
      const std::string name = "step" + std::to_string(step);
      EXPECT_EQ(rows.Get(name).value_or(""), "v");
      EXPECT_EQ(rows.Get(name + " mortal").value_or(""), "v");
      EXPECT_EQ(CodeOf(rows.Get(name + " deleted")), kNotFound);
      EXPECT_EQ(CodeOf(database.OpenKeyspace(name)), kOk);
    }
    EXPECT_TRUE(database.Check().value().clean());
  }

  const TemporaryDirectory home_;
  ManualClock clock_{kStart};
  int steps_ = 0;
};

TEST_F(StorageEngines, GoThereAndBackWithEveryRow) {
  for (const StorageEngine engine :
       {StorageEngine::kRocks, StorageEngine::kMemoryFirst, StorageEngine::kAsFound,
        StorageEngine::kRocks, StorageEngine::kAsFound, StorageEngine::kMemoryFirst,
        StorageEngine::kMemoryFirst, StorageEngine::kRocks}) {
    const bool was_memory_first = IsMemoryFirst();
    {
      const auto database = Open(engine);
      ASSERT_NE(database, nullptr);
      ExpectSteps(*database);
      WriteStep(*database);
      ASSERT_EQ(CodeOf(database->Close()), kOk);
    }
    const bool expected = engine == StorageEngine::kAsFound ? was_memory_first
                                                            : engine == StorageEngine::kMemoryFirst;
    EXPECT_EQ(IsMemoryFirst(), expected) << "after step " << steps_;
    ExpectSteps(*Open(StorageEngine::kAsFound, /*read_only=*/true));
  }
  EXPECT_FALSE(fs::exists(home_.Inside("db/hot.removed")));
}

TEST_F(StorageEngines, AReaderConvertsNothingAndSaysWhatToDo) {
  {
    const auto database = Open(StorageEngine::kMemoryFirst);
    WriteStep(*database);
  }
  const auto refused = Database::Open(With(StorageEngine::kRocks, /*read_only=*/true));
  ASSERT_EQ(CodeOf(refused), kInvalid);
  EXPECT_NE(refused.status().message().find("opening it for writing with the engine rocks"),
            std::string::npos)
      << refused.status().ToString();
  EXPECT_TRUE(IsMemoryFirst());
  ExpectSteps(*Open(StorageEngine::kMemoryFirst, /*read_only=*/true));
}

TEST_F(StorageEngines, AReaderBesideHoldsTheWayBackUp) {
  {
    const auto database = Open(StorageEngine::kMemoryFirst);
    WriteStep(*database);
  }
  {
    const auto reader = Open(StorageEngine::kAsFound, /*read_only=*/true);
    const auto busy = Database::Open(With(StorageEngine::kRocks));
    ASSERT_EQ(CodeOf(busy), kBusy);
    EXPECT_NE(busy.status().message().find("read elsewhere"), std::string::npos);
    EXPECT_TRUE(IsMemoryFirst());
    ExpectSteps(*reader);
  }
  ExpectSteps(*Open(StorageEngine::kRocks));
  EXPECT_FALSE(IsMemoryFirst());
}

// What was dead when the log was folded is not written to tables, and stays dead.
TEST_F(StorageEngines, TheDeadStayDeadOnTheWayBack) {
  {
    const auto database = Open(StorageEngine::kMemoryFirst);
    WriteStep(*database);
  }
  clock_.Advance(1h);
  const auto database = Open(StorageEngine::kRocks);
  EXPECT_EQ(CodeOf(database->default_keyspace().Get("step1 mortal")), kNotFound);
  EXPECT_EQ(database->default_keyspace().Count().value(), 1U);
  EXPECT_TRUE(database->Check().value().clean());
}

}  // namespace
}  // namespace mayfly
