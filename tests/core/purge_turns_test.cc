// Goal: a dead row in one place does not wait for all dead rows elsewhere: keyspaces, and the rows,
// members and orphans of one, take turns. Method: a large backlog in one place, one dead row in
// another, and purges that end at a bound of rows.
#include <gtest/gtest.h>

#include "core/latched_fixture.h"
#include "core/layout/limits.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::MemberLifetime;
using core::TransactionKeyspace;

constexpr int kBacklog = 3000;
constexpr std::uint64_t kTurn = core::kPurgeTurnRowsMax;

class PurgeTurns : public EachEngine {
 protected:
  // Their turn comes first, by their names and the order they were made in.
  void FillBacklog() {
    for (int i = 0; i < kBacklog; ++i) {
      ASSERT_EQ(CodeOf(rows().Put("backlog " + std::to_string(i), "v", Lifetime::For(10ms))), kOk);
    }
  }
  Keyspace& Make(const std::string& name) {
    kept_.push_back(*database().CreateKeyspace(name));
    return *kept_.back();
  }
  PurgeReport Purge(std::uint64_t rows_max) { return *database().Purge({.rows_max = rows_max}); }

  std::vector<std::shared_ptr<Keyspace>> kept_;
};

TEST_P(PurgeTurns, ADeathInOneKeyspaceWaitsForATurnOfTheOthers) {
  FillBacklog();
  Keyspace& other = Make("other");
  ASSERT_EQ(CodeOf(other.Put("key", "v", Lifetime::For(10ms))), kOk);
  clock().Advance(10ms);
  EXPECT_TRUE(Purge(2 * kTurn).more_due);
  EXPECT_EQ(StatisticsOf(database(), "other").rows, 0u);
  EXPECT_GT(StatisticsOf(database()).rows, 0u);
}

TEST_P(PurgeTurns, FieldsAndLeftoversDoNotWaitForRows) {
  home_.Unpack();  // A set in its row leaves nothing over.
  FillBacklog();
  InLatched(database(), rows(), {"hash", "set"}, [](TransactionKeyspace& space) {
    Fill(space, "hash", {"stays"});
    Fill(space, "hash", {"dies"}, MemberLifetime::Until(kStart + 10ms));
    Fill(space, "set", {"a", "b", "c"});
  });
  InLatched(database(), rows(), {"set"},
            [](TransactionKeyspace& space) { EXPECT_TRUE(space.Delete("set").value()); });
  clock().Advance(10ms);
  const PurgeReport report = Purge(3 * kTurn);
  EXPECT_TRUE(report.more_due);
  EXPECT_EQ(report.members, 1u);
  EXPECT_EQ(report.leftovers, 3u);
  EXPECT_EQ(StatisticsOf(database()).orphans, 0u);
}

TEST_P(PurgeTurns, PurgesOfOneRowGoRound) {
  FillBacklog();
  Keyspace& second = Make("second");
  Keyspace& third = Make("third");
  for (Keyspace* const keyspace : {&second, &third}) {
    for (const char* const key : {"a", "b"}) {
      ASSERT_EQ(CodeOf(keyspace->Put(key, "v", Lifetime::For(10ms))), kOk);
    }
  }
  clock().Advance(10ms);
  for (int purge = 0; purge < 6; ++purge) EXPECT_EQ(Purge(1).rows, 1u);
  EXPECT_EQ(StatisticsOf(database(), "second").rows, 0u);
  EXPECT_EQ(StatisticsOf(database(), "third").rows, 0u);
  EXPECT_EQ(StatisticsOf(database()).rows, kBacklog - 2u);
}

TEST_P(PurgeTurns, AllThatIsDueGoesInTheEnd) {
  FillBacklog();
  Keyspace& other = Make("other");
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(CodeOf(other.Put(std::to_string(i), "v", Lifetime::For(Millis(10 + i)))), kOk);
  }
  clock().Advance(1s);
  const PurgeReport report = *database().Purge();
  EXPECT_EQ(report.rows, kBacklog + 200u);
  EXPECT_FALSE(report.more_due);
}

// Their members are removed in a turn of their own, before the orphans, which have no parts then.
TEST_P(PurgeTurns, OrphansWithoutPartsGoAsWell) {
  InLatched(database(), rows(), {"a", "b", "c"}, [](TransactionKeyspace& space) {
    for (const char* const key : {"a", "b", "c"}) {
      Fill(space, key, {"member"}, MemberLifetime::Until(kStart + 10ms));
    }
  });
  clock().Advance(10ms);
  EXPECT_FALSE(database().Purge()->more_due);
  EXPECT_EQ(StatisticsOf(database()).orphans, 0u);
}

INSTANTIATE_TEST_SUITE_P(Core, PurgeTurns, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
