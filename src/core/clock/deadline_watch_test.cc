// Goal: a sleeper is woken by an earlier deadline and left alone by a later one.
// Method: announced sleeps on this thread; whether the waker was woken shows in how a wait ends.
#include "core/clock/deadline_watch.h"

#include <gtest/gtest.h>

#include <chrono>

namespace mayfly::core {
namespace {

// True when the wait ended before its length was over.
bool EndsEarly(Waker& waker, std::chrono::nanoseconds length) {
  const auto start = std::chrono::steady_clock::now();
  waker.WaitFor(length);
  return std::chrono::steady_clock::now() - start < length;
}

// Long enough for any machine; a waker that was woken takes none of it.
bool WasWoken(Waker& waker) { return EndsEarly(waker, std::chrono::seconds(30)); }

// A wait without a wake-up takes its whole length, however short.
bool WasLeftAlone(Waker& waker) { return !EndsEarly(waker, std::chrono::microseconds(100)); }

TEST(DeadlineWatch, WakesForAnEarlierDeadlineOnly) {
  DeadlineWatch watch;
  Waker waker;
  watch.Announce(waker, WallTimeFromMs(100));
  watch.Written(WallTimeFromMs(101));
  watch.Written(WallTimeFromMs(100));
  EXPECT_TRUE(WasLeftAlone(waker));
  watch.Written(WallTimeFromMs(99));
  EXPECT_TRUE(WasWoken(waker));
  watch.Withdraw(waker);
}

TEST(DeadlineWatch, WakesForAnyDeadlineWhileTheSleeperIsStillLooking) {
  DeadlineWatch watch;
  Waker waker;
  watch.Announce(waker, WallTime::max());
  watch.Written(WallTimeFromMs(1'700'000'000'000));
  EXPECT_TRUE(WasWoken(waker));
  watch.Withdraw(waker);
}

TEST(DeadlineWatch, LeavesThoseAloneWhoWithdrew) {
  DeadlineWatch watch;
  Waker waker;
  watch.Announce(waker, WallTimeFromMs(100));
  watch.Withdraw(waker);
  watch.Written(WallTimeFromMs(1));
  watch.WakeAll();
  EXPECT_TRUE(WasLeftAlone(waker));
}

TEST(DeadlineWatch, MissesNoneOfSeveralSleepers) {
  DeadlineWatch watch;
  Waker early;
  Waker late;
  watch.Announce(early, WallTimeFromMs(10));
  watch.Announce(late, WallTimeFromMs(100));
  watch.Written(WallTimeFromMs(50));
  EXPECT_TRUE(WasWoken(late));
  watch.WakeAll();
  EXPECT_TRUE(WasWoken(early));
  EXPECT_TRUE(WasWoken(late));
  watch.Withdraw(early);
  watch.Withdraw(late);
}

}  // namespace
}  // namespace mayfly::core
