// Time as the database trusts it: it never goes back nor stands still, and a jump ahead removes
// nothing by itself. Method: a manual clock is set back and ahead, with steady time standing still,
// and over reopens.
#include <gtest/gtest.h>

#include "core/each_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

constexpr Millis kDefaultJumpMax = 12h;  // As DatabaseOptions has it.

class Clocks : public EachEngine {
 protected:
  void Put(Bytes key, Millis ttl) {
    ASSERT_EQ(CodeOf(rows().Put(key, "value", Lifetime::For(ttl))), kOk);
  }

  ClockReport Report() { return database().clock_report(); }
  bool Stopped() { return Report().physical_deletion_stopped; }
};

TEST_P(Clocks, ARowThatWasDeadStaysDeadWhenTheMachineIsSetBack) {
  Put("key", 5ms);
  clock().Advance(5ms);
  EXPECT_EQ(rows().Count().value(), 0u);
  clock().Set(kStart - 24h);
  EXPECT_EQ(rows().Count().value(), 0u);
  EXPECT_FALSE(rows().Exists("key").value());
  EXPECT_EQ(Report().now, kStart + 5ms);
  EXPECT_EQ(Report().machine, kStart - 24h);
  EXPECT_EQ(Report().steps_back, 1u);
  Put("fresh", 5ms);
  EXPECT_EQ(rows().Ttl("fresh").value(), 5ms);
  clock().Set(kStart + 6ms);
  EXPECT_EQ(rows().Ttl("fresh").value(), 4ms);
}

TEST_P(Clocks, ATtlIsAsLongAsItSaysWhateverTheMachineIsSetTo) {
  for (const Millis back : {Millis(30s), Millis(24h), Millis(10 * 365 * 24h)}) {
    clock().Set(clock().Now() - back);
    Put("lock", 1s);
    EXPECT_EQ(rows().Ttl("lock").value(), 1s);
    clock().Advance(999ms);
    EXPECT_EQ(rows().Ttl("lock").value(), 1ms) << back.count();
    clock().Advance(1ms);
    EXPECT_EQ(CodeOf(rows().Get("lock")), kNotFound) << back.count();
  }
  EXPECT_EQ(Report().steps_back, 3u);
}

TEST_P(Clocks, ATtlIsAsLongAsItSaysAfterAStartThatWasYearsAhead) {
  DatabaseHome home(GetParam(), {}, kStart + 10 * 365 * 24h);
  home.clock().Set(kStart);
  if (home.persistent()) home.Reopen();
  ASSERT_EQ(CodeOf(home.keyspace().Put("otp", "123", Lifetime::For(1s))), kOk);
  home.clock().Advance(1s);
  EXPECT_EQ(CodeOf(home.keyspace().Get("otp")), kNotFound);
  EXPECT_EQ(CodeOf(home.database().ConfirmClock()), kInvalid) << "the machine reads less";
  // The one call that corrects it.
  ASSERT_EQ(CodeOf(home.database().RevertClock()), kOk);
  EXPECT_EQ(home.database().clock_report().now, kStart + 1s);
  ASSERT_EQ(CodeOf(home.keyspace().Put("at", "1", Lifetime::Until(kStart + 3s))), kOk);
  EXPECT_EQ(home.keyspace().Ttl("at").value(), 2s);
  home.clock().Advance(2s);
  EXPECT_EQ(home.database().Purge().value().rows, 1u);
  EXPECT_EQ(StatisticsOf(home.database()).rows, 0u);
  home.ExpectClean();
}

// There is one time: an instant that the machine's clock has not reached may have passed.
TEST_P(Clocks, AnInstantIsJudgedByTheDatabasesTime) {
  clock().Set(kStart - 30s);
  for (const Millis left : {-1ms, 0ms, 1ms}) {
    Put("key", 1h);
    ASSERT_EQ(CodeOf(rows().Put("key", "value", Lifetime::Until(kStart + left))), kOk);
    EXPECT_EQ(rows().Exists("key").value(), left > 0ms) << left.count();
  }
  ASSERT_EQ(CodeOf(database().RevertClock()), kOk);
  ASSERT_EQ(CodeOf(rows().Put("key", "value", Lifetime::Until(kStart - 29s))), kOk);
  EXPECT_EQ(rows().Ttl("key").value(), 1s);
}

