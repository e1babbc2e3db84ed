// Goal: the bytes of measured keyspaces are counted exactly, whatever is written, purged, cleared or
// abandoned meanwhile, and nothing is counted or read before a caller asks.
// Method: the random play of latched transactions, with collections and deadlines, on each engine;
// pages are counted between its steps, and the count is compared with a walk over the engine. Single
// cases where a commit meets the frontier, and an engine that counts its calls.
#include "core/store/data_meter.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "base/testing/environment.h"
#include "core/each_engine.h"
#include "core/latched_fixture.h"
#include "core/latched_player.h"
#include "core/layout/limits.h"
#include "core/new_database.h"
#include "core/store/store_of.h"
#include "core/transactions/keyspace_impl.h"
#include "core/upkeep/measured_data.h"
#include "engine/memory/memory_engine.h"
#include "tests/core/counting_engine.h"

namespace mayfly {
namespace {

using core::TransactionKeyspace;

std::int64_t Walked(Database& database, const std::vector<std::shared_ptr<Keyspace>>& keyspaces) {
  core::Store& store = core::StoreOf(database);
  std::set<core::KeyspaceId> ids;
  for (const auto& keyspace : keyspaces) {
    const core::KeyspaceId id = core::KeyspaceImpl::Of(*keyspace, store).state().id();
    ids.insert(id);
    ids.insert(core::MembersOf(id));
  }
  std::int64_t bytes = 0;
  for (const engine::Role role :
       {engine::Role::kRows, engine::Role::kMembers, engine::Role::kExpiry}) {
    const auto cursor = store.engine().NewCursor({role}).value();
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      if (!ids.contains(*core::KeyspaceOf(cursor->key()))) continue;
      bytes += static_cast<std::int64_t>(cursor->key().size() + cursor->value().size());
    }
  }
  return bytes;
}

class DataMeterOn : public ::testing::TestWithParam<EngineKind> {};

TEST_P(DataMeterOn, AgreesWithAWalkThroughAnyPlay) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  std::printf("MAYFLY_SEED=%llu\n", static_cast<unsigned long long>(seed));
  LatchedPlayer player(GetParam(), TransactionKind::kLatched, seed);
  Random random(seed);
  constexpr int kSteps = 700;
  int compared = 0;
  for (int i = 0; i < kSteps && !HasFailure(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    player.Step();
    Database& database = player.home().database();
    std::vector<std::shared_ptr<Keyspace>> keyspaces;
    const auto names = database.ListKeyspaces().value();
    for (const std::string& name : names) {
      keyspaces.push_back(database.OpenKeyspace(name).value());
    }
    bool whole = true;
    for (const auto& keyspace : keyspaces) {
      core::BeginMeasuring(database, *keyspace);
      const auto more = core::MeasureMore(database, *keyspace);
      ASSERT_TRUE(more.has_value()) << more.status().ToString();
      whole = whole && !*more;
    }
    core::DataMeter& meter = *core::FindMeter(database);
    const std::int64_t walked = Walked(database, keyspaces);
    if (whole) ++compared;
    if (whole) {
      ASSERT_EQ(meter.bytes(), walked);
    }
    ASSERT_LE(meter.bytes(), walked);
    EXPECT_EQ(whole, meter.is_whole());
    if (random.OneIn(100)) meter.End();
  }
  EXPECT_GT(compared, kSteps / 4) << "hardly anything was compared";
}

INSTANTIATE_TEST_SUITE_P(Engines, DataMeterOn, AllEngines(), NameOfEngine);

class DataMeter : public ::testing::Test {
 protected:
  std::unique_ptr<core::LatchedTransaction> Begin(const std::vector<Bytes>& keys) {
    core::KeySet scope;
    for (const Bytes key : keys) scope.keys.push_back({&rows(), key});
    return *core::BeginLatched(*database_, scope);
  }
  void Measure() {
    core::BeginMeasuring(*database_, rows());
    while (core::MeasureMore(*database_, rows()).value()) {
    }
  }
  void ExpectExact() {
    EXPECT_EQ(meter().bytes(), Walked(*database_, {database_->OpenKeyspace("default").value()}));
  }

