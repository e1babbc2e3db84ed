// Goal: the database's time survives the end of a run, orderly or not: nothing seen dead returns,
// and downtime, idleness and reads alone are no jumps. Method: runs end by a close or a crash, the
// machine's clock is moved in between, and the machine is rebooted or not.
#include <gtest/gtest.h>

#include <functional>

#include "core/crashing_home.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class ClockRuns : public ::testing::Test {
 protected:
  void Put(Bytes key, Millis ttl) {
    ASSERT_EQ(CodeOf(home_.rows().Put(key, "value", Lifetime::For(ttl))), kOk);
  }
  bool Lives(Bytes key) { return home_.rows().Exists(key).value(); }
  bool Stopped() { return home_.database().clock_report().physical_deletion_stopped; }
  ManualClock& clock() { return home_.clock(); }

  // Purges as rows die would; a server's reads purge nothing.
  CrashingHome home_{{.purge_on_read = false}};
};

TEST_F(ClockRuns, ADatabaseThatWasClosedForANightPurgesAtOnce) {
  Put("key", 5ms);
  home_.Close();
  clock().Advance(13h);
  home_.Open();
  EXPECT_FALSE(Stopped());
  EXPECT_EQ(home_.database().Purge().value().rows, 1u);
}

TEST_F(ClockRuns, AMachineThatWasOffForAYearPurgesAtOnceAfterAnOrderlyClose) {
  Put("key", 5ms);
  home_.Close();
  clock().Reboot(365 * 24h);
  home_.Open();
  EXPECT_FALSE(Stopped());
  EXPECT_EQ(home_.database().Purge().value().rows, 1u);
}

TEST_F(ClockRuns, ThirteenHoursOfReadsAndACrashAreNoJump) {
  Put("key", 1h);
  for (int i = 0; i < 13; ++i) {
    clock().Advance(1h);
    Lives("key");
  }
  home_.Crash();
  clock().Advance(5s);
  home_.Open();
  EXPECT_FALSE(Stopped());
  EXPECT_EQ(home_.database().Purge().value().rows, 1u);
}

TEST_F(ClockRuns, DaysOfIdlenessAndACrashAreNoJump) {
  Put("key", 1h);
  clock().Advance(72h);
  home_.Crash();
  clock().Advance(5s);
  home_.Open();
  EXPECT_FALSE(Stopped()) << "the machine ran on, and its steady clock knows";
  EXPECT_EQ(home_.database().Purge().value().rows, 1u);
}

TEST_F(ClockRuns, ReadsAreNoIdlenessToAMachineThatWasStartedAnew) {
  Put("key", 1h);
  for (int i = 0; i < 72; ++i) {
    clock().Advance(1h);
    Lives("key");
  }
  home_.Crash();
  clock().Reboot(10min);
  home_.Open();
  EXPECT_FALSE(Stopped()) << "the time was recorded while reads went on";
}

TEST_F(ClockRuns, ACrashAndANightWithoutPowerWantATimeServersWordOrACommand) {
  Put("key", 1h);
  home_.Crash();
  clock().Reboot(13h);
  home_.Open();
  EXPECT_TRUE(Stopped());
  EXPECT_TRUE(home_.database().Purge().value().stopped_by_clock);
  home_.Close();
  clock().Advance(1s);
  home_.Open();
  EXPECT_TRUE(Stopped()) << "a restart is no decision";
  clock().SetSynchronized(true);
  EXPECT_EQ(home_.database().Purge().value().rows, 1u) << "as soon as the time server is heard";
  EXPECT_FALSE(Stopped());
}

TEST_F(ClockRuns, ALargerLimitSettlesWhatAwaitedADecision) {
  Put("key", 1h);
  home_.Crash();
  clock().Reboot(13h);
  home_.Open();
  EXPECT_TRUE(Stopped());
  home_.Close();
  home_.options().clock_jump_max = 24h;
  home_.Open();
  EXPECT_EQ(home_.database().Purge().value().rows, 1u);
}

TEST_F(ClockRuns, WhatAReadSawDeadStaysDeadAfterACrashAndAClockThatWentBack) {
  for (const bool reboot : {false, true}) {
    const std::string key = reboot ? "read before a start" : "read before a crash";
    Put(key, 1h);
    clock().Advance(2h);
    EXPECT_FALSE(Lives(key));
    home_.Crash();
    if (reboot) clock().Reboot(0ms);
    clock().Set(clock().Now() - 90min);
    home_.Open();
    EXPECT_FALSE(Lives(key)) << reboot;
  }
}

TEST_F(ClockRuns, EveryKindOfReadKeepsTheTime) {
  const std::pair<const char*, std::function<void()>> reads[] = {
      {"get", [&] { EXPECT_EQ(CodeOf(home_.rows().Get("key")), kNotFound); }},
      {"count", [&] { EXPECT_EQ(home_.rows().Count().value(), 0u); }},
      {"cursor", [&] { home_.rows().NewCursor().value()->SeekToFirst(); }},
      {"snapshot", [&] { home_.database().NewSnapshot().value(); }},
      {"transaction", [&] { home_.database().Begin().value(); }},
      {"expire",
       [&] { EXPECT_EQ(CodeOf(home_.rows().Expire("key", Lifetime::For(1s))), kNotFound); }},
  };
  for (const auto& [name, read] : reads) {
    Put("key", 1h);
    clock().Advance(2h);
    read();
    const WallTime told = home_.database().clock_report().now;
    home_.Crash();
    clock().Reboot(0ms);
    clock().Set(clock().Now() - 90min);
    home_.Open();
    EXPECT_GE(home_.database().clock_report().now, told) << name;
    EXPECT_LE(home_.database().clock_report().now, told + 1s) << name;
  }
}

TEST_F(ClockRuns, AJumpIsNotForgottenByACrash) {
  Put("key", 1h);
  clock().Set(kStart + 365 * 24h);
  EXPECT_FALSE(Lives("key"));
  home_.Crash();
  clock().Advance(1s);
  home_.Open();
  EXPECT_TRUE(Stopped());
  home_.Crash();
  clock().Reboot(1s);
  clock().Set(kStart + 2s);
  home_.Open();
  EXPECT_TRUE(Stopped());
  EXPECT_FALSE(Lives("key"));
  ASSERT_EQ(CodeOf(home_.database().RevertClock()), kOk);
  EXPECT_TRUE(Lives("key"));
  home_.Crash();
  home_.Open();
  EXPECT_TRUE(Lives("key")) << "that it was taken back is on disk";
}

}  // namespace
}  // namespace mayfly