TEST_P(Clocks, TheLatestInstantSurvivesAReopen) {
  if (!home_.persistent()) return;
  Put("key", 5ms);
  clock().Advance(5ms);
  EXPECT_EQ(rows().Count().value(), 0u);
  ASSERT_EQ(CodeOf(database().Close()), kOk);
  clock().Set(kStart - 1h);
  home_.Open();
  EXPECT_FALSE(rows().Exists("key").value());
  EXPECT_EQ(Report().now, kStart + 5ms);
  EXPECT_GT(database().GetStatistics().value().clock.steps_back, 0u);
}

TEST_P(Clocks, WhatWasPurgedWasPurgedAtARecordedInstant) {
  if (!home_.persistent()) return;
  Put("key", 5ms);
  clock().Advance(5ms);
  EXPECT_EQ(database().Purge().value().rows, 1u);
  ASSERT_EQ(CodeOf(database().Close()), kOk);
  clock().Set(kStart - 1h);
  home_.Open();
  EXPECT_EQ(Report().now, kStart + 5ms) << "to the millisecond";
}

TEST_P(Clocks, AJumpWithinTheLimitIsBelieved) {
  Put("key", 5ms);
  clock().Set(kStart + kDefaultJumpMax);
  EXPECT_EQ(database().Purge().value().rows, 1u);
  EXPECT_FALSE(Stopped());
  EXPECT_EQ(Report().jumps_forward, 0u);
}

TEST_P(Clocks, AJumpBeyondTheLimitHidesTheDeadAndRemovesNothing) {
  Put("a", 5ms);
  Put("b", 5ms);
  clock().Set(kStart + kDefaultJumpMax + 1ms);
  EXPECT_EQ(CodeOf(rows().Get("a")), kNotFound);
  EXPECT_FALSE(rows().Exists("b").value());
  EXPECT_EQ(rows().Count().value(), 0u);
  const PurgeReport report = database().Purge().value();
  EXPECT_TRUE(report.stopped_by_clock);
  EXPECT_EQ(report.rows, 0u);
  EXPECT_EQ(StatisticsOf(database()).rows, 2u);
  EXPECT_EQ(StatisticsOf(database()).due_rows, 2u);

  const ClockReport clock_report = database().GetStatistics().value().clock;
  EXPECT_TRUE(clock_report.physical_deletion_stopped);
  EXPECT_EQ(clock_report.jumps_forward, 1u);
  EXPECT_EQ(clock_report.last_jump, kDefaultJumpMax + 1ms);

  ASSERT_EQ(CodeOf(database().ConfirmClock()), kOk);
  EXPECT_FALSE(Stopped());
  EXPECT_EQ(CodeOf(rows().Get("a")), kNotFound);
  EXPECT_EQ(StatisticsOf(database()).rows, 1u) << "the read may remove again";
  EXPECT_EQ(database().Purge().value().rows, 1u);
}

TEST_P(Clocks, TimeThatReallyPassedIsNoJump) {
  Put("key", 5ms);
  for (int day = 0; day < 400; ++day) {
    clock().Advance(24h);
    rows().Count().value();
  }
  clock().Advance(10 * 365 * 24h);
  EXPECT_EQ(database().Purge().value().rows, 1u);
  EXPECT_FALSE(Stopped());
}

TEST_P(Clocks, AJumpAfterMuchTimeIsFoundAllTheSame) {
  clock().Advance(365 * 24h);
  Put("key", 5ms);
  clock().Set(kStart + 365 * 24h + kDefaultJumpMax + 1ms);
  EXPECT_EQ(rows().Count().value(), 0u);
  EXPECT_TRUE(Stopped());
}