  Keyspace& rows() { return database_->default_keyspace(); }
  core::DataMeter& meter() { return *core::FindMeter(*database_); }

  ManualClock clock_{kStart};
  std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  std::unique_ptr<Database> database_ = *core::NewDatabase(
      std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_), {.clock = &clock_});
};

TEST_F(DataMeter, AsksTheEngineForNothingUntilItIsWanted) {
  ASSERT_EQ(CodeOf(rows().Put("k", "v")), kOk);
  const std::uint64_t before = costs_->gets;
  ASSERT_EQ(CodeOf(rows().Put("k", "w")), kOk);
  const std::uint64_t without = costs_->gets - before;
  Measure();
  const std::uint64_t measured = costs_->gets;
  ASSERT_EQ(CodeOf(rows().Put("k", "x")), kOk);
  EXPECT_EQ(costs_->gets - measured, without + 1) << "one read for each pair that is replaced";
  meter().End();
  const std::uint64_t ended = costs_->gets;
  ASSERT_EQ(CodeOf(rows().Put("k", "y")), kOk);
  EXPECT_EQ(costs_->gets - ended, without);
  EXPECT_EQ(meter().bytes(), 0);
}

TEST_F(DataMeter, CountsWritesOnBothSidesOfTheFrontier) {
  // Two pages of rows, of which one is counted.
  const auto key = [](std::uint64_t i) { return std::to_string(1'000'000 + i); };
  for (std::uint64_t i = 0; i < 2 * core::kMeasuredPairsMax; ++i) {
    ASSERT_EQ(CodeOf(rows().Put(key(2 * i), "v")), kOk);
  }
  core::BeginMeasuring(*database_, rows());
  ASSERT_TRUE(core::MeasureMore(*database_, rows()).value());
  const std::int64_t half = meter().bytes();
  const std::uint64_t last = 2 * (core::kMeasuredPairsMax - 1);
  for (const std::uint64_t i : {last - 1, last, last + 1, last + 2}) {
    ASSERT_EQ(CodeOf(rows().Put(key(i), "a longer value", Lifetime::For(Millis(1000)))), kOk);
  }
  EXPECT_GT(meter().bytes(), half);
  EXPECT_FALSE(meter().is_whole());
  Measure();
  EXPECT_TRUE(meter().is_whole());
  ExpectExact();
  for (const std::uint64_t i : {last - 1, last, last + 1, last + 2}) {
    ASSERT_TRUE(rows().Delete(key(i)).value());
  }
  ExpectExact();
}

TEST_F(DataMeter, MembersInTheirRowGoWithIt) {
  Measure();
  InLatched(*database_, rows(), {"hash"}, [](TransactionKeyspace& space) {
    Fill(space, "hash", {"a", "b", "c"});
  });
  ExpectExact();
  InLatched(*database_, rows(), {"hash"},
            [](TransactionKeyspace& space) { EXPECT_TRUE(space.Evict("hash").value()); });
  ExpectExact();
  EXPECT_EQ(meter().bytes(), 0);
  EXPECT_EQ(meter().orphans(), 0);
}

TEST_F(DataMeter, MembersCountUntilTheyAreRemoved) {
  core::StoreOf(*database_).draft_bounds().packed_bytes_max = 0;
  Measure();
  InLatched(*database_, rows(), {"hash"}, [](TransactionKeyspace& space) {
    Fill(space, "hash", {"a", "b", "c"});
    ASSERT_EQ(CodeOf(space.PutSide("hash", "side", "bytes")), kOk);
  });
  ExpectExact();
  const std::int64_t filled = meter().bytes();
  InLatched(*database_, rows(), {"hash"}, [](TransactionKeyspace& space) {
    EXPECT_TRUE(space.Evict("hash").value());
    EXPECT_FALSE(space.Evict("hash").value());
  });
  ExpectExact();
  EXPECT_LT(meter().bytes(), filled);
  EXPECT_GT(meter().bytes(), 0);
  EXPECT_EQ(meter().orphans(), 1);
  ASSERT_EQ(CodeOf(database_->Purge({})), kOk);
  EXPECT_EQ(meter().bytes(), 0);
  EXPECT_EQ(meter().orphans(), 0);
}

