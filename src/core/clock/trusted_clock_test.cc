// Goal: a database's time never goes back and never stands still, and an unexplained jump stops
// removal until it is confirmed or reverted. Method: a clock moved by hand: Advance() moves wall
// and steady time, Set() wall time alone, Reboot() starts steady time anew.
#include "core/clock/trusted_clock.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "core/layout/limits.h"

namespace mayfly::core {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kStart = WallTimeFromMs(1'700'000'000'000);
constexpr Millis kJumpMax = 12h;
constexpr Millis kYear = 365 * 24h;

class WarningLog final : public Logger {
 public:
  bool Wants(LogLevel level) const override { return level >= LogLevel::kWarning; }
  void Write(LogLevel, std::string_view line) override { lines.emplace_back(line); }

  std::vector<std::string> lines;
};

class TrustedClockTest : public ::testing::Test {
 protected:
  TrustedClock Make(const std::optional<StoredTime>& stored = std::nullopt) {
    return TrustedClock(machine_, kJumpMax, stored, log_);
  }

  // Ends a run; the next one starts after `play` has changed the machine.
  template <typename Play>
  TrustedClock After(bool orderly_stop, Play play) {
    const StoredTime stored = Make().ToStore(orderly_stop);
    play();
    return Make(stored);
  }

  ManualClock machine_{kStart};
  WarningLog log_;
};

TEST_F(TrustedClockTest, FollowsTheMachineForward) {
  const TrustedClock clock = Make();
  EXPECT_EQ(clock.Now(), kStart);
  machine_.Advance(1ms);
  EXPECT_EQ(clock.Now(), kStart + 1ms);
  machine_.Set(kStart + 7ms);
  EXPECT_EQ(clock.Now(), kStart + 7ms);
  machine_.Set(kStart + 1h);
  EXPECT_EQ(clock.Now(), kStart + 1h);
  EXPECT_TRUE(clock.may_delete());
  EXPECT_TRUE(log_.lines.empty());
}

TEST_F(TrustedClockTest, GoesOnBySteadyTimeWhileTheMachineIsSetBack) {
  for (const Millis back : {1ms, 99ms, 101ms, 30'000ms, Millis(1h), kYear}) {
    ManualClock machine(kStart);
    const TrustedClock clock(machine, kJumpMax, std::nullopt, log_);
    machine.Set(kStart - back);
    EXPECT_EQ(clock.Now(), kStart);
    for (const Millis step : {1ms, 999ms, Millis(24h)}) {
      const WallTime before = clock.Now();
      machine.Advance(step);
      EXPECT_EQ(clock.Now(), before + step) << back.count();
    }
    EXPECT_TRUE(clock.may_delete());
  }
}

TEST_F(TrustedClockTest, GoesOnAfterAStepAheadThatWasPutRight) {
  const TrustedClock clock = Make();
  machine_.Set(kStart + 1h);
  EXPECT_EQ(clock.Now(), kStart + 1h);
  machine_.Set(kStart);
  EXPECT_EQ(clock.Now(), kStart + 1h);
  machine_.Advance(1ms);
  EXPECT_EQ(clock.Now(), kStart + 1h + 1ms);
}

TEST_F(TrustedClockTest, FollowsTheMachineAgainOnceThatHasCaughtUp) {
  const TrustedClock clock = Make();
  machine_.Set(kStart - 1h);
  machine_.Advance(10min);
  EXPECT_EQ(clock.Now(), kStart + 10min);
  machine_.Set(kStart + 10min);
  EXPECT_EQ(clock.Now(), kStart + 10min);
  machine_.Set(kStart + 11min);
  EXPECT_EQ(clock.Now(), kStart + 11min);
}

TEST_F(TrustedClockTest, CountsStepsBackAndNotReadings) {
  const TrustedClock clock = Make();
  machine_.Set(kStart - 1h);
  for (int i = 0; i < 100; ++i) (void)clock.Now();
  EXPECT_EQ(clock.Report().steps_back, 1u);
  EXPECT_EQ(log_.lines.size(), 1u);
  machine_.Set(kStart - 2h);
  for (int i = 0; i < 100; ++i) (void)clock.Report();
  EXPECT_EQ(clock.Report().steps_back, 2u);
  EXPECT_EQ(log_.lines.size(), 2u);
  machine_.Set(kStart - 2h - 50ms);
  EXPECT_EQ(clock.Report().steps_back, 2u) << "clocks are adjusted by so little all the time";
}

TEST_F(TrustedClockTest, LetsTimePassHoweverLong) {
  const TrustedClock clock = Make();
  machine_.Advance(10 * kJumpMax);
  EXPECT_EQ(clock.Now(), kStart + 10 * kJumpMax);
  EXPECT_TRUE(clock.may_delete());
  EXPECT_EQ(clock.Report().jumps_forward, 0u);
}

TEST_F(TrustedClockTest, StopsDeletionOnlyBeyondTheLimit) {
  const TrustedClock clock = Make();
  machine_.Set(kStart + kJumpMax);
  EXPECT_EQ(clock.Now(), kStart + kJumpMax);
  EXPECT_TRUE(clock.may_delete());
  machine_.Set(kStart + kJumpMax + 3ms);
  EXPECT_TRUE(clock.may_delete()) << "less than a step";
  machine_.Set(kStart + kJumpMax + 101ms);
  EXPECT_EQ(clock.Now(), kStart + kJumpMax + 101ms) << "the dead are hidden all the same";
  EXPECT_FALSE(clock.may_delete());
}

TEST_F(TrustedClockTest, HasNoLimitWhereItIsTheLargest) {
  const TrustedClock clock(machine_, Millis::max(), std::nullopt, log_);
  machine_.Set(WallTimeFromMs(99'000'000'000'000));
  EXPECT_EQ(clock.Now(), WallTimeFromMs(99'000'000'000'000));
  EXPECT_TRUE(clock.may_delete());
}

TEST_F(TrustedClockTest, TellsOfAJump) {
  const TrustedClock clock = Make();
  machine_.Set(kStart + 3 * kJumpMax);
  const ClockReport report = clock.Report();
  EXPECT_EQ(report.now, kStart + 3 * kJumpMax);
  EXPECT_EQ(report.machine, report.now);
  EXPECT_TRUE(report.physical_deletion_stopped);
  EXPECT_EQ(report.jumps_forward, 1u);
  EXPECT_EQ(report.last_jump, 3 * kJumpMax);
  EXPECT_EQ(report.without_jump, kStart);
  machine_.Advance(5ms);
  EXPECT_EQ(clock.Report().without_jump, kStart + 5ms);
  ASSERT_EQ(log_.lines.size(), 1u);
  EXPECT_NE(log_.lines[0].find("TTL.CLOCK CONFIRM"), std::string::npos);
}

TEST_F(TrustedClockTest, GoesOnOnceConfirmedAndNoticesTheNextJump) {
  TrustedClock clock = Make();
  machine_.Set(kStart + 3 * kJumpMax);
  (void)clock.Now();
  EXPECT_TRUE(clock.Confirm().ok());
  EXPECT_TRUE(clock.may_delete());
  machine_.Advance(3 * kJumpMax);
  (void)clock.Now();
  EXPECT_TRUE(clock.may_delete());
  machine_.Set(machine_.Now() + 2 * kJumpMax);
  (void)clock.Now();
  EXPECT_FALSE(clock.may_delete());
  EXPECT_EQ(clock.Report().jumps_forward, 2u);
}

TEST_F(TrustedClockTest, IsNotConfirmedWhileTheMachineIsBehind) {
  TrustedClock clock = Make();
  machine_.Set(kStart + kYear);
  (void)clock.Now();
  machine_.Set(kStart + 1min);
  const Status refused = clock.Confirm();
  EXPECT_EQ(refused.code(), StatusCode::kInvalid);
  EXPECT_NE(refused.message().find("REVERT"), std::string::npos) << refused.message();
  EXPECT_FALSE(clock.may_delete());
  machine_.Set(kStart + kYear - kClockTolerance);
  EXPECT_TRUE(clock.Confirm().ok()) << "time servers adjust by as much";
}

TEST_F(TrustedClockTest, TakesAJumpBackOnceTheMachineIsRight) {
  TrustedClock clock = Make();
  machine_.Set(kStart + kYear);
  (void)clock.Now();
  const Status refused = clock.Revert();
  EXPECT_EQ(refused.code(), StatusCode::kInvalid);
  EXPECT_NE(refused.message().find("2023-11-14T22:13:20"), std::string::npos) << refused.message();
  machine_.Advance(1min);
  machine_.Set(kStart + 1min);
  EXPECT_EQ(clock.Now(), kStart + kYear + 1min);
  EXPECT_TRUE(clock.Revert().ok());
  EXPECT_EQ(clock.Now(), kStart + 1min);
  EXPECT_TRUE(clock.may_delete());
  EXPECT_EQ(clock.reverts(), 1u);
  machine_.Advance(1ms);
  EXPECT_EQ(clock.Now(), kStart + 1min + 1ms);
}

TEST_F(TrustedClockTest, GoesBackNoFurtherThanTimeHasPassed) {
  TrustedClock clock = Make();
  machine_.Set(kStart + kYear);
  (void)clock.Now();
  machine_.Advance(1h);
  machine_.Set(kStart - kYear);
  EXPECT_TRUE(clock.Revert().ok());
  EXPECT_EQ(clock.Now(), kStart + 1h);
  EXPECT_TRUE(clock.may_delete());
}

TEST_F(TrustedClockTest, StaysStoppedWhenOnlyAPartOfTheJumpIsTakenBack) {
  TrustedClock clock = Make();
  machine_.Set(kStart + kYear);
  (void)clock.Now();
  machine_.Set(kStart + 24h);
  EXPECT_TRUE(clock.Revert().ok());
  EXPECT_EQ(clock.Now(), kStart + 24h);
  EXPECT_FALSE(clock.may_delete());
  EXPECT_EQ(clock.Report().last_jump, Millis(24h));
  EXPECT_TRUE(clock.Confirm().ok());
  EXPECT_TRUE(clock.may_delete());
}

TEST_F(TrustedClockTest, TakesBackAWrongStartAsWell) {
  TrustedClock clock = Make();
  EXPECT_EQ(clock.Revert().code(), StatusCode::kInvalid) << "there is nothing to take back";
  machine_.Set(kStart - 10 * kYear);
  EXPECT_EQ(clock.Confirm().code(), StatusCode::kInvalid);
  EXPECT_EQ(clock.Now(), kStart);
  EXPECT_TRUE(clock.Revert().ok());
  EXPECT_EQ(clock.Now(), kStart - 10 * kYear);
}

TEST_F(TrustedClockTest, TellsOnceWhatAClockThatWasSetBackMeansAndHowToFollowIt) {
  for (const Millis back : {2s, 59s, 3600s}) {
    ManualClock machine(kStart);
    log_.lines.clear();
    TrustedClock clock(machine, kJumpMax, std::nullopt, log_);
    machine.Set(kStart - back);
    for (int i = 0; i < 3; ++i) (void)clock.Now();
    ASSERT_EQ(log_.lines.size(), 1u) << back.count();
    EXPECT_NE(log_.lines[0].find("TTL.CLOCK REVERT"), std::string::npos) << log_.lines[0];
    EXPECT_NE(log_.lines[0].find("EXAT"), std::string::npos) << log_.lines[0];
    EXPECT_TRUE(clock.Revert().ok()) << "as the line says: " << back.count();
    EXPECT_EQ(clock.Now(), kStart - back);
  }
}

TEST_F(TrustedClockTest, SleepsByItsOwnTime) {
  const TrustedClock clock = Make();
  machine_.Set(kStart - 1h);
  Waker waker;
  clock.Sleep(waker, kStart);  // Reached, though the machine's clock is far from it.
  waker.Wake();
  clock.Sleep(waker, WallTime::max());
}

// From one run to the next.

TEST_F(TrustedClockTest, CallsNoDowntimeAJumpOfAMachineThatRanOn) {
  for (const bool orderly : {true, false}) {
    for (const Millis off : {1ms, Millis(13h), kYear}) {
      const WallTime then = machine_.Now();
      const TrustedClock clock = After(orderly, [&] { machine_.Advance(off); });
      EXPECT_TRUE(clock.may_delete()) << orderly << off.count();
      EXPECT_EQ(clock.Now(), then + off);
    }
  }
}

TEST_F(TrustedClockTest, SeesAClockThatWasSetBetweenTwoRuns) {
  for (const bool orderly : {true, false}) {
    machine_.Set(kStart);
    const TrustedClock clock = After(orderly, [&] { machine_.Set(kStart + kJumpMax + 1ms); });
    EXPECT_FALSE(clock.may_delete()) << "steady time has not moved";
    EXPECT_EQ(clock.Report().last_jump, kJumpMax + 1ms);
    EXPECT_EQ(clock.Report().without_jump, kStart);
  }
}

TEST_F(TrustedClockTest, GoesOnWhereSteadyTimeIsWhenTheClockWasSetBackBetweenTwoRuns) {
  for (const bool orderly : {true, false}) {
    machine_.Set(kStart);
    const TrustedClock clock = After(orderly, [&] {
      machine_.Advance(2h);
      machine_.Set(kStart + 30min);
    });
    EXPECT_EQ(clock.Now(), kStart + 2h);
    EXPECT_EQ(clock.Report().steps_back, 1u);
    EXPECT_TRUE(clock.may_delete());
  }
}

TEST_F(TrustedClockTest, BelievesAnyDowntimeOfAMachineThatWasOffAfterAnOrderlyStop) {
  const TrustedClock clock = After(true, [&] { machine_.Reboot(kYear); });
  EXPECT_TRUE(clock.may_delete());
  EXPECT_EQ(clock.Now(), kStart + kYear);
  EXPECT_EQ(clock.Report().jumps_forward, 0u);
}

TEST_F(TrustedClockTest, BelievesALongDowntimeAfterACrashOnlyIfATimeServerVouches) {
  EXPECT_TRUE(After(false, [&] { machine_.Reboot(kJumpMax); }).may_delete());
  machine_.SetSynchronized(true);
  EXPECT_TRUE(After(false, [&] { machine_.Reboot(kYear); }).may_delete());
  machine_.SetSynchronized(false);
  TrustedClock clock = After(false, [&] { machine_.Reboot(13h); });
  EXPECT_FALSE(clock.may_delete());
  EXPECT_FALSE(clock.Reconsider());
  EXPECT_FALSE(log_.lines.empty());
  machine_.SetSynchronized(true);
  EXPECT_TRUE(clock.Reconsider()) << "it comes a while after the start of the machine";
  EXPECT_TRUE(clock.may_delete());
  EXPECT_EQ(clock.Report().without_jump, std::nullopt);
}

TEST_F(TrustedClockTest, TakesNoTimeServersWordForAJumpThatSteadyTimeContradicts) {
  TrustedClock clock = Make();
  machine_.SetSynchronized(true);
  machine_.Set(kStart + kYear);
  (void)clock.Now();
  EXPECT_FALSE(clock.Reconsider());
  EXPECT_FALSE(clock.may_delete());
  const StoredTime stored = clock.ToStore(true);
  machine_.Reboot(1h);
  TrustedClock next = Make(stored);
  EXPECT_FALSE(next.Reconsider()) << "neither after a restart";
}

TEST_F(TrustedClockTest, GoesOnFromTheStoredInstantOnAnotherBoot) {
  const TrustedClock orderly = After(true, [&] {
    machine_.Reboot(0ms);
    machine_.Set(kStart - 1h);
  });
  EXPECT_EQ(orderly.Now(), kStart);
  machine_.Advance(5ms);
  EXPECT_EQ(orderly.Now(), kStart + 5ms);
  machine_.Set(kStart);
  log_.lines.clear();
  EXPECT_EQ(After(false, [&] { machine_.Reboot(500ms); }).Report().steps_back, 0u);
  EXPECT_TRUE(log_.lines.empty()) << "a second ahead, to be sure, is not told";
  machine_.Set(kStart);
  const TrustedClock crashed = After(false, [&] {
    machine_.Reboot(0ms);
    machine_.Set(kStart - 1h);
  });
  EXPECT_EQ(crashed.Now(), kStart + kHighWaterStep) << "as far as anybody may have been told";
}

TEST_F(TrustedClockTest, RemembersAJumpThatNobodyDecidedAbout) {
  for (const bool reboot : {false, true}) {
    ManualClock machine(kStart);
    TrustedClock before(machine, kJumpMax, std::nullopt, log_);
    machine.Set(kStart + kYear);
    (void)before.Now();
    const StoredTime stored = before.ToStore(true);
    if (reboot) machine.Reboot(0ms);
    TrustedClock clock(machine, kJumpMax, stored, log_);
    EXPECT_FALSE(clock.may_delete());
    EXPECT_EQ(clock.Report().without_jump, kStart);
    machine.Set(kStart + 20h);
    TrustedClock back(machine, kJumpMax, stored, log_);
    EXPECT_FALSE(back.may_delete());
    EXPECT_EQ(back.Now(), kStart + kYear);
    EXPECT_TRUE(back.Revert().ok());
    EXPECT_EQ(back.Now(), kStart + 20h);
    EXPECT_EQ(back.may_delete(), reboot) << "without a start of the machine no 20 h have passed";
    // A larger limit is a decision as well.
    EXPECT_TRUE(TrustedClock(machine, 2 * kYear, stored, log_).may_delete());
  }
}

TEST_F(TrustedClockTest, KnowsNothingOfTheBootOfAnOldRecord) {
  EXPECT_FALSE(Make(StoredTime{.trusted = kStart - 13h}).may_delete());
  EXPECT_TRUE(Make(StoredTime{.trusted = kStart - 11h}).may_delete());
}

TEST_F(TrustedClockTest, NeverGoesBackForAnyOfManyThreads) {
  const TrustedClock clock = Make();
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      WallTime before = kStart;
      for (int i = 0; i < 5'000; ++i) {
        const WallTime now = clock.Now();
        EXPECT_GE(now, before);
        before = now;
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < 5'000; ++i) {
      machine_.Set(kStart + Millis((i * 7919) % 1000));
      if (i % 3 == 0) machine_.Advance(1ms);
    }
  });
}

