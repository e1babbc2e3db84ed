// Goal: a purge at the reaper's pace costs few commits, reads and steps per row, with and without
// events, however many rows died; and events keep the order of deadlines.
// Method: an engine that counts its calls, at one size and at ten times it; no clock but a manual
// one.
#include <gtest/gtest.h>

#include <set>

#include "core/counting_engine.h"
#include "core/each_engine.h"
#include "core/new_database.h"
#include "core/reclaim/purger.h"
#include "core/store/store_of.h"
#include "engine/memory/memory_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kFewRows = 20'000;
constexpr std::uint64_t kManyRows = 200'000;

class PurgeCosts {
 public:
  explicit PurgeCosts(EventDetail events)
      : database_(
            *core::NewDatabase(std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_),
                               {.purge_on_read = false, .clock = &clock_})) {
    EXPECT_TRUE(rows().SetPolicy({.events = events}).ok());
  }

  void Put(std::uint64_t count, Millis ttl) {
    for (std::uint64_t i = 0; i < count; ++i) {
      EXPECT_TRUE(rows().Put(std::to_string(next_++), "", Lifetime::For(ttl)).ok());
    }
  }

  // Purges as the reaper does, in calls of `call_rows`. Returns the rows of each batch.
  std::vector<std::size_t> Purge(std::uint64_t call_rows) {
    *costs_ = {};
    std::vector<std::size_t> batches;
    core::Purger purger(core::StoreOf(*database_));
    const core::PurgePace pace{
        .batch_rows_max = core::kReaperStepRowsMax,
        .one_latch = true,
        .rest = [&](const core::ReaperPace::Step& step) { batches.push_back(step.rows); }};
    while (purger.Purge({.rows_max = call_rows}, pace)->more_due) {
    }
    EXPECT_EQ(purger.due_rows(), 0u);
    return batches;
  }

  Keyspace& rows() { return database_->default_keyspace(); }
  Database& database() { return *database_; }
  ManualClock& clock() { return clock_; }
  const EngineCosts& costs() const { return *costs_; }

 private:
  ManualClock clock_{kStart};
  const std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  const std::unique_ptr<Database> database_;
  std::uint64_t next_ = 0;
};

class PurgeCostsWith : public ::testing::TestWithParam<EventDetail> {};

TEST_P(PurgeCostsWith, ADeadRowCostsTheSameHoweverManyDied) {
  for (const std::uint64_t count : {kFewRows, kManyRows}) {
    PurgeCosts home(GetParam());
    home.Put(count, 1s);
    home.clock().Advance(1s);
    home.Purge(1024);
    const EngineCosts& costs = home.costs();
    // A step has the rows of a page that share a latch, 16 of them at most.
    EXPECT_LT(costs.commits, count / 10) << "one for many rows";
    // Two deletes and perhaps an event; the rest is the commit's.
    EXPECT_LT(costs.changes, count * (GetParam() == EventDetail::kOff ? 23 : 33) / 10);
    EXPECT_LT(costs.gets, count * 11 / 10) << "each row is read once";
    EXPECT_LT(costs.cursor_moves, count * 5 / 2) << "each entry is read once, and counted once";
    EXPECT_LT(costs.tombstones, count) << "passes do not begin at old tombstones";
    EXPECT_EQ(StatisticsOf(home.database()).rows, 0u);
    EXPECT_TRUE(home.database().Check()->clean());
  }
}

TEST_P(PurgeCostsWith, ABatchIsAtMostAStep) {
  PurgeCosts home(GetParam());
  home.Put(kFewRows, 1s);
  home.clock().Advance(1s);
  std::uint64_t purged = 0;
  for (const std::size_t rows : home.Purge(1024)) {
    EXPECT_LE(rows, core::kReaperStepRowsMax);
    purged += rows;
  }
  EXPECT_EQ(purged, kFewRows);
}

INSTANTIATE_TEST_SUITE_P(Core, PurgeCostsWith,
                         ::testing::Values(EventDetail::kOff, EventDetail::kKeyAndValue),
                         [](const ::testing::TestParamInfo<EventDetail>& param) {
                           return param.param == EventDetail::kOff ? "NoEvents" : "Events";
                         });

TEST(PurgeCosts, EventsComeInTheOrderOfDeadlinesAndOnce) {
  PurgeCosts home(EventDetail::kKey);
  for (int i = 20; i > 0; --i) home.Put(200, Millis(i));
  home.clock().Advance(20ms);
  home.Purge(1000);
  const auto events = *home.database().ReadEvents(0, 10'000);
  ASSERT_EQ(events.size(), 4000u);
  std::set<std::string> keys;
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].sequence, i + 1);
    keys.insert(events[i].key);
    if (i > 0) {
      EXPECT_LE(events[i - 1].deadline, events[i].deadline);
    }
  }
  EXPECT_EQ(keys.size(), 4000u);
}

TEST(PurgeCosts, RowsOfManyLatchesShareOnlySmallCommits) {
  PurgeCosts home(EventDetail::kKey);
  for (int i = 1; i <= 500; ++i) home.Put(1, Millis(i));
  home.clock().Advance(500ms);
  for (const std::size_t rows : home.Purge(1000)) EXPECT_LE(rows, core::kReaperStepRowsMax);
}

}  // namespace
}  // namespace mayfly
