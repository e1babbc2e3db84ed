// Goal: purging gives space back and changes nothing that a reader sees.
// Method: rows that die at known instants; what is stored is read from the statistics, what is
// alive by reads.
#include <gtest/gtest.h>

#include <array>

#include "core/each_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class Purging : public EachEngine {
 protected:
  // `count` rows that die in 1, 2, 3, ... ms, and one that does not.
  void Fill(int count, Keyspace& keyspace) {
    ASSERT_EQ(CodeOf(keyspace.Put("immortal", "value")), kOk);
    for (int i = 1; i <= count; ++i) {
      ASSERT_EQ(CodeOf(keyspace.Put("key " + std::to_string(i), "value", Lifetime::For(Millis(i)))),
                kOk);
    }
  }
  void Fill(int count) { Fill(count, rows()); }

  PurgeReport Purge(const PurgeOptions& options = {}) {
    const auto report = database().Purge(options);
    EXPECT_TRUE(report.has_value()) << report.status().ToString();
    return report.value_or(PurgeReport{});
  }
};

TEST_P(Purging, RemovesTheDeadAndOnlyThem) {
  Fill(200);
  EXPECT_EQ(Purge().rows, 0u);
  clock().Advance(99ms);
  EXPECT_EQ(Purge().rows, 99u);
  clock().Advance(1ms);
  EXPECT_EQ(Purge().rows, 1u) << "at its deadline a row is dead";
  EXPECT_EQ(Purge().rows, 0u);
  EXPECT_EQ(StatisticsOf(database()).rows, 101u);
  EXPECT_EQ(rows().Count().value(), 101u);
  clock().Advance(1h);
  const PurgeReport last = Purge();
  EXPECT_EQ(last.rows, 100u);
  EXPECT_EQ(last.stale_entries, 0u);
  EXPECT_FALSE(last.more_due);
  EXPECT_FALSE(last.stopped_by_clock);
  EXPECT_TRUE(rows().Exists("immortal").value());
  EXPECT_EQ(database().GetStatistics().value().purged_rows, 200u);
}

TEST_P(Purging, StopsAtItsBoundOfRowsAndSaysThatMoreIsDue) {
  Fill(300);
  clock().Advance(250ms);
  for (const std::uint64_t rows_max : {1u, 63u, 64u, 65u}) {
    const PurgeReport report = Purge({.rows_max = rows_max});
    EXPECT_EQ(report.rows, rows_max);
    EXPECT_TRUE(report.more_due);
  }
  const PurgeReport exact = Purge({.rows_max = 250 - 1 - 63 - 64 - 65});
  EXPECT_EQ(exact.rows, 57u);
  EXPECT_FALSE(exact.more_due) << "nothing is due behind it";
}

TEST_P(Purging, TheOldestGoFirst) {
  Fill(10);
  clock().Advance(10ms);
  Purge({.rows_max = 4});
  EXPECT_EQ(StatisticsOf(database()).lag, 5ms);
  EXPECT_EQ(StatisticsOf(database()).due_rows, 6u);
}

TEST_P(Purging, StopsAtItsBoundOfTimeAndSaysThatMoreIsDue) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKey})), kOk);
  Fill(300);
  clock().Advance(300ms);
  // Time passes while rows are purged: a millisecond for each.
  const auto subscription = *database().Subscribe([&](const Event&) { clock().Advance(1ms); });
  const PurgeReport report = Purge({.time_max = 100ms});
  EXPECT_TRUE(report.more_due);
  EXPECT_GE(report.rows, 100u);
  EXPECT_LT(report.rows, 200u) << "a step or so beyond the bound";
  EXPECT_FALSE(Purge({.time_max = 1h}).more_due);
  EXPECT_EQ(StatisticsOf(database()).rows, 1u);
}

TEST_P(Purging, RefusesBoundsThatAllowNothing) {
  EXPECT_EQ(CodeOf(database().Purge({.rows_max = 0})), kInvalid);
  EXPECT_EQ(CodeOf(database().Purge({.time_max = 0ms})), kInvalid);
  EXPECT_EQ(CodeOf(database().Purge({.time_max = -1ms})), kInvalid);
}

TEST_P(Purging, GoesThroughAllKeyspacesWithinOneBound) {
  const auto other = *database().CreateKeyspace("other");
  const auto empty = *database().CreateKeyspace("empty");
  Fill(10);
  Fill(10, *other);
  clock().Advance(10ms);
  const PurgeReport some = Purge({.rows_max = 10});
  EXPECT_EQ(some.rows, 10u);
  EXPECT_TRUE(some.more_due) << "the other keyspace's";
  EXPECT_EQ(Purge().rows, 10u);
  EXPECT_EQ(other->Count().value(), 1u);
}

TEST_P(Purging, OfOneKeyspaceLeavesTheOthersAlone) {
  const auto other = *database().CreateKeyspace("other");
  Fill(10);
  Fill(10, *other);
  clock().Advance(10ms);
  EXPECT_EQ(Purge({.keyspace = other.get()}).rows, 10u);
  EXPECT_EQ(StatisticsOf(database(), "other").due_rows, 0u);
  EXPECT_EQ(StatisticsOf(database()).due_rows, 10u);
  ASSERT_EQ(CodeOf(database().DropKeyspace("other")), kOk);
  EXPECT_EQ(CodeOf(database().Purge({.keyspace = other.get()})), kInvalid);
}

