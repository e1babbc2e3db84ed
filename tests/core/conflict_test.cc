// Goal: a transaction's commit is refused when a concurrent write conflicts, and only then.
// Method: a transaction and plain calls beside it, interleaved by hand, on every engine.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "core/each_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class Conflicts : public EachEngine {
 protected:
  void Put(Bytes key, Bytes value, Lifetime lifetime = Lifetime::Default()) {
    ASSERT_EQ(CodeOf(rows().Put(key, value, lifetime)), kOk);
  }

  std::unique_ptr<Transaction> Begin() { return *database().Begin(); }

  Statistics Stats() { return database().GetStatistics().value(); }
};

TEST_P(Conflicts, DoNotComeFromRowsThatDiedOrWerePurgedMeanwhile) {
  for (const bool purge : {false, true}) {
    SCOPED_TRACE(purge);
    Put("read", "value", Lifetime::For(5ms));
    Put("overwritten", "value", Lifetime::For(5ms));
    Put("deleted", "value", Lifetime::For(5ms));
    const auto transaction = Begin();
    KeyspaceWriter& writer = transaction->In(rows());
    ASSERT_TRUE(writer.Exists("read").value());
    ASSERT_EQ(CodeOf(writer.Put("overwritten", "new")), kOk);
    ASSERT_TRUE(writer.Delete("deleted").value());
    clock().Advance(5ms);
    if (purge) {
      ASSERT_EQ(database().Purge().value().rows, 3u);
    }
    EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
    EXPECT_EQ(rows().Get("overwritten").value(), "new");
    EXPECT_EQ(rows().Count().value(), 1u);
    ASSERT_EQ(CodeOf(rows().Clear()), kOk);
  }
  EXPECT_EQ(Stats().conflicts, 0u);
}

TEST_P(Conflicts, ComeFromAChangeOfARowThatWasRead) {
  const std::pair<const char*, std::function<void()>> changes[] = {
      {"written", [&] { Put("key", "other"); }},
      {"deleted", [&] { ASSERT_TRUE(rows().Delete("key").value()); }},
      {"renewed", [&] { ASSERT_EQ(CodeOf(rows().Touch("key", Lifetime::For(50ms))), kOk); }},
      {"persisted", [&] { ASSERT_TRUE(rows().Persist("key").value()); }},
      {"cleared", [&] { ASSERT_EQ(CodeOf(rows().Clear()), kOk); }},
      {"deleted and died",
       [&] { ASSERT_EQ(CodeOf(rows().Expire("key", Lifetime::Until(kStart))), kOk); }},
  };
  std::uint64_t conflicts = 0;
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    Put("key", "value", Lifetime::For(10ms));
    const auto transaction = Begin();
    KeyspaceWriter& writer = transaction->In(rows());
    ASSERT_TRUE(writer.Exists("key").value());
    ASSERT_EQ(CodeOf(writer.Put("result", "value")), kOk);
    change();
    const Status committed = transaction->Commit();
    EXPECT_EQ(CodeOf(committed), kConflict);
    EXPECT_NE(committed.message().find("key"), std::string::npos);
    EXPECT_FALSE(rows().Exists("result").value());
    EXPECT_EQ(Stats().conflicts, ++conflicts);
  }
}

TEST_P(Conflicts, ComeFromARowThatWasMissedAndIsThereNow) {
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  EXPECT_EQ(CodeOf(writer.Get("missing")), kNotFound);
  ASSERT_EQ(CodeOf(writer.Put("result", "value")), kOk);
  Put("missing", "value");
  EXPECT_EQ(CodeOf(transaction->Commit()), kConflict);
}

TEST_P(Conflicts, ComeFromAWriteToARowThatIsWritten) {
  const auto transaction = Begin();
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("key", "mine")), kOk);
  Put("key", "theirs");
  EXPECT_EQ(CodeOf(transaction->Commit()), kConflict);
  EXPECT_EQ(rows().Get("key").value(), "theirs");
}

TEST_P(Conflicts, DoNotComeFromRowsThatAppearInARange) {
  Put("a", "value");
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  const auto cursor = *writer.NewCursor();
  cursor->SeekToFirst();
  EXPECT_EQ(cursor->key(), "a");
  cursor->Next();
  EXPECT_FALSE(cursor->Valid());
  ASSERT_EQ(CodeOf(writer.Put("result", "value")), kOk);
  Put("b", "value");
  EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
}

TEST_P(Conflicts, KeepUpdatesFromBeingLost) {
  Put("counter", "0");
  const auto add_one = [&](Transaction& transaction) {
    KeyspaceWriter& writer = transaction.In(rows());
    const int old = std::stoi(writer.Get("counter").value());
    return writer.Put("counter", std::to_string(old + 1));
  };
  const auto one = Begin();
  const auto other = Begin();
  ASSERT_EQ(CodeOf(add_one(*one)), kOk);
  ASSERT_EQ(CodeOf(add_one(*other)), kOk);
  EXPECT_EQ(CodeOf(one->Commit()), kOk);
  EXPECT_EQ(CodeOf(other->Commit()), kConflict);
  EXPECT_EQ(CodeOf(database().Transact(add_one)), kOk);
  EXPECT_EQ(rows().Get("counter").value(), "2");
}

TEST_P(Conflicts, AreTriedAgainUpToTheGivenTimes) {
  int runs = 0;
  const auto always_disturbed = [&](Transaction& transaction) {
    MAYFLY_RETURN_IF_ERROR(transaction.In(rows()).Put("key", "mine"));
    return rows().Put("key", "theirs " + std::to_string(++runs));
  };
  EXPECT_EQ(CodeOf(database().Transact(always_disturbed, 5)), kConflict);
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(CodeOf(database().Transact(always_disturbed, 0)), kInvalid);
  EXPECT_EQ(runs, 5);
  runs = 0;
  const auto disturbed_once = [&](Transaction& transaction) {
    MAYFLY_RETURN_IF_ERROR(transaction.In(rows()).Put("key", "mine"));
    return ++runs == 1 ? rows().Put("key", "theirs") : Status();
  };
  EXPECT_EQ(CodeOf(database().Transact(disturbed_once)), kOk);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(rows().Get("key").value(), "mine");
}

TEST_P(Conflicts, AreTheOnlyFailureThatIsTriedAgain) {
  const Status failed = database().Transact([&](Transaction& transaction) {
    EXPECT_EQ(CodeOf(transaction.In(rows()).Put("key", "value")), kOk);
    return Status::WrongType("as it happens");
  });
  EXPECT_EQ(CodeOf(failed), kWrongType);
  EXPECT_FALSE(rows().Exists("key").value());
}

TEST_P(Conflicts, LeaveNoTraceButACount) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKey})), kOk);
  Put("key", "value");
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  ASSERT_EQ(CodeOf(writer.Put("key", "mine")), kOk);
  ASSERT_EQ(CodeOf(writer.Put("a", "value", Lifetime::For(5ms))), kOk);
  ASSERT_EQ(CodeOf(writer.Put("b", "value", Lifetime::Until(kStart))), kOk);
  Put("key", "theirs");
  ASSERT_EQ(CodeOf(transaction->Commit()), kConflict);
  EXPECT_EQ(StatisticsOf(database()).rows, 1u);
  EXPECT_EQ(Stats().events_last, 0u);
  EXPECT_EQ(Stats().conflicts, 1u);
  EXPECT_EQ(Stats().open_snapshots, 0u);
}

INSTANTIATE_TEST_SUITE_P(On, Conflicts, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
