// Snapshots show one state at one instant, whatever happens beside them.
// Method: everything that changes rows is done next to an open snapshot, which is then read in
// full.
#include <gtest/gtest.h>

#include "core/each_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class Snapshots : public EachEngine {
 protected:
  void Put(Bytes key, Bytes value, Lifetime lifetime = Lifetime::Default()) {
    ASSERT_EQ(CodeOf(rows().Put(key, value, lifetime)), kOk);
  }
};

TEST_P(Snapshots, KeepWhatWasThereThroughWritesDeathsPurgesAndClears) {
  Put("a", "old", Lifetime::For(5ms));
  Put("b", "old");
  Put("dead", "old", Lifetime::For(1ms));
  clock().Advance(1ms);
  const auto snapshot = *database().NewSnapshot();
  const KeyspaceReader& then = snapshot->In(rows());
  const auto expect_as_it_was = [&] {
    EXPECT_EQ(snapshot->now(), kStart + 1ms);
    EXPECT_EQ(then.Get("a").value(), "old");
    EXPECT_EQ(then.Ttl("a").value(), 4ms);
    EXPECT_EQ(then.Get("b").value(), "old");
    EXPECT_EQ(then.Ttl("b").value(), kForever);
    EXPECT_FALSE(then.Exists("c").value());
    EXPECT_FALSE(then.Exists("dead").value());
    EXPECT_EQ(then.Count().value(), 2u);
    EXPECT_EQ(then.ScanDeadlines({}).value().size(), 1u);
    const auto cursor = *then.NewCursor();
    cursor->SeekToLast();
    EXPECT_EQ(cursor->key(), "b");
  };
  expect_as_it_was();
  EXPECT_EQ(StatisticsOf(database()).due_rows, 1u) << "reads in it remove nothing";
  Put("b", "new", Lifetime::For(5ms));
  Put("c", "new");
  ASSERT_EQ(CodeOf(rows().Expire("a", Lifetime::For(1h))), kOk);
  expect_as_it_was();
  clock().Advance(10h);
  EXPECT_EQ(database().Purge().value().rows, 3u);
  expect_as_it_was();
  ASSERT_EQ(CodeOf(rows().Clear()), kOk);
  expect_as_it_was();
}

TEST_P(Snapshots, HoldAllKeyspacesInOneState) {
  const auto other = *database().CreateKeyspace("other");
  Put("key", "1");
  ASSERT_EQ(CodeOf(other->Put("key", "1")), kOk);
  const auto snapshot = *database().NewSnapshot();
  const KeyspaceReader& here = snapshot->In(rows());
  EXPECT_EQ(CodeOf(database().Transact([&](Transaction& transaction) {
              MAYFLY_RETURN_IF_ERROR(transaction.In(rows()).Put("key", "2"));
              return transaction.In(*other).Put("key", "2");
            })),
            kOk);
  EXPECT_EQ(here.Get("key").value(), "1");
  EXPECT_EQ(snapshot->In(*other).Get("key").value(), "1");
  EXPECT_EQ(other->Get("key").value(), "2");
}

TEST_P(Snapshots, AKeyspaceMadeLaterIsEmptyInThem) {
  const auto snapshot = *database().NewSnapshot();
  const auto later = *database().CreateKeyspace("later");
  ASSERT_EQ(CodeOf(later->Put("key", "value")), kOk);
  EXPECT_EQ(snapshot->In(*later).Count().value(), 0u);
  EXPECT_EQ(CodeOf(snapshot->In(*later).Get("key")), kNotFound);
}

TEST_P(Snapshots, TwoShowTwoStates) {
  Put("key", "1");
  const auto first = *database().NewSnapshot();
  Put("key", "2");
  const auto second = *database().NewSnapshot();
  Put("key", "3");
  EXPECT_EQ(first->In(rows()).Get("key").value(), "1");
  EXPECT_EQ(second->In(rows()).Get("key").value(), "2");
  EXPECT_EQ(database().GetStatistics().value().open_snapshots, 2u);
}

INSTANTIATE_TEST_SUITE_P(On, Snapshots, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