TEST_P(Purging, ARowWhoseDeadlineMovedOnIsLeftAlone) {
  ASSERT_EQ(CodeOf(rows().Put("key", "value", Lifetime::For(5ms))), kOk);
  ASSERT_EQ(CodeOf(rows().Touch("key", Lifetime::For(50ms))), kOk);
  ASSERT_EQ(CodeOf(rows().Put("other", "value", Lifetime::For(5ms))), kOk);
  ASSERT_TRUE(rows().Persist("other").value());
  clock().Advance(49ms);
  const PurgeReport report = Purge();
  EXPECT_EQ(report.rows, 0u);
  EXPECT_EQ(report.stale_entries, 0u) << "a move takes its entry along";
  EXPECT_EQ(rows().Count().value(), 2u);
}

TEST_P(Purging, KeepsWhatAnOpenSnapshotSees) {
  Fill(100);
  const auto snapshot = *database().NewSnapshot();
  const auto cursor = *rows().NewCursor();
  clock().Advance(1h);
  EXPECT_EQ(Purge().rows, 100u);
  EXPECT_EQ(rows().Count().value(), 1u);
  EXPECT_EQ(snapshot->In(rows()).Count().value(), 101u);
  EXPECT_EQ(snapshot->In(rows()).Get("key 7").value(), "value");
  std::size_t walked = 0;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++walked;
  EXPECT_EQ(walked, 101u);
}

TEST_P(Purging, SeesRowsThatAreWrittenBehindEarlierPurges) {
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(CodeOf(rows().Put("long", "value", Lifetime::For(20ms))), kOk);
    ASSERT_EQ(CodeOf(rows().Put("short", "value", Lifetime::For(1ms))), kOk);
    clock().Advance(1ms);
    EXPECT_EQ(Purge().rows, 1u);
    ASSERT_EQ(CodeOf(rows().Put("short", "value", Lifetime::For(1ms))), kOk);
    clock().Advance(1ms);
    EXPECT_EQ(Purge().rows, 1u);
    clock().Advance(18ms);
    EXPECT_EQ(Purge().rows, 1u);
    EXPECT_EQ(StatisticsOf(database()).rows, 0u);
  }
}

TEST_P(Purging, GoesOnWhereItWasAfterAReopen) {
  if (!home_.persistent()) return;  // Nothing is left of a database in memory.
  Fill(300);
  clock().Advance(150ms);
  EXPECT_EQ(Purge({.rows_max = 100}).rows, 100u);
  home_.Reopen();
  EXPECT_EQ(Purge().rows, 50u);
  ASSERT_EQ(CodeOf(rows().Put("fresh", "value", Lifetime::For(1ms))), kOk);
  home_.Reopen();
  clock().Advance(1ms);
  EXPECT_EQ(Purge().rows, 2u) << "the next of the old, and the fresh one";
  EXPECT_EQ(StatisticsOf(database()).due_rows, 0u);
}

TEST_P(Purging, AReadThatMeetsADeadRowRemovesIt) {
  const std::array<Bytes, 1> keys{"key 4"};
  PinnedBytes pin;
  Fill(6);
  clock().Advance(5ms);
  EXPECT_EQ(CodeOf(rows().Get("key 1")), kNotFound);
  EXPECT_EQ(CodeOf(rows().Get("key 2", pin)), kNotFound);
  EXPECT_EQ(CodeOf(rows().GetRow("key 3")), kNotFound);
  EXPECT_EQ(CodeOf(rows().MultiGet(keys).value()[0]), kNotFound);
  EXPECT_EQ(CodeOf(rows().Ttl("key 5")), kNotFound);
  EXPECT_TRUE(rows().Exists("key 6").value());
  EXPECT_EQ(StatisticsOf(database()).rows, 2u);
  const Statistics statistics = database().GetStatistics().value();
  EXPECT_EQ(statistics.purged_by_reads, 5u);
  EXPECT_EQ(statistics.purged_rows, 5u);
  EXPECT_EQ(Purge().rows, 0u);
  EXPECT_EQ(Purge().stale_entries, 0u) << "the entry went with the row";
}

TEST_P(Purging, AReadInASnapshotRemovesNothing) {
  Fill(1);
  clock().Advance(1ms);
  const auto snapshot = *database().NewSnapshot();
  EXPECT_EQ(CodeOf(snapshot->In(rows()).Get("key 1")), kNotFound);
  EXPECT_FALSE(snapshot->In(rows()).Exists("key 1").value());
  EXPECT_EQ(StatisticsOf(database()).due_rows, 1u);
}

TEST_P(Purging, ReadsRemoveNothingWhenToldNotTo) {
  DatabaseHome home(GetParam(), {.purge_on_read = false});
  ASSERT_EQ(CodeOf(home.keyspace().Put("key", "value", Lifetime::For(1ms))), kOk);
  home.clock().Advance(1ms);
  EXPECT_EQ(CodeOf(home.keyspace().Get("key")), kNotFound);
  EXPECT_FALSE(home.keyspace().Exists("key").value());
  EXPECT_EQ(StatisticsOf(home.database()).due_rows, 1u);
  EXPECT_EQ(home.database().GetStatistics().value().purged_by_reads, 0u);
  EXPECT_EQ(home.database().Purge().value().rows, 1u);
}

TEST_P(Purging, AWriteOverADeadRowTakesItsEntryAlong) {
  Fill(3);
  clock().Advance(3ms);
  ASSERT_EQ(CodeOf(rows().Put("key 1", "new")), kOk);
  ASSERT_EQ(CodeOf(rows().Put("key 2", "new", Lifetime::For(1h))), kOk);
  ASSERT_FALSE(rows().Delete("key 3").value());
  const PurgeReport report = Purge();
  EXPECT_EQ(report.rows, 0u);
  EXPECT_EQ(report.stale_entries, 0u);
  EXPECT_EQ(rows().Count().value(), 3u);
  EXPECT_EQ(database().GetStatistics().value().purged_rows, 3u);
}

INSTANTIATE_TEST_SUITE_P(On, Purging, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