TEST_P(Clocks, EachJumpWantsItsOwnConfirmation) {
  Put("key", 5ms);
  clock().Set(kStart + 13h);
  EXPECT_EQ(rows().Count().value(), 0u);
  ASSERT_EQ(CodeOf(database().ConfirmClock()), kOk);
  clock().Set(kStart + 26h);
  EXPECT_EQ(rows().Count().value(), 0u);
  EXPECT_TRUE(Stopped());
  EXPECT_EQ(Report().jumps_forward, 2u);
}

TEST_P(Clocks, WritesGoOnWhileRemovalIsStopped) {
  Put("old", 5ms);
  clock().Set(kStart + 13h);
  Put("new", 5ms);
  EXPECT_EQ(rows().Ttl("new").value(), 5ms);
  Put("old", 5ms);
  EXPECT_EQ(rows().Count().value(), 2u) << "a write over a dead row is what its writer asked for";
}

TEST_P(Clocks, TheLimitIsAnOption) {
  DatabaseHome home(GetParam(), {.clock_jump_max = 1s});
  home.clock().Set(kStart + 1s);
  EXPECT_FALSE(home.database().clock_report().physical_deletion_stopped);
  home.clock().Set(kStart + 2s + 1ms);
  EXPECT_TRUE(home.database().clock_report().physical_deletion_stopped);
}

TEST_P(Clocks, AClockThatWasSetBetweenTwoRunsWantsAConfirmation) {
  if (!home_.persistent()) return;
  Put("key", 5ms);
  ASSERT_EQ(CodeOf(database().Close()), kOk);
  clock().Set(kStart + 13h);
  home_.Open();
  EXPECT_TRUE(Stopped());
  EXPECT_TRUE(database().Purge().value().stopped_by_clock);
  ASSERT_EQ(CodeOf(database().ConfirmClock()), kOk);
  EXPECT_EQ(database().Purge().value().rows, 1u);
}

TEST_P(Clocks, ARestartIsNoConfirmation) {
  if (!home_.persistent()) return;
  Put("key", 5ms);
  clock().Set(kStart + 365 * 24h);
  Put("written meanwhile", 1h);
  home_.Reopen();
  EXPECT_TRUE(Stopped());
  EXPECT_TRUE(database().Purge().value().stopped_by_clock);
  EXPECT_EQ(StatisticsOf(database()).due_rows, 1u);
}

TEST_P(Clocks, AConfirmationSurvivesAReopen) {
  if (!home_.persistent()) return;
  Put("key", 5ms);
  clock().Set(kStart + 365 * 24h);
  EXPECT_EQ(rows().Count().value(), 0u);
  ASSERT_EQ(CodeOf(database().ConfirmClock()), kOk);
  home_.Reopen();
  EXPECT_FALSE(Stopped());
  EXPECT_EQ(database().Purge().value().rows, 1u);
}

TEST_P(Clocks, AJumpThatWasPutRightIsTakenBackWithoutALoss) {
  Put("session", 1h);
  clock().Set(kStart + 365 * 24h);
  EXPECT_FALSE(rows().Exists("session").value());
  Put("written meanwhile", 10s);
  EXPECT_EQ(CodeOf(database().RevertClock()), kInvalid) << "the clock still shows the jump";
  clock().Advance(1min);
  clock().Set(kStart + 1min);
  EXPECT_EQ(CodeOf(rows().Get("session")), kNotFound) << "nobody has decided yet";
  EXPECT_EQ(CodeOf(database().ConfirmClock()), kInvalid);
  EXPECT_EQ(CodeOf(rows().Get("session")), kNotFound);
  EXPECT_EQ(StatisticsOf(database()).rows, 2u) << "and nothing was removed";
  ASSERT_EQ(CodeOf(database().RevertClock()), kOk);
  EXPECT_EQ(rows().Ttl("session").value(), 59min);
  EXPECT_FALSE(Stopped());
  EXPECT_EQ(Report().now, kStart + 1min);
  Put("new", 10s);
  clock().Advance(10s);
  EXPECT_EQ(CodeOf(rows().Get("new")), kNotFound);
  // A row written by the wrong time dies by it; it can be given another lifetime.
  EXPECT_EQ(rows().Ttl("written meanwhile").value(), 365 * 24h - 1min);
  EXPECT_TRUE(rows().Expire("written meanwhile", Lifetime::For(10s)).has_value());
  clock().Advance(59min - 10s);
  EXPECT_EQ(CodeOf(rows().Get("session")), kNotFound);
  database().Purge().value();
  EXPECT_EQ(StatisticsOf(database()).rows, 0u);
}

