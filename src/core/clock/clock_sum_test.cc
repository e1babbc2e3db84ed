// Goal: steps of the machine's clock are judged in sum, so that no number of small ones removes
// living rows; explained steps do not count. Method: a clock moved by hand, in steps below the
// limit, with and without an explanation.
#include <gtest/gtest.h>

#include "core/clock/trusted_clock.h"

namespace mayfly::core {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kSumStart = WallTimeFromMs(1'700'000'000'000);
constexpr Millis kSumJumpMax = 12h;
constexpr Millis kSumYear = 365 * 24h;

// Time explains a little of each step as it passes.
std::chrono::seconds InSeconds(Millis length) {
  return std::chrono::round<std::chrono::seconds>(length);
}

class ClockSum : public ::testing::Test {
 protected:
  TrustedClock Make(const std::optional<StoredTime>& stored = std::nullopt) {
    return TrustedClock(machine_, kSumJumpMax, stored, SilentLogger());
  }

  ManualClock machine_{kSumStart};
};

TEST_F(ClockSum, JudgesStepsInSum) {
  for (const Millis step : {Millis(11h), Millis(1h), 1000ms * 60}) {
    ManualClock machine(kSumStart);
    const TrustedClock clock(machine, kSumJumpMax, std::nullopt, SilentLogger());
    Millis sum = 0ms;
    while (sum + step <= kSumJumpMax) {
      sum += step;
      machine.Advance(1ms);
      machine.Set(machine.Now() + step);
      (void)clock.Now();
      ASSERT_TRUE(clock.may_delete()) << sum.count();
    }
    machine.Advance(1ms);
    machine.Set(machine.Now() + step);
    (void)clock.Now();
    EXPECT_FALSE(clock.may_delete()) << step.count();
    EXPECT_EQ(InSeconds(clock.Report().last_jump), InSeconds(sum + step));
    EXPECT_EQ(clock.Report().jumps_forward, 1u);
  }
}

TEST_F(ClockSum, TellsOfAJumpWithWhatCameOnTopOfIt) {
  TrustedClock clock = Make();
  Millis sum = 0ms;
  // The second makes it a jump, the third adds to it, the last would be a jump by itself.
  for (const Millis step : {Millis(11h), Millis(11h), Millis(11h), 2 * kSumJumpMax}) {
    machine_.Set(machine_.Now() + step);
    (void)clock.Now();
    sum += step;
    if (clock.may_delete()) continue;
    const ClockReport report = clock.Report();
    EXPECT_EQ(InSeconds(report.last_jump), InSeconds(sum));
    EXPECT_EQ(report.now - report.last_jump, report.without_jump);
  }
  EXPECT_EQ(clock.Report().jumps_forward, 2u);
  EXPECT_TRUE(clock.Confirm().ok());
  EXPECT_EQ(InSeconds(clock.Report().last_jump), InSeconds(sum)) << "as it was confirmed";
}

TEST_F(ClockSum, JudgesStepsInSumAcrossRunsOfOneMachine) {
  for (const bool orderly : {true, false}) {
    machine_.Reboot(0ms);
    const WallTime start = machine_.Now();
    std::optional<StoredTime> stored;
    for (int run = 0; run < 2; ++run) {
      stored = Make(stored).ToStore(orderly);
      machine_.Advance(1s);
      machine_.Set(machine_.Now() + 11h);
    }
    const TrustedClock clock = Make(stored);
    EXPECT_FALSE(clock.may_delete()) << orderly;
    EXPECT_EQ(InSeconds(clock.Report().last_jump), 22h);
    EXPECT_EQ(InSeconds(*clock.Report().without_jump - start), 2s);
  }
}

TEST_F(ClockSum, AllowsForClocksThatDriftApart) {
  const TrustedClock clock = Make();
  for (int i = 0; i < 20'000; ++i) {
    machine_.Advance(2000s);
    machine_.Set(machine_.Now() + 1s);
    (void)clock.Now();
    if (i % 7 == 0) (void)clock.Report();
  }
  EXPECT_EQ(machine_.Now(), clock.Now());
  EXPECT_TRUE(clock.may_delete()) << "no more than a bad quartz";
  for (int i = 0; i < 20'000; ++i) {
    machine_.Advance(200s);
    machine_.Set(machine_.Now() + 3s);
    (void)clock.Now();
  }
  EXPECT_FALSE(clock.may_delete()) << "no quartz is that bad";
}

TEST_F(ClockSum, TakesATimeServersWordForStepsThatStand) {
  const TrustedClock clock = Make();
  machine_.SetSynchronized(true);
  for (int night = 0; night < 5; ++night) {
    machine_.Set(machine_.Now() + 10h);  // As after a pause that a virtual machine did not notice.
    for (int hour = 0; hour < 14; ++hour) {
      machine_.Advance(1h);
      (void)clock.ToStore(false);
    }
  }
  EXPECT_TRUE(clock.may_delete());
  machine_.Set(machine_.Now() + 10h);
  (void)clock.Now();
  machine_.Advance(1h);
  machine_.Set(machine_.Now() + 10h);
  (void)clock.Now();
  EXPECT_FALSE(clock.may_delete()) << "faster than time passes";
}

TEST_F(ClockSum, TakesNoTimeServersWordForAStepToCome) {
  const TrustedClock clock = Make();
  machine_.SetSynchronized(true);
  machine_.Advance(kSumYear);
  machine_.Set(machine_.Now() + kSumJumpMax + 1s);
  (void)clock.Now();
  EXPECT_FALSE(clock.may_delete());
}

TEST_F(ClockSum, CountsAnewFromWhatWasConfirmedOrTakenBack) {
  TrustedClock clock = Make();
  for (int i = 0; i < 3; ++i) {
    machine_.Set(machine_.Now() + 11h);
    EXPECT_TRUE(clock.Confirm().ok());
  }
  EXPECT_TRUE(clock.may_delete());
  EXPECT_EQ(clock.Report().jumps_forward, 0u);
  for (int i = 0; i < 3; ++i) {
    const WallTime right = machine_.Now();
    machine_.Set(right + 11h);
    (void)clock.Now();
    machine_.Set(right);
    EXPECT_TRUE(clock.Revert().ok());
    EXPECT_EQ(clock.Now(), right);
  }
  EXPECT_TRUE(clock.may_delete());
  EXPECT_EQ(clock.Report().jumps_forward, 0u);
}

TEST_F(ClockSum, CountsNoStepTwiceThatWasTakenBackByTheMachine) {
  const TrustedClock clock = Make();
  for (int i = 0; i < 10; ++i) {
    machine_.Set(kSumStart + 11h);
    (void)clock.Now();
    machine_.Set(kSumStart);
    (void)clock.Now();
  }
  EXPECT_TRUE(clock.may_delete()) << "the database's time is 11 h ahead, no more";
  EXPECT_EQ(clock.Now(), kSumStart + 11h);
}

TEST_F(ClockSum, JudgesEachLeapOfAClockThatKnowsNothingButWallTime) {
  class WallOnly final : public Clock {
   public:
    WallTime Now() const override { return now; }
    SteadyTime Steady() const override { return SystemClock::Process().Steady(); }
    SteadyTime Passed() const override { return {}; }
    void Sleep(Waker&, WallTime) const override {}
    WallTime now = kSumStart;
  } wall;
  const TrustedClock clock(wall, kSumJumpMax, std::nullopt, SilentLogger());
  for (int i = 0; i < 100; ++i) {
    wall.now += 11h;  // This clock has no steady time.
    EXPECT_EQ(clock.Now(), wall.now);
  }
  EXPECT_TRUE(clock.may_delete());
  wall.now += 13h;
  (void)clock.Now();
  EXPECT_FALSE(clock.may_delete());
}

TEST_F(ClockSum, AddsUpNoDowntimeOfAMachineThatIsOffAgainAndAgain) {
  std::optional<StoredTime> stored;
  for (int night = 0; night < 10; ++night) {
    const TrustedClock clock = Make(stored);
    EXPECT_TRUE(clock.may_delete()) << night;
    stored = clock.ToStore(/*orderly_stop=*/false);  // A power cut each.
    machine_.Reboot(10h);
  }
}

}  // namespace
}  // namespace mayfly::core
