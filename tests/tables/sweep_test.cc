// Goal: sweeps remove all dead items and nothing else, at the cost of the dead. Method: on each
// engine, a manual clock, both modes; calls of the engine are counted.
#include <memory>

#include "core/counting_engine.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "tables/table_life.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class Sweeps : public TableLife {
 protected:
  void Fill(int first, int last, std::int64_t seconds) {
    for (int i = first; i < last; ++i) {
      Put("posts", {{"user", "u" + std::to_string(i)},
                    {"nr", N(1)},
                    {"topic", "t"},
                    {"score", N(i)},
                    {"expires", SecondsAfterStart(seconds)}});
    }
  }

  std::size_t InIndex() { return Describe("posts").indexes.at("by_topic").items; }
};

TEST_P(Sweeps, PurgeWhatIsGoneInExactMode) {
  Make(PostsSpec());
  Fill(0, 50, 10);
  Fill(50, 100, 20);
  clock().Advance(10s - 1ms);
  EXPECT_EQ(Sweep("posts"), 0U);
  clock().Advance(1ms);
  EXPECT_EQ(Describe("posts").items, 50U);
  EXPECT_EQ(Sweep("posts", 20), 20U);
  EXPECT_EQ(Sweep("posts"), 30U);
  EXPECT_EQ(Sweep("posts"), 0U);
  const Statistics statistics = database().GetStatistics().value();
  for (const KeyspaceStatistics& one : statistics.keyspaces) {
    EXPECT_EQ(one.due_rows, 0U) << one.name;
  }
  EXPECT_EQ(Describe("posts").items, 50U);
  EXPECT_EQ(InIndex(), 50U);
}

TEST_P(Sweeps, EndItemsInTheOtherMode) {
  Make(PostsSpec(TtlMode::kUntilSwept));
  Fill(0, 50, 10);
  Fill(50, 100, 20);
  clock().Advance(10s - 1ms);
  EXPECT_EQ(Sweep("posts"), 0U);
  clock().Advance(1ms);
  EXPECT_EQ(Describe("posts").items, 100U);
  EXPECT_EQ(InIndex(), 100U);
  EXPECT_EQ(Sweep("posts", 20), 20U);
  EXPECT_EQ(Describe("posts").items, 80U);
  EXPECT_EQ(InIndex(), 80U);
  Restart();
  if (!home_.persistent()) return;
  EXPECT_EQ(Sweep("posts"), 30U);
  EXPECT_EQ(Describe("posts").items, 50U);
  EXPECT_EQ(InIndex(), 50U);
  EXPECT_EQ(Sweep("posts"), 0U);
}

TEST_P(Sweeps, GoByTheInstantAnItemHasNow) {
  Make(PostsSpec(TtlMode::kUntilSwept));
  const auto key = [](const char* user) { return Item{{"user", user}, {"nr", N(1)}}; };
  const auto put = [&](const char* user, std::optional<std::int64_t> seconds) {
    Item item = key(user);
    if (seconds) item.emplace("expires", SecondsAfterStart(*seconds));
    Put("posts", item);
  };
  for (const char* user : {"extended", "freed", "kept", "shortened", "touched", "deleted"}) {
    put(user, 10);
  }
  clock().Advance(10s);
  put("extended", 100);
  put("freed", std::nullopt);
  put("shortened", 5);  // Another instant that has passed, with no shadow left to die.
  put("touched", 10);
  ASSERT_TRUE(tables().DeleteItem({.table = "posts", .key = key("deleted")}).has_value());
  EXPECT_EQ(Sweep("posts"), 3U);
  EXPECT_TRUE(Get("posts", key("extended")).has_value());
  EXPECT_TRUE(Get("posts", key("freed")).has_value());
  for (const char* user : {"kept", "shortened", "touched"}) {
    EXPECT_FALSE(Get("posts", key(user)).has_value()) << user;
  }
  clock().Advance(90s);
  EXPECT_EQ(Sweep("posts"), 1U);
}