TEST_F(TrustedClockTest, IsNotPushedAheadByThreadsThatLookWhileTimePasses) {
  const TrustedClock clock = Make();
  std::atomic<bool> done{false};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!done) (void)clock.Now();
    });
  }
  for (int i = 0; i < 20'000; ++i) machine_.Advance(1ms);
  done = true;
  threads.clear();
  EXPECT_EQ(clock.Now(), machine_.Now());
}

class LimitAt final : public RemovalLimit {
 public:
  WallTime Latest() const override { return latest; }

  WallTime latest = WallTime::min();
};

TEST_F(TrustedClockTest, WhatOtherClocksDoNotAllowIsHiddenAndNotRemoved) {
  LimitAt limit;
  const TrustedClock clock(machine_, kJumpMax, std::nullopt, log_, &limit);
  EXPECT_FALSE(clock.may_delete());
  EXPECT_EQ(clock.removable_by(), WallTime::min());
  limit.latest = kStart - 1ms;
  EXPECT_FALSE(clock.may_delete());
  EXPECT_EQ(clock.removable_by(), kStart - 1ms);
  limit.latest = kStart;
  EXPECT_TRUE(clock.may_delete());
  machine_.Set(kStart + 1h);
  EXPECT_EQ(clock.Now(), kStart + 1h);
  EXPECT_FALSE(clock.may_delete());
  limit.latest = kStart + 1h;
  EXPECT_TRUE(clock.may_delete());
}

// A machine that takes over goes on from the time that was reached, which others may not allow.
TEST_F(TrustedClockTest, TimeReachedByAWrongClockIsKeptAndDoesNotRemove) {
  machine_.Set(kStart + 1h);
  const StoredTime stored = Make().ToStore(false);
  ManualClock other(kStart);
  LimitAt limit;
  limit.latest = kStart + 1s;
  const TrustedClock clock(other, kJumpMax, stored, log_, &limit);
  EXPECT_GE(clock.Now(), kStart + 1h);
  EXPECT_FALSE(clock.may_delete());
  EXPECT_EQ(clock.removable_by(), kStart + 1s);
}

TEST_F(TrustedClockTest, AJumpStopsAllRemovalWhateverOtherClocksAllow) {
  LimitAt limit;
  limit.latest = WallTime::max();
  TrustedClock clock(machine_, kJumpMax, std::nullopt, log_, &limit);
  machine_.Set(kStart + kYear);
  static_cast<void>(clock.Now());
  EXPECT_FALSE(clock.may_delete());
  EXPECT_FALSE(clock.Reconsider());
  EXPECT_EQ(clock.removable_by(), WallTime::min());
}

}  // namespace
}  // namespace mayfly::core
