// Goal: SystemClock reports the machine's clocks; a ManualClock moves only when it is moved.
// Method: the process' clock is compared with itself; a manual one is moved by one and by many
// threads.
#include "mayfly/clock.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <type_traits>
#include <vector>

namespace mayfly {
namespace {

static_assert(!std::is_convertible_v<WallTime, SteadyTime>, "the two times must not mix");
static_assert(!std::is_convertible_v<SteadyTime, WallTime>, "the two times must not mix");

TEST(WallTime, IsMillisecondsSinceTheEpoch) {
  EXPECT_EQ(ToMs(WallTimeFromMs(1'700'000'000'000)), 1'700'000'000'000);
  EXPECT_EQ(ToMs(WallTimeFromMs(-1)), -1);
  EXPECT_EQ(WallTimeFromMs(1000) + Millis(1), WallTimeFromMs(1001));
}

TEST(SystemClock, OfTheProcessIsOneAndShowsThePresent) {
  EXPECT_EQ(&SystemClock::Process(), &SystemClock::Process());
  constexpr std::int64_t kYear2020Ms = 1'577'836'800'000;
  const WallTime first = SystemClock::Process().Now();
  EXPECT_GT(ToMs(first), kYear2020Ms);
  const SteadyTime steady = SystemClock::Process().Steady();
  EXPECT_GE(SystemClock::Process().Steady(), steady);
}

TEST(SystemClock, KnowsWhichRunOfTheMachineItsSteadyTimeBelongsTo) {
  const std::string boot = SystemClock::Process().BootId();
  EXPECT_EQ(boot.size(), 36u) << boot;
  EXPECT_EQ(SystemClock::Process().BootId(), boot);
  EXPECT_EQ(SystemClock::Process().Passed().time_since_epoch() / std::chrono::hours(1),
            SystemClock::Process().Steady().time_since_epoch() / std::chrono::hours(1));
}

TEST(ManualClock, IsAMachineOfItsOwn) {
  ManualClock clock(WallTimeFromMs(500));
  EXPECT_NE(clock.BootId(), ManualClock(WallTimeFromMs(500)).BootId());
  EXPECT_EQ(clock.BootId(), clock.BootId());
  EXPECT_FALSE(clock.IsSynchronized());
  clock.SetSynchronized(true);
  EXPECT_TRUE(clock.IsSynchronized());
}

TEST(ManualClock, StartsSteadyTimeAnewWithTheMachine) {
  ManualClock clock(WallTimeFromMs(500));
  clock.Advance(Millis(7));
  const std::string boot = clock.BootId();
  clock.Reboot(Millis(20));
  EXPECT_EQ(clock.Now(), WallTimeFromMs(527));
  EXPECT_EQ(clock.Steady(), SteadyTime());
  EXPECT_NE(clock.BootId(), boot);
}

TEST(ManualClock, StandsStillUntilTold) {
  ManualClock clock(WallTimeFromMs(500));
  EXPECT_EQ(clock.Now(), WallTimeFromMs(500));
  EXPECT_EQ(clock.Now(), WallTimeFromMs(500));
  EXPECT_EQ(clock.Steady(), clock.Steady());
}

TEST(ManualClock, AdvancesBothTimes) {
  ManualClock clock(WallTimeFromMs(500));
  const SteadyTime steady = clock.Steady();
  clock.Advance(Millis(20));
  EXPECT_EQ(clock.Now(), WallTimeFromMs(520));
  EXPECT_EQ(clock.Steady() - steady, std::chrono::milliseconds(20));
  clock.Advance(Millis(0));
  EXPECT_EQ(clock.Now(), WallTimeFromMs(520));
}

TEST(ManualClock, CanBeSetAnywhereWhileSteadyTimeStays) {
  ManualClock clock(WallTimeFromMs(500));
  clock.Advance(Millis(1));
  const SteadyTime steady = clock.Steady();
  clock.Set(WallTimeFromMs(-7));
  EXPECT_EQ(clock.Now(), WallTimeFromMs(-7));
  EXPECT_EQ(clock.Steady(), steady);
}

TEST(ManualClock, CountsTheStepsOfAllThreads) {
  ManualClock clock(WallTimeFromMs(0));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) clock.Advance(Millis(1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clock.Now(), WallTimeFromMs(4000));
}

TEST(ManualClockDeathTest, RefusesToAdvanceBackwards) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ManualClock clock(WallTimeFromMs(0));
  EXPECT_DEATH(clock.Advance(Millis(-1)), "broken invariant.*Advance");
}

}  // namespace
}  // namespace mayfly