TEST_P(Sweeps, LeaveInstantsOfMoreThanFiveYearsAgoAlone) {
  Make(PostsSpec(TtlMode::kUntilSwept));
  constexpr std::int64_t kFiveYears =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::years(5)).count();
  const auto put = [&](const char* user, std::int64_t seconds) {
    Put("posts", {{"user", user}, {"nr", N(1)}, {"expires", SecondsAfterStart(seconds)}});
  };
  put("older", -kFiveYears - 1);
  put("younger", -kFiveYears + 1);
  put("passed", -1);
  EXPECT_EQ(Describe("posts").items, 3U) << "put all the same, and visible";
  EXPECT_EQ(Sweep("posts"), 2U);
  EXPECT_TRUE(Get("posts", {{"user", "older"}, {"nr", N(1)}}).has_value());
}

TEST_P(Sweeps, FindWhatEventsDoNotTellAnyMore) {
  Make(PostsSpec(TtlMode::kUntilSwept));
  Fill(0, 20, 10);
  Fill(20, 30, 1000);
  clock().Advance(10s);
  // The test purges, and trims the events before a sweep could read them.
  ASSERT_EQ(database().Purge().value().rows, 20U);
  ASSERT_EQ(database().TrimEvents({.keep_newest = 5}).value(), 15U);
  EXPECT_EQ(Sweep("posts"), 20U);
  EXPECT_EQ(Describe("posts").items, 10U);
  ASSERT_TRUE(database().TrimEvents({.keep_newest = 0}).has_value());
  clock().Advance(990s);
  ASSERT_EQ(database().Purge().value().rows, 10U);
  ASSERT_TRUE(database().TrimEvents({.keep_newest = 0}).has_value());
  EXPECT_EQ(Sweep("posts"), 10U) << "not one event was left";
}

TEST_P(Sweeps, AreNotMisledByOthersEvents) {
  Make(PostsSpec(TtlMode::kUntilSwept));
  const auto others = database().CreateKeyspace("others", {.events = EventDetail::kKey}).value();
  Fill(0, 3, 10);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(others->Put("k" + std::to_string(i), "v", Lifetime::For(5s)).ok());
  }
  clock().Advance(10s);
  ASSERT_TRUE(database().Purge().has_value());
  EXPECT_EQ(Sweep("posts"), 3U);
}

TEST_P(Sweeps, RefuseATableThatIsNotThere) {
  EXPECT_EQ(CodeOf(tables().SweepExpired("none")), kNotFound);
}

INSTANTIATE_TEST_SUITE_P(Engines, Sweeps, AllEngines(), NameOfEngine);

// The cost of sweeping `dead` items in a table with `living` others.
EngineCosts CostOfSweep(TtlMode mode, int dead, int living) {
  const auto costs = std::make_shared<EngineCosts>();
  ManualClock clock(kStart);
  const auto database = *core::NewDatabase(
      std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs), {.clock = &clock});
  const auto tables = *Tables::Open(*database);
  EXPECT_TRUE(tables->CreateTable(PostsSpec(mode)).has_value());
  for (int i = 0; i < dead + living; ++i) {
    EXPECT_TRUE(tables
                    ->PutItem({.table = "posts",
                               .item = {{"user", "u" + std::to_string(i)},
                                        {"nr", N(1)},
                                        {"topic", "t"},
                                        {"score", N(i)},
                                        {"expires", SecondsAfterStart(i < dead ? 10 : 1000)}}})
                    .has_value());
  }
  clock.Advance(10s);
  *costs = {};
  EXPECT_EQ(tables->SweepExpired("posts").value(), static_cast<std::uint64_t>(dead));
  return *costs;
}

TEST(SweepCosts, AreThoseOfTheDeadAndNotOfTheTable) {
  for (const TtlMode mode : {TtlMode::kExact, TtlMode::kUntilSwept}) {
    const EngineCosts small = CostOfSweep(mode, 100, 10);
    const EngineCosts large = CostOfSweep(mode, 100, 2000);
    // One entry ahead of the due ones may be read in each keyspace.
    EXPECT_LE(large.gets, small.gets + 16);
    EXPECT_LE(large.cursor_moves, small.cursor_moves + 16);
    EXPECT_LE(large.changes, small.changes + 16);
    EXPECT_GT(small.changes, 100U);
  }
}

}  // namespace
}  // namespace mayfly
