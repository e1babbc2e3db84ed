// Goal: a table reaper does by itself what SweepExpired() and RunUpkeep() do when called, and stops
// when asked. Method: on each engine, a manual clock; AwaitIdle() instead of waiting.
#include <atomic>
#include <thread>

#include "tables/table_life.h"
#include "tables/upkeep/table_reaper_impl.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class TableReapers : public TableLife {
 protected:
  void TearDown() override {
    reaper_.reset();
    TableLife::TearDown();
  }

  // Sweeps come on request: the pause is longer than any test.
  void StartReaper(bool reap = true) {
    auto started = tables().StartReaper({.reap = reap, .sweep_every = 1h});
    ASSERT_TRUE(started.has_value()) << started.status().ToString();
    reaper_ = *std::move(started);
  }

  void Fill(const std::string& table, int items, std::int64_t seconds) {
    for (int i = 0; i < items; ++i) {
      Put(table, {{"id", std::to_string(i)}, {"c", "x"}, {"expires", SecondsAfterStart(seconds)}});
    }
  }

  std::unique_ptr<TableReaper> reaper_;
};

TEST_P(TableReapers, PurgeSweepRecordAndFill) {
  TableSpec exact = PlainSpec("exact");
  exact.stream = StreamView::kKeysOnly;
  Make(exact);
  TableSpec swept = PlainSpec("swept");
  swept.ttl_mode = TtlMode::kUntilSwept;
  Make(swept);
  Fill("exact", 20, 10);
  Fill("swept", 20, 10);
  StartReaper();
  Change("swept", {.add_global_index = IndexSpec{.name = "idx", .partition = {"c"}}});
  reaper_->AwaitIdle();
  EXPECT_EQ(Describe("swept").indexes.at("idx").status, IndexStatus::kActive);
  EXPECT_EQ(Describe("swept").indexes.at("idx").items, 20U);
  EXPECT_EQ(Describe("swept").items, 20U);
  clock().Advance(10s);
  reaper_->AwaitIdle();
  EXPECT_EQ(Describe("swept").items, 0U);
  EXPECT_EQ(Describe("swept").indexes.at("idx").items, 0U);
  const Statistics statistics = database().GetStatistics().value();
  for (const KeyspaceStatistics& one : statistics.keyspaces) {
    EXPECT_EQ(one.due_rows, 0U) << one.name;
  }
  const auto records = database().OpenKeyspace(
      "table.exact.stream." + Describe("exact").stream_label + "#" + Describe("exact").id);
  EXPECT_EQ(records.value()->Count().value(), 40U) << "told without anybody reading";
}

TEST_P(TableReapers, LeaveReapingToOthersIfAsked) {
  Make(PlainSpec());
  Fill("plain", 5, 10);
  StartReaper(/*reap=*/false);
  clock().Advance(10s);
  reaper_->AwaitIdle();
  EXPECT_EQ(StatisticsOf(database(), "table.plain.items#" + Describe("plain").id).due_rows, 5U);
  EXPECT_EQ(Sweep("plain"), 5U);
}

TEST_P(TableReapers, AreOneAtATime) {
  StartReaper();
  EXPECT_EQ(CodeOf(tables().StartReaper()), kBusy);
  reaper_.reset();
  StartReaper();
  EXPECT_EQ(CodeOf(tables().StartReaper({.sweep_every = 0ms})), kBusy);
  reaper_.reset();
  EXPECT_EQ(CodeOf(tables().StartReaper({.sweep_every = 0ms})), kInvalid);
}

TEST_P(TableReapers, EndWithTheirTables) {
  Make(PlainSpec());
  StartReaper();
  tables_.reset();
  reaper_->AwaitIdle();  // Returns: it has stopped.
  reaper_.reset();
  OpenTables();
  StartReaper();
  reaper_->AwaitIdle();
}

