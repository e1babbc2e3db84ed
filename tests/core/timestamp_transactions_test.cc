// Goal: a transaction's writes at timestamps are what they would be one by one, as of its commit.
// Method: own late writes, savepoints, and concurrent writes, on every engine.
#include "core/timestamped.h"

namespace mayfly {
namespace {

class TimestampTransactions : public Timestamped {
 protected:
  TimestampTransactions() { Make({.history = Millis(1000)}); }

  std::unique_ptr<Transaction> Begin() { return *database().Begin(); }
};

TEST_P(TimestampTransactions, SeeTheirOwnLastWord) {
  EXPECT_TRUE(PutAt("key", "before", -10));
  const auto transaction = Begin();
  KeyspaceWriter& own = transaction->In(stamped());
  EXPECT_FALSE(own.PutAt("key", "late", At(-20)).value());
  EXPECT_EQ(ValueOf(own.Get("key")), "before");
  EXPECT_TRUE(own.PutAt("key", "mine", At(-5)).value());
  EXPECT_EQ(own.GetRow("key")->timestamp, At(-5));
  EXPECT_FALSE(own.PutAt("key", "late again", At(-6)).value());
  EXPECT_EQ(ValueOf(own.Get("key")), "mine");
  EXPECT_TRUE(own.DeleteAt("key", At(-5)).value());
  EXPECT_EQ(ValueOf(own.Get("key")), "(gone)");
  EXPECT_FALSE(own.PutAt("key", "late once more", At(-6)).value());
  EXPECT_EQ(ValueOf(own.Get("key")), "(gone)");
  EXPECT_EQ(Get("key"), "before");
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(Get("key"), "(gone)");
  EXPECT_EQ(AsOf("key", -20), "late");
  EXPECT_EQ(AsOf("key", -10), "before");
  EXPECT_EQ(AsOf("key", -6), "late once more");
  EXPECT_EQ(AsOf("key", -5), "(gone)");
}

TEST_P(TimestampTransactions, LeaveWhatTheyOvertookOfTheirOwnInThePast) {
  const auto transaction = Begin();
  KeyspaceWriter& own = transaction->In(stamped());
  EXPECT_TRUE(own.PutAt("key", "a", At(-30)).value());
  EXPECT_TRUE(own.PutAt("key", "b", At(-20)).value());
  EXPECT_TRUE(own.DeleteAt("key", At(-10)).value());
  ASSERT_EQ(CodeOf(own.Put("key", "d")), kOk);
  GoTo(5);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(stamped().GetRow("key")->timestamp, At(5)) << "the commit's";
  EXPECT_EQ(Get("key"), "d");
  EXPECT_EQ(AsOf("key", -30), "a");
  EXPECT_EQ(AsOf("key", -20), "b");
  EXPECT_EQ(AsOf("key", -10), "(gone)");
  EXPECT_EQ(AsOf("key", 4), "(gone)");
  EXPECT_EQ(AsOf("key", 5), "d");
}

TEST_P(TimestampTransactions, ACallWithoutATimestampCountsOverTheirOwnFromTheFuture) {
  const auto transaction = Begin();
  KeyspaceWriter& own = transaction->In(stamped());
  EXPECT_TRUE(own.PutAt("key", "to come", At(100)).value());
  ASSERT_EQ(CodeOf(own.Put("key", "now")), kOk);
  EXPECT_EQ(own.GetRow("key")->timestamp, At(100));
  GoTo(5);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(stamped().GetRow("key")->timestamp, At(100));
  EXPECT_EQ(AsOf("key", 100), "now");
  EXPECT_EQ(AsOf("key", 99), "(gone)");
  EXPECT_FALSE(PutAt("key", "late", 99));
}

TEST_P(TimestampTransactions, ATtlCountsFromTheTimestampOrFromTheCommit) {
  EXPECT_TRUE(PutAt("future", "", 500));
  const auto transaction = Begin();
  KeyspaceWriter& own = transaction->In(stamped());
  EXPECT_TRUE(own.PutAt("stamped", "", At(-40), For(100)).value());
  EXPECT_EQ(own.Ttl("stamped").value(), Millis(60));
  ASSERT_EQ(CodeOf(own.Put("plain", "", For(100))), kOk);
  ASSERT_EQ(CodeOf(own.Put("future", "", For(100))), kOk);
  EXPECT_EQ(own.Ttl("future").value(), Millis(100));
  EXPECT_TRUE(own.PutAt("renewed", "", At(-40), For(50)).value());
  EXPECT_TRUE(own.Expire("renewed", For(100)).value());
  GoTo(5);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(stamped().GetRow("stamped")->deadline, At(60));
  EXPECT_EQ(stamped().GetRow("plain")->deadline, At(105));
  EXPECT_EQ(stamped().GetRow("future")->deadline, At(105));
  EXPECT_EQ(stamped().GetRow("renewed")->deadline, At(105));
  EXPECT_EQ(stamped().GetRow("renewed")->timestamp, At(-40));
}

TEST_P(TimestampTransactions, AnUpdateKeepsTheDeadlineOfTheirOwnRow) {
  const auto transaction = Begin();
  KeyspaceWriter& own = transaction->In(stamped());
  EXPECT_TRUE(own.PutAt("key", "a", At(-40), For(100)).value());
  const auto append = [](std::optional<Bytes> old) { return std::string(*old) + "b"; };
  ASSERT_EQ(CodeOf(own.Update("key", append)), kOk);
  EXPECT_EQ(own.GetRow("key")->deadline, At(60));
  GoTo(5);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(stamped().GetRow("key")->deadline, At(60));
  EXPECT_EQ(stamped().GetRow("key")->timestamp, At(5));
  EXPECT_EQ(AsOf("key", 4), "a");
}

TEST_P(TimestampTransactions, RollBackToSavepointsLateOnesIncluded) {
  EXPECT_TRUE(PutAt("key", "before", -10));
  const auto transaction = Begin();
  KeyspaceWriter& own = transaction->In(stamped());
  EXPECT_FALSE(own.PutAt("key", "late", At(-20)).value());
  EXPECT_TRUE(own.PutAt("key", "mine", At(-8)).value());
  ASSERT_EQ(CodeOf(transaction->SetSavepoint()), kOk);
  EXPECT_FALSE(own.PutAt("key", "late, changed", At(-20)).value());
  EXPECT_FALSE(own.PutAt("key", "late, more", At(-15)).value());
  EXPECT_TRUE(own.PutAt("key", "mine, newer", At(-5)).value());
  ASSERT_EQ(CodeOf(transaction->RollbackToSavepoint()), kOk);
  EXPECT_EQ(ValueOf(own.Get("key")), "mine");
  EXPECT_TRUE(own.PutAt("key", "mine, again", At(-8)).value());
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(Get("key"), "mine, again");
  EXPECT_EQ(AsOf("key", -20), "late");
  EXPECT_EQ(AsOf("key", -15), "late");
  EXPECT_EQ(AsOf("key", -9), "before");
  EXPECT_EQ(AsOf("key", -5), "mine, again");
  EXPECT_EQ(Versions(), 2u);
}

TEST_P(TimestampTransactions, AnswerAsOfFromWhatWasCommittedBefore) {
  EXPECT_TRUE(PutAt("key", "old", -20));
  EXPECT_TRUE(PutAt("key", "new", -10));
  const auto transaction = Begin();
  KeyspaceWriter& own = transaction->In(stamped());
  EXPECT_TRUE(own.PutAt("key", "mine", At(-5)).value());
  EXPECT_FALSE(PutAt("key", "by somebody else", -15));
  EXPECT_EQ(ValueOf(own.GetAsOf("key", At(-15))), "old");
  EXPECT_EQ(ValueOf(own.GetAsOf("key", At(0))), "new");
  const auto cursor = own.NewCursor({.as_of = At(0)}).value();
  cursor->SeekToFirst();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->value(), "new");
  GoTo(5000);
  EXPECT_EQ(ValueOf(own.GetAsOf("key", At(-15))), "old") << "its history stands still";
}

TEST_P(TimestampTransactions, AChangeOfThePastIsNoConflict) {
  EXPECT_TRUE(PutAt("key", "before", -10));
  const auto transaction = Begin();
  EXPECT_EQ(ValueOf(transaction->In(stamped()).Get("key")), "before");
  ASSERT_EQ(CodeOf(transaction->In(stamped()).Put("other", "")), kOk);
  EXPECT_FALSE(PutAt("key", "late", -20));
  EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
}

TEST_P(TimestampTransactions, ANewLastWordIsAConflict) {
  const std::function<void()> words[] = {
      [this] { EXPECT_TRUE(PutAt("key", "theirs", -5)); },
      [this] { EXPECT_TRUE(DeleteAt("key", -5)); },
      [this] { EXPECT_TRUE(PutAt("key", "born dead", -5, For(1))); },
      [this] { EXPECT_FALSE(stamped().Delete("key").value()); },
  };
  for (const auto& word : words) {
    Make({.history = Millis(1000)});
    const auto late = Begin();
    EXPECT_TRUE(late->In(stamped()).PutAt("key", "mine", At(-10)).value());
    const auto reader = Begin();
    EXPECT_EQ(ValueOf(reader->In(stamped()).Get("key")), "(gone)");
    ASSERT_EQ(CodeOf(reader->In(stamped()).Put("other", "")), kOk);
    word();
    EXPECT_EQ(CodeOf(late->Commit()), kConflict);
    EXPECT_EQ(CodeOf(reader->Commit()), kConflict);
  }
}

TEST_P(TimestampTransactions, APurgeIsNoConflict) {
  for (const std::optional<Millis> late_max :
       {std::optional<Millis>(), std::optional(Millis(20))}) {
    Make({.late_max = late_max});
    const std::int64_t start = (clock().Now() - kStart).count();
    EXPECT_TRUE(PutAt("dies", "value", start, For(10)));
    EXPECT_TRUE(DeleteAt("deleted", start));
    const auto transaction = Begin();
    KeyspaceWriter& own = transaction->In(stamped());
    EXPECT_EQ(ValueOf(own.Get("dies")), "value");
    EXPECT_EQ(ValueOf(own.Get("deleted")), "(gone)");
    ASSERT_EQ(CodeOf(own.Put("other", "")), kOk);
    GoTo(start + 1000);
    EXPECT_EQ(Purge(), 1u);
    EXPECT_EQ(Versions(), late_max ? 0u : 2u);
    EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
  }
}

// A purge must make no difference.
TEST_P(TimestampTransactions, AWordThatHoldsNothingBackAnyMoreIsNoConflictPurgedOrNot) {
  for (const bool purged : {false, true}) {
    Make({.late_max = Millis(20)});
    const std::int64_t start = (clock().Now() - kStart).count();
    const auto transaction = Begin();
    KeyspaceWriter& own = transaction->In(stamped());
    EXPECT_EQ(ValueOf(own.Get("deleted")), "(gone)");
    EXPECT_EQ(ValueOf(own.Get("died")), "(gone)");
    ASSERT_EQ(CodeOf(own.Put("other", "")), kOk);
    EXPECT_TRUE(DeleteAt("deleted", start));
    EXPECT_TRUE(PutAt("died", "", start, For(10)));
    GoTo(start + 20);
    if (purged) Purge();
    EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
  }
}

TEST_P(TimestampTransactions, ATimestampThatIsTooLateAtTheCommitIsRefused) {
  for (const std::int64_t passed : {19, 20, 21}) {
    Make({.late_max = Millis(20)});
    const std::int64_t start = (clock().Now() - kStart).count();
    const auto transaction = Begin();
    EXPECT_TRUE(transaction->In(stamped()).PutAt("key", "mine", At(start)).value());
    GoTo(start + passed);
    EXPECT_EQ(CodeOf(transaction->Commit()), passed <= 20 ? kOk : kInvalid);
  }
}

// Else a delete that was forgotten meanwhile would be undone.
TEST_P(TimestampTransactions, NothingThatWasDeletedComesBackThroughAnOldTransaction) {
  Make({.late_max = Millis(20)});
  const auto transaction = Begin();
  EXPECT_TRUE(transaction->In(stamped()).PutAt("key", "mine", At(0)).value());
  GoTo(10);
  EXPECT_TRUE(DeleteAt("key", 10));
  GoTo(100);
  Purge();
  EXPECT_EQ(Versions(), 0u);
  EXPECT_NE(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(Get("key"), "(gone)");
}

TEST_P(TimestampTransactions, CountClampedLifetimesOfLateOnesToo) {
  Make({.max_ttl = Millis(500), .breach = PolicyBreach::kClamp, .history = Millis(1000)});
  EXPECT_TRUE(PutAt("key", "", 0, For(1000)));
  EXPECT_FALSE(PutAt("key", "", -1, For(1000)));
  const auto transaction = Begin();
  EXPECT_FALSE(transaction->In(stamped()).PutAt("key", "", At(-2), For(1000)).value());
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(database().GetStatistics()->clamped_lifetimes, 3u);
}

INSTANTIATE_TEST_SUITE_P(Engines, TimestampTransactions, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
