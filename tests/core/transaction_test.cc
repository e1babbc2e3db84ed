// Transactions: all or nothing, from one state at one instant.
// Method: a transaction and plain calls beside it, interleaved by hand, on every engine. With
// threads: the concurrency tests; against a model: the model test.
#include <gtest/gtest.h>

#include <vector>

#include "core/each_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using Keys = std::vector<std::string>;

class Transactions : public EachEngine {
 protected:
  void Put(Bytes key, Bytes value, Lifetime lifetime = Lifetime::Default()) {
    ASSERT_EQ(CodeOf(rows().Put(key, value, lifetime)), kOk);
  }

  std::unique_ptr<Transaction> Begin() { return *database().Begin(); }

  Statistics Stats() { return database().GetStatistics().value(); }

  static Keys KeysIn(const KeyspaceReader& reader, const CursorOptions& options = {}) {
    Keys keys;
    const auto cursor = *reader.NewCursor(options);
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) keys.emplace_back(cursor->key());
    EXPECT_EQ(CodeOf(cursor->status()), kOk);
    Keys backward;
    for (cursor->SeekToLast(); cursor->Valid(); cursor->Prev()) {
      backward.insert(backward.begin(), std::string(cursor->key()));
    }
    EXPECT_EQ(backward, keys);
    return keys;
  }
};

TEST_P(Transactions, ReadTheirOwnWritesAndNobodyElseDoes) {
  Put("old", "value");
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  ASSERT_EQ(CodeOf(writer.Put("new", "value", Lifetime::For(5ms))), kOk);
  ASSERT_TRUE(writer.Delete("old").value());
  ASSERT_EQ(
      CodeOf(writer.Update("new", [](auto old) { return std::optional(std::string(*old) + "!"); })),
      kOk);
  EXPECT_EQ(writer.Get("new").value(), "value!");
  EXPECT_EQ(writer.Ttl("new").value(), 5ms);
  EXPECT_EQ(CodeOf(writer.Get("old")), kNotFound);
  EXPECT_EQ(writer.Count().value(), 1u);
  EXPECT_FALSE(rows().Exists("new").value());
  EXPECT_TRUE(rows().Exists("old").value());
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(rows().Get("new").value(), "value!");
  EXPECT_FALSE(rows().Exists("old").value());
}

TEST_P(Transactions, BytesReadFromOwnWritesStayWhenTheRowChanges) {
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  PinnedBytes value;
  ASSERT_EQ(CodeOf(writer.Put("key", "first")), kOk);
  ASSERT_EQ(CodeOf(writer.Get("key", value)), kOk);
  ASSERT_EQ(CodeOf(writer.Put("key", "second")), kOk);
  EXPECT_EQ(value.view(), "first");
}

TEST_P(Transactions, SeeTheStateTheyBeganIn) {
  Put("key", "before");
  const auto transaction = Begin();
  KeyspaceWriter& reader = transaction->In(rows());
  Put("key", "after");
  Put("later", "value");
  EXPECT_EQ(reader.Get("key").value(), "before");
  EXPECT_FALSE(reader.Exists("later").value());
  EXPECT_EQ(KeysIn(reader), Keys{"key"});
  EXPECT_EQ(CodeOf(transaction->Commit()), kOk) << "reads alone never conflict";
}

TEST_P(Transactions, StayAtTheInstantTheyBegan) {
  Put("key", "value", Lifetime::For(5ms));
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  clock().Advance(5ms);
  EXPECT_FALSE(rows().Exists("key").value());
  EXPECT_EQ(transaction->now(), kStart);
  EXPECT_EQ(writer.Ttl("key").value(), 5ms);
  EXPECT_FALSE(writer.PutIf("key", "new", PutCondition::Absent()).value());
}

TEST_P(Transactions, PurgesAndReadsOfDeadRowsNeverCommitOrBreakOne) {
  Put("dying", "value", Lifetime::For(5ms));
  Put("dying too", "value", Lifetime::For(5ms));
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  ASSERT_EQ(writer.Get("dying").value(), "value");
  ASSERT_EQ(CodeOf(writer.Put("written", "value")), kOk);
  clock().Advance(5ms);
  EXPECT_FALSE(rows().Exists("dying").value());    // Purges it.
  EXPECT_EQ(database().Purge().value().rows, 1u);  // Purges the other.
  EXPECT_EQ(StatisticsOf(database()).rows, 0u);
  EXPECT_FALSE(rows().Exists("written").value()) << "nothing was committed by that";
  EXPECT_EQ(writer.Get("dying").value(), "value");
  EXPECT_EQ(writer.Get("dying too").value(), "value");
  EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_TRUE(rows().Exists("written").value());
}

