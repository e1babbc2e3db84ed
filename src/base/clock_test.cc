// Goal: time within a process never goes back, whatever the machine's clock does.
// Method: clocks over sources that jump about, read by one and by many threads; a clock moved by
// hand.
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

TEST(SystemClock, FollowsItsSourceForward) {
  std::int64_t reading = 0;
  const SystemClock clock([&] { return WallTimeFromMs(reading); });
  for (reading = 5; reading < 100; reading += 7) EXPECT_EQ(clock.Now(), WallTimeFromMs(reading));
}

TEST(SystemClock, StandsStillWhileTheMachineIsSetBack) {
  std::int64_t reading = 1000;
  const SystemClock clock([&] { return WallTimeFromMs(reading); });
  EXPECT_EQ(clock.Now(), WallTimeFromMs(1000));
  reading = 10;
  EXPECT_EQ(clock.Now(), WallTimeFromMs(1000));
  reading = 999;
  EXPECT_EQ(clock.Now(), WallTimeFromMs(1000));
  reading = 1000;
  EXPECT_EQ(clock.Now(), WallTimeFromMs(1000));
  reading = 1001;
  EXPECT_EQ(clock.Now(), WallTimeFromMs(1001));
}

TEST(SystemClock, TakesReadingsFromBeforeTheEpoch) {
  std::int64_t reading = std::numeric_limits<std::int64_t>::min();
  const SystemClock clock([&] { return WallTimeFromMs(reading); });
  EXPECT_EQ(clock.Now(), WallTimeFromMs(reading));
  reading = -5;
  EXPECT_EQ(clock.Now(), WallTimeFromMs(-5));
}

TEST(SystemClock, NeverGoesBackForAnyOfManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kReadings = 20'000;
  std::atomic<std::uint64_t> calls{0};
  // Creeps ahead while it jumps back and forth by up to 512 ms.
  const SystemClock clock([&] {
    const std::uint64_t call = calls.fetch_add(1);
    return WallTimeFromMs(static_cast<std::int64_t>(call / 16 + (call * 2654435761u) % 512));
  });
  // What some thread has seen already is published here, and no later reading may lie before it.
  std::atomic<std::int64_t> published_ms{std::numeric_limits<std::int64_t>::min()};
  std::atomic<int> steps_back{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kReadings; ++i) {
        std::int64_t before = published_ms.load();
        const std::int64_t now = ToMs(clock.Now());
        if (now < before) ++steps_back;
        while (now > before && !published_ms.compare_exchange_weak(before, now)) {
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(steps_back.load(), 0);
  EXPECT_GT(published_ms.load(), kThreads * kReadings / 16);
}

TEST(SystemClock, OfTheProcessIsOneAndShowsThePresent) {
  EXPECT_EQ(&SystemClock::Process(), &SystemClock::Process());
  constexpr std::int64_t kYear2020Ms = 1'577'836'800'000;
  const WallTime first = SystemClock::Process().Now();
  EXPECT_GT(ToMs(first), kYear2020Ms);
  EXPECT_GE(SystemClock::Process().Now(), first);
  const SteadyTime steady = SystemClock::Process().Steady();
  EXPECT_GE(SystemClock::Process().Steady(), steady);
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
