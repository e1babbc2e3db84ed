// Goal: pairs that latched transactions read are cached for the next one, which sees every change
// made in between. Method: each way to change a row or member between two transactions that read
// it, on an engine that counts its calls.
#include <gtest/gtest.h>

#include "core/counting_engine.h"
#include "core/latched_fixture.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::FoundMember;
using core::FoundRow;
using core::MemberLifetime;
using core::TransactionKeyspace;

class LatchedCache : public ::testing::Test {
 protected:
  LatchedCache()
      : database_(
            *core::NewDatabase(std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_),
                               {.purge_on_read = false, .clock = &clock_})) {}

  ~LatchedCache() override { EXPECT_TRUE(database_->Check()->clean()); }

  Keyspace& rows() { return database_->default_keyspace(); }

  void In(const std::vector<Bytes>& keys,
          const std::function<void(TransactionKeyspace&)>& something) {
    InLatched(*database_, rows(), keys, something);
  }

  void Put(Bytes key, Bytes value, Lifetime lifetime = Lifetime::Forever()) {
    In({key}, [&](TransactionKeyspace& space) {
      ASSERT_EQ(CodeOf(space.Put(key, value, lifetime)), kOk);
    });
  }

  // The row that a latched transaction of its own finds; "" when there is none.
  std::string Find(Bytes key) {
    std::string value;
    In({key}, [&](TransactionKeyspace& space) {
      FoundRow row;
      ASSERT_EQ(CodeOf(space.Find(key, row)), kOk);
      if (row.exists) value = row.value;
    });
    return value;
  }
  std::string FindMember(Bytes key, Bytes member) {
    std::string value;
    In({key}, [&](TransactionKeyspace& space) {
      FoundMember found;
      if (space.FindMember(key, member, found).ok() && found.exists) value = found.value;
    });
    return value;
  }

  // How often the engine reads a pair meanwhile.
  std::uint64_t Gets(const std::function<void()>& something) {
    const std::uint64_t before = costs_->gets;
    something();
    return costs_->gets - before;
  }

  ManualClock clock_{kStart};
  const std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  std::unique_ptr<Database> database_;
};

TEST_F(LatchedCache, ASecondWorkDoesNotAskTheEngine) {
  ASSERT_EQ(CodeOf(rows().Put("key", "value")), kOk);
  EXPECT_EQ(Gets([&] { EXPECT_EQ(Find("key"), "value"); }), 1u);
  EXPECT_EQ(Gets([&] { EXPECT_EQ(Find("key"), "value"); }), 0u);
  EXPECT_EQ(Gets([&] { Put("key", "next"); }), 0u);
  EXPECT_EQ(Gets([&] { EXPECT_EQ(Find("key"), "next"); }), 0u);
}

TEST_F(LatchedCache, WhatIsAbsentIsKnownToo) {
  EXPECT_EQ(Find("key"), "");
  EXPECT_EQ(Gets([&] { EXPECT_EQ(Find("key"), ""); }), 0u);
  Put("key", "value");
  EXPECT_EQ(Find("key"), "value");
}

TEST_F(LatchedCache, MembersAreKeptWithTheirRow) {
  In({"set"}, [](TransactionKeyspace& space) { Fill(space, "set", {"a"}); });
  EXPECT_EQ(FindMember("set", "a"), "value of a");
  EXPECT_EQ(Gets([&] { EXPECT_EQ(FindMember("set", "a"), "value of a"); }), 0u);
  In({"set"}, [](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.PutMember("set", "a", "other")), kOk);
    ASSERT_EQ(CodeOf(space.PutMember("set", "b", "new")), kOk);
  });
  EXPECT_EQ(FindMember("set", "a"), "other");
  EXPECT_EQ(FindMember("set", "b"), "new");
  In({"set"},
     [](TransactionKeyspace& space) { ASSERT_EQ(CodeOf(space.RemoveMember("set", "a")), kOk); });
  EXPECT_EQ(FindMember("set", "a"), "");
}

TEST_F(LatchedCache, AWorkThatIsNotCommittedLeavesNothing) {
  Put("key", "value");
  {
    auto transaction = core::BeginLatched(*database_, {.keys = {{&rows(), "key"}}});
    ASSERT_EQ(CodeOf((*transaction)->In(rows()).Put("key", "never", Lifetime::Forever())), kOk);
  }
  EXPECT_EQ(Find("key"), "value");
}

TEST_F(LatchedCache, CallsOfTheLibraryAreSeen) {
  Put("key", "value");
  ASSERT_EQ(CodeOf(rows().Put("key", "put")), kOk);
  EXPECT_EQ(Find("key"), "put");
  ASSERT_TRUE(rows().Delete("key").value());
  EXPECT_EQ(Find("key"), "");
  auto transaction = database_->Begin();
  ASSERT_EQ(CodeOf((*transaction)->In(rows()).Put("key", "transaction")), kOk);
  ASSERT_EQ(CodeOf((*transaction)->Commit()), kOk);
  EXPECT_EQ(Find("key"), "transaction");
}

TEST_F(LatchedCache, ADeadlineIsJudgedByTheClockAndNotByTheCache) {
  Put("key", "value", Lifetime::For(10ms));
  EXPECT_EQ(Find("key"), "value");
  clock_.Advance(9ms);
  EXPECT_EQ(Find("key"), "value");
  clock_.Advance(1ms);
  EXPECT_EQ(Find("key"), "");
  ASSERT_EQ(database_->Purge()->rows, 1u);
  EXPECT_EQ(Find("key"), "");
  // The counters would be wrong if the purged row were replaced once more.
  Put("key", "again");
  EXPECT_EQ(Find("key"), "again");
}

TEST_F(LatchedCache, AMemberThatWasPurgedIsGone) {
  In({"set"}, [](TransactionKeyspace& space) {
    Fill(space, "set", {"stays"});
    Fill(space, "set", {"goes"}, MemberLifetime::Until(kStart + 10ms));
  });
  EXPECT_EQ(FindMember("set", "goes"), "value of goes");
  clock_.Advance(10ms);
  EXPECT_EQ(FindMember("set", "goes"), "");
  ASSERT_EQ(CodeOf(database_->Purge()), kOk);
  EXPECT_EQ(FindMember("set", "goes"), "");
  In({"set"}, [](TransactionKeyspace& space) {
    EXPECT_TRUE(space.PutMember("set", "goes", "back").value());
  });
  EXPECT_EQ(FindMember("set", "goes"), "back");
}

TEST_F(LatchedCache, ClearingForgets) {
  Put("key", "value");
  EXPECT_EQ(Find("key"), "value");
  ASSERT_EQ(CodeOf(rows().Clear()), kOk);
  EXPECT_EQ(Find("key"), "");
  Put("key", "value");
  In({}, [](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.Clear()), kOk);
    ASSERT_EQ(CodeOf(space.Put("other", "same transaction", Lifetime::Forever())), kOk);
  });
  EXPECT_EQ(Find("key"), "");
  EXPECT_EQ(Find("other"), "same transaction");
}

}  // namespace
}  // namespace mayfly