TEST_P(Transactions, ReadsOfTheDeadInsideOneRemoveNothing) {
  Put("dead", "value", Lifetime::For(5ms));
  clock().Advance(5ms);
  const auto transaction = Begin();
  const std::array<Bytes, 1> keys{"dead"};
  EXPECT_EQ(CodeOf(transaction->In(rows()).Get("dead")), kNotFound);
  EXPECT_EQ(CodeOf(transaction->In(rows()).MultiGet(keys).value()[0]), kNotFound);
  EXPECT_FALSE(transaction->In(rows()).Exists("dead").value());
  EXPECT_EQ(StatisticsOf(database()).due_rows, 1u);
  EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(StatisticsOf(database()).due_rows, 1u);
}

TEST_P(Transactions, AKeptDeadlineThatPassesBeforeTheCommitIsADeath) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKey})), kOk);
  Put("key", "value", Lifetime::For(5ms));
  const auto transaction = Begin();
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("key", "new", Lifetime::Keep())), kOk);
  clock().Advance(5ms);
  EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_FALSE(rows().Exists("key").value());
  EXPECT_EQ(StatisticsOf(database()).rows, 0u);
  EXPECT_EQ(database().ReadEvents(0, 10).value().size(), 1u);
}

TEST_P(Transactions, ATtlCountsFromTheCommit) {
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  ASSERT_EQ(CodeOf(writer.Put("for", "value", Lifetime::For(10ms))), kOk);
  ASSERT_EQ(CodeOf(writer.Put("until", "value", Lifetime::Until(kStart + 10ms))), kOk);
  clock().Advance(7ms);
  EXPECT_EQ(writer.Ttl("for").value(), 10ms);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(rows().Ttl("for").value(), 10ms);
  EXPECT_EQ(rows().Ttl("until").value(), 3ms);
}

TEST_P(Transactions, ATtlThatEndsAfterTheEndOfTimeByTheCommitWritesNothing) {
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  ASSERT_EQ(CodeOf(writer.Put("a", "value")), kOk);
  ASSERT_EQ(CodeOf(writer.Put("b", "value", Lifetime::For(WallTime::max() - kStart))), kOk);
  clock().Advance(1ms);
  EXPECT_EQ(CodeOf(transaction->Commit()), kInvalid);
  EXPECT_EQ(rows().Count().value(), 0u);
}

TEST_P(Transactions, GoBackToSavepointsThatNest) {
  Put("stored", "0");
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  EXPECT_EQ(CodeOf(transaction->RollbackToSavepoint()), kInvalid);
  ASSERT_EQ(CodeOf(writer.Put("own", "1")), kOk);
  ASSERT_EQ(CodeOf(transaction->SetSavepoint()), kOk);
  ASSERT_EQ(CodeOf(writer.Put("own", "2", Lifetime::For(5ms))), kOk);
  ASSERT_TRUE(writer.Delete("stored").value());
  ASSERT_EQ(CodeOf(transaction->SetSavepoint()), kOk);
  ASSERT_EQ(CodeOf(writer.Put("own", "3")), kOk);
  ASSERT_EQ(CodeOf(writer.Put("own", "4")), kOk);
  ASSERT_EQ(CodeOf(writer.Put("stored", "5")), kOk);
  ASSERT_EQ(CodeOf(writer.Put("new", "6")), kOk);

  ASSERT_EQ(CodeOf(transaction->RollbackToSavepoint()), kOk);
  EXPECT_EQ(writer.Get("own").value(), "2");
  EXPECT_EQ(writer.Ttl("own").value(), 5ms);
  EXPECT_FALSE(writer.Exists("stored").value());
  EXPECT_FALSE(writer.Exists("new").value());
  EXPECT_EQ(KeysIn(writer), Keys{"own"});

  ASSERT_EQ(CodeOf(transaction->RollbackToSavepoint()), kOk);
  EXPECT_EQ(writer.Get("own").value(), "1");
  EXPECT_EQ(writer.Get("stored").value(), "0");
  EXPECT_EQ(CodeOf(transaction->RollbackToSavepoint()), kInvalid);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(rows().Get("own").value(), "1");
  EXPECT_EQ(rows().Ttl("own").value(), kForever);
  EXPECT_EQ(rows().Count().value(), 2u);
}

