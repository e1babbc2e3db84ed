// Goal: the events of one keyspace are removed in bounded steps, whatever else the log holds.
// Method: a log on a counting engine, filled with the events of two keyspaces.
#include <gtest/gtest.h>

#include "core/layout/limits.h"
#include "core/store/event_log.h"
#include "engine/memory/memory_engine.h"
#include "tests/core/counting_engine.h"

namespace mayfly::core {
namespace {

constexpr KeyspaceId kMine = 7;
constexpr KeyspaceId kOther = 8;
constexpr WallTime kThen = WallTimeFromMs(1'700'000'000'000);

class EventTrim : public ::testing::Test {
 protected:
  // Event i belongs to kMine or kOther in turn, and was purged i ms after kThen.
  void Fill(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      engine::Batch batch;
      std::vector<Event> events(1);
      events.front().keyspace = i % 2 == 0 ? kMine : kOther;
      events.front().key = "key";
      events.front().deadline = kThen;
      events.front().purged_at = kThen + Millis(static_cast<std::int64_t>(i));
      ASSERT_TRUE(log_.Commit(batch, Durability::kProcess, events).ok());
    }
    *costs_ = {};
  }

  std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  CountingEngine engine_{engine::NewMemoryEngine({}), costs_};
  EventLog log_{engine_, SilentLogger()};
};

TEST_F(EventTrim, RemovesWhatIsOldEnoughOfOneKeyspaceAndNothingElse) {
  Fill(100);
  const auto kept = log_.TrimKeyspace(kMine, kThen + Millis(49), kThen + std::chrono::hours(1));
  ASSERT_TRUE(kept.has_value()) << kept.status().ToString();
  EXPECT_EQ(kept->removed, 25U);
  EXPECT_EQ(kept->first_purged_at, kThen + Millis(50));
  const auto events = log_.Read(0, 1000);
  ASSERT_TRUE(events.has_value());
  EXPECT_EQ(events->size(), 75U);
  for (const Event& event : *events) {
    EXPECT_TRUE(event.keyspace == kOther || event.purged_at > kThen + Millis(49));
  }
  EXPECT_EQ(log_.LastSequence(), 100U);
}

TEST_F(EventTrim, NoStepIsLargerThanItsBound) {
  constexpr std::size_t kEvents = 5 * kTrimStepEventsMax;
  Fill(kEvents);
  const auto kept =
      log_.TrimKeyspace(kMine, kThen + std::chrono::hours(1), kThen + std::chrono::hours(1));
  ASSERT_TRUE(kept.has_value()) << kept.status().ToString();
  EXPECT_EQ(kept->removed, kEvents / 2);
  EXPECT_FALSE(kept->first_purged_at.has_value());
  EXPECT_EQ(costs_->commits, 5U);
  EXPECT_LE(costs_->largest_batch, kTrimStepEventsMax + 1);
  EXPECT_LE(costs_->cursor_moves, kEvents) << "each event is read once";
}

}  // namespace
}  // namespace mayfly::core
