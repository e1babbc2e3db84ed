// Goal: counting living rows costs the same whether few or many dead ones wait for their purge, and
// is right at every moment. Method: an engine that counts its calls; a reaper's purge in steps;
// threads that write, purge and count at once, and a check of what is stored.
#include "core/reads/due_count.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/latched_fixture.h"
#include "core/new_database.h"
#include "core/reclaim/purger.h"
#include "core/store/store_of.h"
#include "engine/memory/memory_engine.h"
#include "tests/core/counting_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::KeepCountOfDue;
using core::TransactionKeyspace;

constexpr int kManyDue = 5000;

class DueCount : public ::testing::Test {
 protected:
  DueCount() {
    database_ = *core::NewDatabase(
        std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_), {.clock = &clock_});
    for (const char* const key : {"a", "b", "c"}) EXPECT_EQ(CodeOf(rows().Put(key, "v")), kOk);
  }
  ~DueCount() override {
    const auto report = database_->Check();
    EXPECT_TRUE(report->clean()) << (report->findings.empty() ? "" : report->findings.front());
  }

  void Fill(int count, Millis ttl = 10ms) {
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(CodeOf(rows().Put("key " + std::to_string(i), "v", Lifetime::For(ttl))), kOk);
    }
  }
  core::Store& store() { return core::StoreOf(*database_); }
  core::KeyspaceState& state() {
    return *store().catalog().Find(core::kDefaultKeyspaceName).value();
  }
  std::optional<std::uint64_t> KeepCount() { return *KeepCountOfDue(store(), state()); }
  std::uint64_t StepsOf(const std::function<void()>& something) {
    *costs_ = {};
    something();
    return costs_->cursor_moves + costs_->tombstones + costs_->gets;
  }
  Keyspace& rows() { return database_->default_keyspace(); }

  ManualClock clock_{kStart};
  std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  std::unique_ptr<Database> database_;
};

TEST_F(DueCount, ACountCostsTheSameHoweverManyAreDue) {
  Fill(kManyDue);
  const auto count = [&] { EXPECT_EQ(rows().Count().value(), 3u); };
  const auto figures = [&] { EXPECT_EQ(StatisticsOf(*database_).due_rows, kManyDue); };
  clock_.Advance(10ms);
  EXPECT_EQ(KeepCount(), std::uint64_t{kManyDue});
  EXPECT_LT(StepsOf(count), 600u);
  EXPECT_LT(StepsOf(figures), 600u);
}

TEST_F(DueCount, FollowsPurgesWritesAndReadsOfTheDead) {
  Fill(kManyDue);
  clock_.Advance(10ms);
  ASSERT_TRUE(KeepCount());
  ASSERT_EQ(database_->Purge({.rows_max = 100})->rows, 100u);
  EXPECT_EQ(StatisticsOf(*database_).due_rows, kManyDue - 100);
  // Over a dead row, with another deadline and without; a delete; a read, which removes it.
  ASSERT_EQ(CodeOf(rows().Put("key 4990", "v", Lifetime::For(1h))), kOk);
  ASSERT_EQ(CodeOf(rows().Put("key 4991", "v")), kOk);
  ASSERT_FALSE(rows().Delete("key 4992").value());
  ASSERT_EQ(CodeOf(rows().Get("key 4993")), kNotFound);
  EXPECT_EQ(rows().Count().value(), 5u);
  EXPECT_EQ(StatisticsOf(*database_).rows, 5 + StatisticsOf(*database_).due_rows);
  EXPECT_TRUE(database_->Check()->clean());
  ASSERT_FALSE(database_->Purge()->more_due);
  EXPECT_EQ(StatisticsOf(*database_).due_rows, 0u);
  EXPECT_EQ(rows().Count().value(), 5u);
}

TEST_F(DueCount, GoesOnFromTheLastOne) {
  Fill(2000);
  clock_.Advance(10ms);
  ASSERT_EQ(KeepCount(), 2000u);
  EXPECT_EQ(KeepCount(), std::nullopt) << "nothing has died since";
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(CodeOf(rows().Put("later " + std::to_string(i), "v", Lifetime::For(5ms))), kOk);
  }
  clock_.Advance(5ms);
  EXPECT_EQ(rows().Count().value(), 3u);
  EXPECT_EQ(KeepCount(), 4000u);
  ASSERT_EQ(database_->Purge({.rows_max = 2500})->rows, 2500u);
  EXPECT_EQ(StatisticsOf(*database_).due_rows, 1500u);
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(CodeOf(rows().Put("third " + std::to_string(i), "v", Lifetime::For(5ms))), kOk);
  }
  clock_.Advance(5ms);
  EXPECT_EQ(KeepCount(), 3500u);
  EXPECT_EQ(rows().Count().value(), 3u);
}