TEST_P(Transactions, LeaveNoTraceWhenRolledBack) {
  ASSERT_EQ(CodeOf(rows().SetPolicy(
                {.max_ttl = 1h, .breach = PolicyBreach::kClamp, .events = EventDetail::kKey})),
            kOk);
  Put("kept", "value", Lifetime::For(10ms));
  Put("dead", "value", Lifetime::For(1ms));
  clock().Advance(1ms);
  const auto write = [&](Transaction& transaction) {
    KeyspaceWriter& writer = transaction.In(rows());
    EXPECT_EQ(CodeOf(writer.Put("new", "value", Lifetime::Forever())), kOk);  // Clamped.
    EXPECT_EQ(CodeOf(writer.Put("dead", "value")), kOk);
    EXPECT_EQ(CodeOf(writer.Put("born dead", "value", Lifetime::Until(kStart))), kOk);
    EXPECT_EQ(CodeOf(writer.Touch("kept", Lifetime::For(20ms))), kOk);
    EXPECT_TRUE(writer.Delete("kept").value());
  };
  const auto expect_no_trace = [&] {
    const Statistics stats = Stats();
    EXPECT_EQ(stats.clamped_lifetimes, 2u) << "of the two puts before";
    EXPECT_EQ(stats.purged_rows, 0u);
    EXPECT_EQ(stats.events_last, 0u);
    EXPECT_EQ(stats.conflicts, 0u);
    EXPECT_EQ(stats.open_snapshots, 0u);
    EXPECT_EQ(StatisticsOf(database()).rows, 2u);
    EXPECT_EQ(StatisticsOf(database()).mortal_rows, 2u);
    const CheckReport report = database().Check().value();
    EXPECT_EQ(report.entries, 2u);
    EXPECT_TRUE(report.clean());
    EXPECT_EQ(rows().Ttl("kept").value(), 9ms);
  };
  ASSERT_EQ(Stats().clamped_lifetimes, 0u);
  Put("kept", "value", Lifetime::Forever());
  Put("kept", "value", Lifetime::Forever());
  Put("kept", "value", Lifetime::For(9ms));
  {
    const auto rolled_back = Begin();
    write(*rolled_back);
    rolled_back->Rollback();
    expect_no_trace();
  }
  { write(*Begin()); }  // The destructor rolls back.
  expect_no_trace();
}

TEST_P(Transactions, CursorsMergeStoredRowsAndOwnWrites) {
  for (const char* key : {"b", "d", "f", "h"}) Put(key, "stored");
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  for (const char* key : {"a", "c", "d", "i"}) ASSERT_EQ(CodeOf(writer.Put(key, "own")), kOk);
  ASSERT_TRUE(writer.Delete("f").value());
  ASSERT_EQ(CodeOf(writer.Expire("h", Lifetime::For(5ms))), kOk);
  ASSERT_EQ(CodeOf(writer.Put("g", "own", Lifetime::Until(kStart))), kOk);  // Born dead.
  EXPECT_EQ(KeysIn(writer), (Keys{"a", "b", "c", "d", "h", "i"}));
  EXPECT_EQ(KeysIn(writer, {.begin = "b", .end = "i"}), (Keys{"b", "c", "d", "h"}));
  EXPECT_EQ(KeysIn(writer, {.filter = RowFilter::kMortal}), Keys{"h"});
  EXPECT_EQ(KeysIn(writer, {.prefix = "c"}), Keys{"c"});

  const auto cursor = *writer.NewCursor();
  ASSERT_EQ(CodeOf(writer.Put("e", "later than the cursor")), kOk);
  cursor->SeekAtOrAfter("d");
  EXPECT_EQ(cursor->value(), "own");
  cursor->Next();
  EXPECT_EQ(cursor->key(), "h");
  EXPECT_EQ(cursor->value(), "stored");
  EXPECT_EQ(cursor->deadline(), kStart + 5ms);
  cursor->Prev();
  EXPECT_EQ(cursor->key(), "d");
  cursor->Prev();
  EXPECT_EQ(cursor->key(), "c");
  cursor->Next();
  EXPECT_EQ(cursor->key(), "d");
  cursor->SeekAtOrBefore("g");
  EXPECT_EQ(cursor->key(), "d");
}