TEST_F(DataMeter, AClearedKeyspaceHasNothing) {
  for (const bool within_transaction : {true, false}) {
    ASSERT_EQ(CodeOf(rows().Put("k", "v", Lifetime::For(Millis(1000)))), kOk);
    Measure();
    EXPECT_GT(meter().bytes(), 0);
    if (within_transaction) {
      core::KeySet all;
      all.everything = true;
      const auto transaction = *core::BeginLatched(*database_, all);
      ASSERT_EQ(CodeOf(transaction->In(rows()).Clear()), kOk);
      ASSERT_EQ(CodeOf(transaction->In(rows()).Put("new", "v", Lifetime::Forever())), kOk);
      ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
    } else {
      ASSERT_EQ(CodeOf(rows().Clear()), kOk);
      Measure();
    }
    ExpectExact();
  }
  EXPECT_EQ(meter().bytes(), 0);
}

TEST_F(DataMeter, ADroppedKeyspaceCountsNoMore) {
  const auto other = database_->CreateKeyspace("other").value();
  core::BeginMeasuring(*database_, *other);
  while (core::MeasureMore(*database_, *other).value()) {
  }
  ASSERT_EQ(CodeOf(other->Put("k", "v")), kOk);
  EXPECT_GT(meter().bytes(), 0);
  ASSERT_EQ(CodeOf(database_->DropKeyspace("other")), kOk);
  EXPECT_EQ(meter().bytes(), 0);
  EXPECT_TRUE(meter().is_whole());
}

TEST_F(DataMeter, AnAbandonedTransactionCountsNothing) {
  Measure();
  {
    const auto transaction = Begin({"k"});
    ASSERT_EQ(CodeOf(transaction->In(rows()).Put("k", "v", Lifetime::Forever())), kOk);
  }
  EXPECT_EQ(meter().bytes(), 0);
}

// An eviction is told like a death, with its own cause, and the row need not be dead or mortal.
TEST_F(DataMeter, AnEvictionIsAnEventOfItsOwnCause) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKeyAndValue})), kOk);
  ASSERT_EQ(CodeOf(rows().Put("for-ever", "1")), kOk);
  ASSERT_EQ(CodeOf(rows().Put("mortal", "2", Lifetime::For(Millis(1000)))), kOk);
  ASSERT_EQ(CodeOf(rows().Put("dead", "3", Lifetime::For(Millis(10)))), kOk);
  clock_.Advance(Millis(10));
  InLatched(*database_, rows(), {"for-ever", "mortal", "dead"}, [](TransactionKeyspace& space) {
    EXPECT_TRUE(space.Evict("for-ever").value());
    EXPECT_TRUE(space.Evict("mortal").value());
    EXPECT_FALSE(space.Evict("dead").value()) << "it is the reaper's";
  });
  const auto events = database_->ReadEvents(0, 10).value();
  ASSERT_EQ(events.size(), 2u);
  for (const Event& event : events) {
    EXPECT_EQ(event.cause, EventCause::kEvicted);
    EXPECT_EQ(event.purged_at, kStart + Millis(10));
    EXPECT_EQ(event.deadline, event.key == "mortal" ? kStart + Millis(1000) : kStart + Millis(10));
    EXPECT_EQ(event.value, event.key == "mortal" ? "2" : "1");
  }
}

}  // namespace
}  // namespace mayfly
