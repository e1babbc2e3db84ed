// Goal: while purges of a keyspace are held, what has died stays for a transaction that judges by an
// earlier instant, and for nobody else; afterwards it is purged as ever.
// Method: rows and members at one before, on and one after their deadline, on every engine.
#include <gtest/gtest.h>

#include "core/latched_fixture.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::MemberLifetime;
using core::TransactionKeyspace;

class HeldPurges : public EachEngine {
 protected:
  // In a transaction that judges rows as they were at the start.
  void AsAtTheStart(Bytes key, const std::function<void(TransactionKeyspace&)>& something) {
    core::KeySet scope;
    scope.keys.push_back({&rows(), key});
    scope.judged_at = kStart;
    auto transaction = core::BeginLatched(database(), scope);
    ASSERT_TRUE(transaction.has_value()) << transaction.status().ToString();
    EXPECT_EQ((*transaction)->judged_at(), kStart);
    EXPECT_EQ((*transaction)->now(), clock().Now());
    something((*transaction)->In(rows()));
    ASSERT_EQ(CodeOf((*transaction)->Commit()), kOk);
  }
};

TEST_P(HeldPurges, ADeadRowCanBeProlongedByTheOneWhoDecides) {
  core::HoldPurges(database(), rows(), true);
  ASSERT_EQ(CodeOf(rows().Put("k", "v", Lifetime::Until(kStart + 10ms))), kOk);
  clock().Advance(9ms);
  EXPECT_TRUE(*rows().Exists("k"));
  clock().Advance(1ms);
  EXPECT_FALSE(*rows().Exists("k"));
  clock().Advance(1ms);
  EXPECT_EQ(database().Purge()->rows, 0u);
  EXPECT_EQ(*rows().Count(), 0u);
  AsAtTheStart("k", [&](TransactionKeyspace& space) {
    EXPECT_EQ(CodeOf(space.Expire("k", Lifetime::Until(kStart + 1h))), kOk);
  });
  EXPECT_EQ(*rows().Get("k"), "v");
  EXPECT_EQ(*rows().Ttl("k"), 1h - 11ms);
  EXPECT_TRUE(database().Check()->clean());
}

TEST_P(HeldPurges, WhatIsWrittenWithAPassedDeadlineIsDeadToReaders) {
  core::HoldPurges(database(), rows(), true);
  clock().Advance(10ms);
  AsAtTheStart("k", [&](TransactionKeyspace& space) {
    EXPECT_EQ(CodeOf(space.Put("k", "v", Lifetime::Until(kStart + 5ms))), kOk);
  });
  EXPECT_FALSE(*rows().Exists("k"));
  AsAtTheStart("k", [&](TransactionKeyspace& space) {
    core::FoundRow row;
    EXPECT_EQ(CodeOf(space.Find("k", row)), kOk);
    EXPECT_TRUE(row.exists);
    EXPECT_EQ(*space.Delete("k"), true);
  });
  EXPECT_TRUE(database().Check()->clean());
}

TEST_P(HeldPurges, MembersStayAsWell) {
  core::HoldPurges(database(), rows(), true);
  InLatched(database(), rows(), {"c"}, [](TransactionKeyspace& space) {
    Fill(space, "c", {"forever"});
    Fill(space, "c", {"mortal"}, MemberLifetime::Until(kStart + 10ms));
  });
  clock().Advance(20ms);
  EXPECT_EQ(database().Purge()->members, 0u);
  EXPECT_EQ(Look(database(), rows(), "c").members, 1u);
  AsAtTheStart("c", [](TransactionKeyspace& space) {
    core::FoundRow row;
    EXPECT_EQ(CodeOf(space.Find("c", row)), kOk);
    EXPECT_EQ(row.members, 2u);
  });
}

TEST_P(HeldPurges, AfterwardsTheDeadLeave) {
  core::HoldPurges(database(), rows(), true);
  ASSERT_EQ(CodeOf(rows().Put("k", "v", Lifetime::Until(kStart + 10ms))), kOk);
  clock().Advance(20ms);
  EXPECT_EQ(database().Purge()->rows, 0u);
  core::HoldPurges(database(), rows(), false);
  EXPECT_EQ(database().Purge()->rows, 1u);
  EXPECT_TRUE(database().Check()->clean());
}

INSTANTIATE_TEST_SUITE_P(Engines, HeldPurges, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