TEST_P(TableReapers, StandWhateverOthersDo) {
  TableSpec spec = PlainSpec();
  spec.stream = StreamView::kNewImage;
  spec.ttl_mode = TtlMode::kUntilSwept;
  Make(spec);
  StartReaper();
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        // clang-format off
        const Item item = {
            {"id",      std::to_string(i % 10)},
            {"n",       N(i)},
            {"expires", SecondsAfterStart(i % 5)}
        };
        // clang-format on
        EXPECT_TRUE(tables().PutItem({.table = "plain", .item = item}).has_value());
        if (i % 10 == t) clock().Advance(500ms);
        if (i % 20 == 0) reaper_->AwaitIdle();
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < 10; ++i) {
      const IndexSpec index = {.name = "idx", .partition = {"n", KeyType::kNumber}};
      EXPECT_TRUE(tables().UpdateTable("plain", {.add_global_index = index}).has_value());
      EXPECT_TRUE(tables().UpdateTable("plain", {.drop_global_index = "idx"}).has_value());
      EXPECT_TRUE(tables()
                      .UpdateTable("plain", {.ttl_mode = i % 2 == 0 ? TtlMode::kExact
                                                                    : TtlMode::kUntilSwept})
                      .has_value());
      EXPECT_TRUE(tables().CreateTable(PlainSpec("other")).has_value());
      EXPECT_TRUE(tables().DropTable("other").has_value());
    }
  });
  for (std::thread& thread : threads) thread.join();
  clock().Advance(1h);
  reaper_->AwaitIdle();
  EXPECT_EQ(Describe("plain").items, 0U);
  std::map<std::string, bool> there;
  for (const StreamRecord& record : Records("plain")) {
    bool& is = there[*record.keys.at("id").string()];
    EXPECT_EQ(is, record.kind != StreamRecord::Kind::kInsert);
    is = record.kind != StreamRecord::Kind::kRemove;
  }
  for (const auto& [id, is] : there) EXPECT_FALSE(is) << id;
}

// If it checked only when nothing is left to do, it would never stop.
TEST_P(TableReapers, EndBetweenTheStepsOfASweepThatHasNoEnd) {
  std::atomic<int> sweeps = 0;
  std::atomic<int> upkeeps = 0;
  tables::TableReaperTasks work;
  work.upkeep = [&]() -> Result<bool> {
    ++upkeeps;
    return false;
  };
  work.sweep = [&]() -> Result<bool> {
    ++sweeps;
    sweeps.notify_all();
    return true;
  };
  work.has_sweeps = [] { return true; };
  const auto reaper = tables::TableReaperImpl::Start(database(), {.reap = false},
                                                     SystemClock::Process(), std::move(work))
                          .value();
  for (int seen = 0; seen < 3; seen = sweeps) sweeps.wait(seen);
  reaper->Stop();
  EXPECT_GE(upkeeps, 3) << "streams wait for it";
}

// Each pass begins with upkeep, so the upkeep of one shows that the one before has ended.
TEST_P(TableReapers, SweepWhenTheirClockSaysSo) {
  std::atomic<int> sweeps = 0;
  std::atomic<int> upkeeps = 0;
  tables::TableReaperTasks work;
  work.upkeep = [&]() -> Result<bool> {
    ++upkeeps;
    upkeeps.notify_all();
    return false;
  };
  work.sweep = [&]() -> Result<bool> {
    ++sweeps;
    return false;
  };
  work.has_sweeps = [] { return true; };
  ManualClock pauses(WallTimeFromMs(0));
  const auto reaper = tables::TableReaperImpl::Start(database(), {.reap = false, .sweep_every = 1h},
                                                     pauses, std::move(work))
                          .value();
  upkeeps.wait(0);
  const auto pass = [&] {
    const int seen = upkeeps;
    reaper->Wake();
    upkeeps.wait(seen);
  };
  pass();
  EXPECT_EQ(sweeps, 1) << "one at the start";
  pauses.Advance(1h - 1ms);
  pass();
  pass();
  EXPECT_EQ(sweeps, 1);
  pauses.Advance(1ms);
  pass();
  pass();
  EXPECT_EQ(sweeps, 2);
  reaper->Stop();
}

INSTANTIATE_TEST_SUITE_P(Engines, TableReapers, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
