// Goal: a database's time never goes back, and a leap that steady time does not explain stops
// deletion. Method: a clock moved by hand: Advance() moves wall and steady time, Set() wall time
// alone.
#include "core/trusted_clock.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace mayfly::core {
namespace {

constexpr WallTime kStart = WallTimeFromMs(1'700'000'000'000);
constexpr Millis kJumpMax = std::chrono::hours(12);

class WarningLog final : public Logger {
 public:
  bool Wants(LogLevel level) const override { return level >= LogLevel::kWarning; }
  void Write(LogLevel, std::string_view line) override { lines.emplace_back(line); }

  std::vector<std::string> lines;
};

class TrustedClockTest : public ::testing::Test {
 protected:
  TrustedClock Make(std::optional<StoredTime> stored = std::nullopt) {
    return TrustedClock(machine_, kJumpMax, stored, log_);
  }

  ManualClock machine_{kStart};
  WarningLog log_;
};

TEST_F(TrustedClockTest, FollowsTheMachineForward) {
  const TrustedClock clock = Make();
  EXPECT_EQ(clock.Now(), kStart);
  machine_.Advance(Millis(1));
  EXPECT_EQ(clock.Now(), kStart + Millis(1));
  EXPECT_TRUE(clock.may_delete());
}

TEST_F(TrustedClockTest, StandsStillWhileTheMachineIsSetBack) {
  const TrustedClock clock = Make();
  machine_.Set(kStart - std::chrono::hours(1));
  EXPECT_EQ(clock.Now(), kStart);
  EXPECT_GE(clock.Report().steps_back, 1u);
  machine_.Advance(std::chrono::hours(1));
  EXPECT_EQ(clock.Now(), kStart);
  machine_.Advance(Millis(1));
  EXPECT_EQ(clock.Now(), kStart + Millis(1));
}

TEST_F(TrustedClockTest, StartsAtTheStoredMark) {
  const WallTime mark = kStart + std::chrono::hours(1);
  const TrustedClock clock = Make(StoredTime{mark});
  EXPECT_EQ(clock.Now(), mark);
  EXPECT_GE(clock.Report().steps_back, 2u) << "one at the start, one now";
  machine_.Set(mark + Millis(1));
  EXPECT_EQ(clock.Now(), mark + Millis(1));
  EXPECT_TRUE(clock.may_delete());
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
  machine_.Set(kStart + 2 * kJumpMax + Millis(1));
  EXPECT_EQ(clock.Now(), kStart + 2 * kJumpMax + Millis(1)) << "the dead are hidden all the same";
  EXPECT_FALSE(clock.may_delete());
}

TEST_F(TrustedClockTest, TellsOfAJump) {
  const TrustedClock clock = Make();
  machine_.Set(kStart + 3 * kJumpMax);
  const ClockReport report = clock.Report();
  EXPECT_EQ(report.now, kStart + 3 * kJumpMax);
  EXPECT_EQ(report.high_water, report.now);
  EXPECT_TRUE(report.physical_deletion_stopped);
  EXPECT_EQ(report.jumps_forward, 1u);
  EXPECT_EQ(report.last_jump, 3 * kJumpMax);
  ASSERT_EQ(log_.lines.size(), 1u);
  EXPECT_NE(log_.lines[0].find("ConfirmClock"), std::string::npos);
}

TEST_F(TrustedClockTest, GoesOnOnceConfirmedAndNoticesTheNextJump) {
  TrustedClock clock = Make();
  machine_.Set(kStart + 3 * kJumpMax);
  (void)clock.Now();
  clock.Confirm();
  EXPECT_TRUE(clock.may_delete());
  machine_.Advance(3 * kJumpMax);
  (void)clock.Now();
  EXPECT_TRUE(clock.may_delete());
  machine_.Set(machine_.Now() + 2 * kJumpMax);
  (void)clock.Now();
  EXPECT_FALSE(clock.may_delete());
  EXPECT_EQ(clock.Report().jumps_forward, 2u);
}

TEST_F(TrustedClockTest, TakesTheTimeSinceTheLastRunForAJumpWhenItIsLong) {
  EXPECT_TRUE(Make(StoredTime{kStart - kJumpMax}).may_delete());
  const TrustedClock clock = Make(StoredTime{kStart - kJumpMax - Millis(1)});
  EXPECT_FALSE(clock.may_delete());
  EXPECT_EQ(clock.Report().last_jump, kJumpMax + Millis(1));
}

TEST_F(TrustedClockTest, RemembersThatAJumpWasNotConfirmed) {
  TrustedClock clock = Make(StoredTime{.high_water = kStart, .unconfirmed = true});
  EXPECT_FALSE(clock.may_delete());
  EXPECT_EQ(log_.lines.size(), 1u);
  clock.Confirm();
  EXPECT_TRUE(clock.may_delete());
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
    }
  });
}

}  // namespace
}  // namespace mayfly::core