TEST_P(Clocks, AJumpThatWasPutRightIsTakenBackAfterARestart) {
  if (!home_.persistent()) return;
  Put("key", 1h);
  clock().Set(kStart + 365 * 24h);
  EXPECT_FALSE(rows().Exists("key").value());
  Put("written meanwhile", 1h);
  ASSERT_EQ(CodeOf(database().Close()), kOk);
  clock().Advance(1s);
  clock().Set(kStart + 1s);
  home_.Open();
  EXPECT_TRUE(Stopped()) << "time does not go back, and nobody has confirmed it";
  EXPECT_FALSE(rows().Exists("key").value());
  EXPECT_TRUE(database().Purge().value().stopped_by_clock);
  EXPECT_EQ(CodeOf(database().ConfirmClock()), kInvalid);
  EXPECT_EQ(StatisticsOf(database()).rows, 2u);
  ASSERT_EQ(CodeOf(database().RevertClock()), kOk);
  EXPECT_EQ(rows().Ttl("key").value(), 1h - 1s);
  home_.Reopen();
  EXPECT_FALSE(Stopped());
  EXPECT_EQ(rows().Ttl("key").value(), 1h - 1s);
}

TEST_P(Clocks, WhatIsWrittenAfterATakenBackTimeIsPurgedWhenItDies) {
  // Watermarks, and the published horizon, lie in the wrong future.
  DatabaseHome home(GetParam(), {}, kStart + 365 * 24h);
  Keyspace& rows = home.keyspace();
  ASSERT_EQ(CodeOf(rows.SetPolicy({.events = EventDetail::kKey, .purge_within = 10s})), kOk);
  for (const char* key : {"a", "b"}) {
    ASSERT_EQ(CodeOf(rows.Put(key, "value", Lifetime::For(5ms))), kOk);
  }
  home.clock().Advance(5ms);
  EXPECT_EQ(home.database().Purge().value().rows, 2u);
  home.ReclaimEverything();
  home.clock().Set(kStart);
  ASSERT_EQ(CodeOf(home.database().RevertClock()), kOk);
  EXPECT_LE(StatisticsOf(home.database()).purged_through, kStart);
  ASSERT_EQ(CodeOf(rows.Put("c", "value", Lifetime::For(5ms))), kOk);
  ASSERT_EQ(CodeOf(rows.Put("lives", "value", Lifetime::For(1h))), kOk);
  home.ReclaimEverything();
  EXPECT_EQ(rows.Get("c").value(), "value") << "not dropped by what the files were once judged by";
  home.clock().Advance(5ms);
  if (home.persistent()) home.Reopen();
  EXPECT_EQ(home.database().Purge().value().rows, 1u);
  home.clock().Advance(20s);
  home.ReclaimEverything();
  EXPECT_TRUE(home.database().Prove().value().kept());
  EXPECT_EQ(home.keyspace().Get("lives").value(), "value");
  home.ExpectClean();
}

TEST_P(Clocks, NoEventIsTooOldByAJump) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKey})), kOk);
  Put("key", 5ms);
  clock().Advance(5ms);
  EXPECT_EQ(database().Purge().value().rows, 1u);
  clock().Set(kStart + 365 * 24h);
  EXPECT_EQ(database().TrimEvents({.older_than = Millis(24h)}).value(), 0u);
  ASSERT_EQ(CodeOf(database().ConfirmClock()), kOk);
  EXPECT_EQ(database().TrimEvents({.older_than = Millis(24h)}).value(), 1u);
}

INSTANTIATE_TEST_SUITE_P(On, Clocks, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
