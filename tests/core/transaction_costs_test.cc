// Goal: a transaction reads a row once from the engine, and once more at its commit, and still
// notices changes. Method: an engine that counts; rows that are short, absent, dead, large, and too
// many to be kept.
#include <gtest/gtest.h>

#include "core/counting_engine.h"
#include "core/each_engine.h"
#include "core/layout/limits.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class TransactionCosts : public ::testing::Test {
 protected:
  TransactionCosts()
      : database_(
            *core::NewDatabase(std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_),
                               {.purge_on_read = false, .clock = &clock_})) {}

  ~TransactionCosts() override { EXPECT_TRUE(database_->Check()->clean()); }

  Keyspace& rows() { return database_->default_keyspace(); }
  std::unique_ptr<Transaction> Begin() { return *database_->Begin(); }

  // How often the engine reads a pair meanwhile.
  std::uint64_t Gets(const std::function<void()>& something) {
    const std::uint64_t before = costs_->gets;
    something();
    return costs_->gets - before;
  }

  ManualClock clock_{kStart};
  std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  std::unique_ptr<Database> database_;
};

TEST_F(TransactionCosts, ARowIsReadOnceAndOnceMoreToCommit) {
  ASSERT_EQ(CodeOf(rows().Put("key", "1")), kOk);
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  EXPECT_EQ(Gets([&] {
              EXPECT_EQ(writer.Get("key").value(), "1");
              EXPECT_EQ(writer.Get("key").value(), "1");
              EXPECT_TRUE(writer.Exists("key").value());
              EXPECT_EQ(CodeOf(writer.Put("key", "2")), kOk);
            }),
            1u);
  EXPECT_EQ(Gets([&] { EXPECT_EQ(CodeOf(transaction->Commit()), kOk); }), 1u);
  EXPECT_EQ(rows().Get("key").value(), "2");
}

TEST_F(TransactionCosts, ARowThatIsNotThereIsRememberedToo) {
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  EXPECT_EQ(Gets([&] {
              EXPECT_EQ(CodeOf(writer.Get("key")), kNotFound);
              EXPECT_EQ(CodeOf(writer.Get("key")), kNotFound);
            }),
            1u);
  ASSERT_EQ(CodeOf(rows().Put("key", "somebody's")), kOk);
  ASSERT_EQ(CodeOf(writer.Put("key", "mine")), kOk);
  EXPECT_EQ(CodeOf(transaction->Commit()), kConflict);
  EXPECT_EQ(rows().Get("key").value(), "somebody's");
}

// The read set has the stored bytes: they are the same, and dead, at the commit.
TEST_F(TransactionCosts, ARowThatDiesMeanwhileIsNoConflict) {
  ASSERT_EQ(CodeOf(rows().Put("key", "1", Lifetime::For(10ms))), kOk);
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  EXPECT_EQ(writer.Get("key").value(), "1");
  clock_.Advance(10ms);
  ASSERT_EQ(CodeOf(writer.Put("key", "2")), kOk);
  EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(rows().Get("key").value(), "2");
}

TEST_F(TransactionCosts, ARowThatWasPurgedMeanwhileIsNoConflict) {
  ASSERT_EQ(CodeOf(rows().Put("key", "1", Lifetime::For(10ms))), kOk);
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  EXPECT_EQ(writer.Get("key").value(), "1");
  clock_.Advance(10ms);
  ASSERT_EQ(database_->Purge()->rows, 1u);
  ASSERT_EQ(CodeOf(writer.Put("other", "2")), kOk);
  EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
}

TEST_F(TransactionCosts, LargeRowsAreReadAgainAndWatchedAllTheSame) {
  const std::string large(core::kSeenRowBytesMax + 1, 'x');
  ASSERT_EQ(CodeOf(rows().Put("key", large)), kOk);
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  EXPECT_EQ(Gets([&] {
              EXPECT_EQ(writer.Get("key").value(), large);
              EXPECT_EQ(writer.Get("key").value(), large);
            }),
            2u);
  ASSERT_EQ(CodeOf(rows().Put("key", large + "y")), kOk);
  ASSERT_EQ(CodeOf(writer.Put("other", "2")), kOk);
  EXPECT_EQ(CodeOf(transaction->Commit()), kConflict);
}

TEST_F(TransactionCosts, WhatIsRememberedHasABound) {
  const std::string value(core::kSeenRowBytesMax / 2, 'x');
  const std::size_t count = 3 * core::kSeenBytesMax / value.size();
  const auto key = [](std::size_t i) { return "key" + std::to_string(i); };
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(CodeOf(rows().Put(key(i), value)), kOk);
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  const auto read_all = [&] {
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(writer.Get(key(i)).value(), value);
  };
  EXPECT_EQ(Gets(read_all), count);
  const std::uint64_t again = Gets(read_all);
  EXPECT_GT(again, count / 2);
  EXPECT_LT(again, count);
  ASSERT_EQ(CodeOf(rows().Delete(key(count - 1)).status()), kOk);
  ASSERT_EQ(CodeOf(writer.Put("other", "2")), kOk);
  EXPECT_EQ(CodeOf(transaction->Commit()), kConflict);
}

// Returned bytes belong to the caller.
TEST_F(TransactionCosts, RememberedBytesOutliveTheTransaction) {
  ASSERT_EQ(CodeOf(rows().Put("key", "a value too long to be kept in place")), kOk);
  PinnedBytes value;
  {
    const auto transaction = Begin();
    KeyspaceWriter& writer = transaction->In(rows());
    ASSERT_EQ(CodeOf(writer.Get("key", value)), kOk);
    ASSERT_EQ(CodeOf(writer.Get("key", value)), kOk);
  }
  EXPECT_EQ(value.view(), "a value too long to be kept in place");
}

// What a served database may do between two commands of other clients.
TEST_F(TransactionCosts, APartOfAForecastReadsNoMoreThanItMay) {
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(CodeOf(rows().Put(std::to_string(i), "value", Lifetime::For(Millis(1 + i)))), kOk);
  }
  ForecastPart part{.rows_max = 20};
  int calls = 0;
  do {
    const std::uint64_t moves = costs_->cursor_moves;
    EXPECT_LE(Gets([&] { EXPECT_TRUE(rows().Forecast({.part = &part}).has_value()); }), 20u);
    EXPECT_LE(costs_->cursor_moves - moves, 22u);
    ++calls;
  } while (part.after);
  EXPECT_EQ(calls, 26);
}

}  // namespace
}  // namespace mayfly