TEST_F(DueCount, AnOpenSnapshotCountsAsItWas) {
  Fill(kManyDue);
  const auto snapshot = *database_->NewSnapshot();
  clock_.Advance(10ms);
  ASSERT_TRUE(KeepCount());
  const auto later = *database_->NewSnapshot();
  ASSERT_EQ(database_->Purge({.rows_max = 1000})->rows, 1000u);
  EXPECT_EQ(snapshot->In(rows()).Count().value(), kManyDue + 3u);
  EXPECT_EQ(later->In(rows()).Count().value(), 3u);
}

TEST_F(DueCount, AClearForgetsIt) {
  Fill(kManyDue);
  clock_.Advance(10ms);
  ASSERT_TRUE(KeepCount());
  InLatched(*database_, rows(), {}, [](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.Clear()), kOk);
    ASSERT_EQ(CodeOf(space.Put("key 1", "v", Lifetime::For(1ms))), kOk);
  });
  EXPECT_EQ(rows().Count().value(), 1u);
  clock_.Advance(1ms);
  EXPECT_EQ(rows().Count().value(), 0u);
  EXPECT_EQ(StatisticsOf(*database_).due_rows, 1u);
  Fill(kManyDue);
  clock_.Advance(10ms);
  EXPECT_EQ(KeepCount(), std::uint64_t{kManyDue});
  ASSERT_EQ(CodeOf(rows().Clear()), kOk);
  EXPECT_EQ(rows().Count().value(), 0u);
  EXPECT_EQ(StatisticsOf(*database_).due_rows, 0u);
}

TEST_F(DueCount, AReaperKeepsIt) {
  Fill(2 * kManyDue);
  clock_.Advance(10ms);
  core::Purger purger(store());
  ASSERT_TRUE(purger.Purge({.rows_max = 100}, {.batch_rows_max = 16, .one_latch = true})->more_due);
  EXPECT_EQ(purger.TakeBacklog(), 2u * kManyDue);
  EXPECT_LT(StepsOf([&] { EXPECT_EQ(rows().Count().value(), 3u); }), 600u);
  ASSERT_FALSE(purger.Purge({}, {.batch_rows_max = 16, .one_latch = true})->more_due);
  EXPECT_EQ(StatisticsOf(*database_).rows, 3u);
}

TEST_F(DueCount, SurvivesAReopenAndACheckFindsAWrongOne) {
  engine::Batch batch;
  Fill(kManyDue);
  clock_.Advance(10ms);
  ASSERT_TRUE(KeepCount());
  core::DueRecord record = *state().due_record();
  ++record.base;
  batch.Put({engine::Role::kMeta}, core::MetaKey(core::kMetaDue, state().id()),
            core::EncodeDueRecord(record));
  ASSERT_EQ(CodeOf(store().engine().Commit(batch)), kOk);
  EXPECT_EQ(database_->Check()->wrong_counts, 1u);
  EXPECT_EQ(database_->Check({.repair = true})->repaired, 1u);
  EXPECT_EQ(rows().Count().value(), 3u);
}

// Rows die and are overwritten while one thread counts ahead, one purges and one reads the count,
// which is never more than there can be.
TEST(DueCountTogether, IsExactWhileOthersWriteAndPurge) {
  ManualClock clock{kStart};
  const auto database = *core::NewDatabase(engine::NewMemoryEngine(), {.clock = &clock});
  Keyspace& rows = database->default_keyspace();
  core::Store& store = core::StoreOf(*database);
  core::KeyspaceState& state = *store.catalog().Find(core::kDefaultKeyspaceName).value();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(CodeOf(rows.Put("l" + std::to_string(i), "v")), kOk);
  std::atomic<bool> stop{false};
  std::vector<std::jthread> threads;
  for (int writer = 0; writer < 2; ++writer) {
    threads.emplace_back([&, writer] {
      for (int i = 0; !stop; ++i) {
        const std::string key = std::to_string(writer) + " " + std::to_string(i % 3000);
        EXPECT_EQ(CodeOf(rows.Put(key, "v", Lifetime::For(Millis(1 + i % 7)))), kOk);
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop) EXPECT_EQ(CodeOf(KeepCountOfDue(store, state)), kOk);
  });
  threads.emplace_back([&] {
    while (!stop) EXPECT_EQ(CodeOf(database->Purge({.rows_max = 50})), kOk);
  });
  for (int i = 0; i < 300; ++i) {
    clock.Advance(1ms);
    const std::uint64_t living = rows.Count().value();
    EXPECT_GE(living, 100u);
    EXPECT_LE(living, 6100u);
    if (i % 100 == 0) {
      EXPECT_TRUE(database->Check()->clean());
    }
  }
  stop = true;
  threads.clear();
  clock.Advance(1h);
  EXPECT_EQ(rows.Count().value(), 100u);
  EXPECT_TRUE(database->Check()->clean());
  EXPECT_FALSE(database->Purge()->more_due);
  EXPECT_EQ(rows.Count().value(), 100u);
}

}  // namespace
}  // namespace mayfly