TEST_P(Transactions, QuestionsToTheIndexCountOwnWrites) {
  Put("a", "1", Lifetime::For(10ms));
  Put("b", "1", Lifetime::For(20ms));
  const auto transaction = Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  ASSERT_EQ(CodeOf(writer.Put("c", "22", Lifetime::For(15ms))), kOk);
  ASSERT_EQ(CodeOf(writer.Expire("a", Lifetime::For(30ms))), kOk);
  ASSERT_TRUE(writer.Delete("b").value());
  const auto entries = writer.ScanDeadlines({}).value();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].key, "c");
  EXPECT_EQ(entries[1].key, "a");
  const auto forecast = writer.Forecast({.bucket = 20ms, .buckets = 2}).value();
  EXPECT_EQ(forecast[0].rows, 1u);
  EXPECT_EQ(forecast[0].bytes, 3u);
  EXPECT_EQ(forecast[1].rows, 1u);
  EXPECT_EQ(writer.Count().value(), 2u);
}

TEST_P(Transactions, SpanKeyspaces) {
  const auto other = *database().CreateKeyspace("other");
  const auto transaction = Begin();
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("key", "here", Lifetime::For(5ms))), kOk);
  ASSERT_EQ(CodeOf(transaction->In(*other).Put("key", "there")), kOk);
  EXPECT_EQ(transaction->In(rows()).Get("key").value(), "here");
  EXPECT_EQ(transaction->In(*other).Get("key").value(), "there");
  EXPECT_EQ(KeysIn(transaction->In(*other)), Keys{"key"});
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(rows().Get("key").value(), "here");
  EXPECT_EQ(other->Get("key").value(), "there");
}

TEST_P(Transactions, ADropOfAKeyspaceTheyUseMakesTheCommitInvalidAsAWhole) {
  const auto other = *database().CreateKeyspace("other");
  ASSERT_EQ(CodeOf(other->Put("old", "value")), kOk);
  const auto transaction = Begin();
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("key", "value")), kOk);
  ASSERT_EQ(CodeOf(transaction->In(*other).Put("key", "value")), kOk);
  ASSERT_EQ(CodeOf(database().DropKeyspace("other")), kOk);
  EXPECT_EQ(CodeOf(transaction->In(*other).Get("old")), kInvalid);
  EXPECT_EQ(CodeOf(transaction->In(*other).Put("key", "again")), kInvalid);
  EXPECT_EQ(CodeOf(transaction->Commit()), kInvalid);
  EXPECT_FALSE(rows().Exists("key").value());
}

TEST_P(Transactions, AnswerInvalidOnceTheyAreOver) {
  Put("key", "value");
  const auto committed = Begin();
  const auto rolled_back = Begin();
  const auto conflicted = Begin();
  ASSERT_EQ(CodeOf(conflicted->In(rows()).Put("key", "mine")), kOk);
  ASSERT_EQ(CodeOf(committed->In(rows()).Put("key", "other")), kOk);
  ASSERT_EQ(CodeOf(committed->Commit()), kOk);
  rolled_back->Rollback();
  ASSERT_EQ(CodeOf(conflicted->Commit()), kConflict);
  const std::array<Bytes, 1> keys{"key"};
  for (Transaction* over : {committed.get(), rolled_back.get(), conflicted.get()}) {
    KeyspaceWriter& writer = over->In(rows());
    EXPECT_EQ(CodeOf(writer.Get("key")), kInvalid);
    EXPECT_EQ(CodeOf(writer.MultiGet(keys)), kInvalid);
    EXPECT_EQ(CodeOf(writer.Count()), kInvalid);
    EXPECT_EQ(CodeOf(writer.NewCursor()), kInvalid);
    EXPECT_EQ(CodeOf(writer.ScanDeadlines({})), kInvalid);
    EXPECT_EQ(CodeOf(writer.Forecast({})), kInvalid);
    EXPECT_EQ(CodeOf(writer.Put("key", "value")), kInvalid);
    EXPECT_EQ(CodeOf(writer.Delete("key")), kInvalid);
    EXPECT_EQ(CodeOf(writer.Touch("key")), kInvalid);
    EXPECT_EQ(CodeOf(over->SetSavepoint()), kInvalid);
    EXPECT_EQ(CodeOf(over->RollbackToSavepoint()), kInvalid);
    EXPECT_EQ(CodeOf(over->Commit()), kInvalid);
    over->Rollback();  // Harmless.
  }
  EXPECT_EQ(rows().Get("key").value(), "other");
}

INSTANTIATE_TEST_SUITE_P(On, Transactions, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
