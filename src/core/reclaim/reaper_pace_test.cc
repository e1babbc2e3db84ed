// Goal: a reaper's share of time follows its lag and stays small without one; its steps stay short.
// Method: lags and the times of steps are given as numbers; there is no clock.
#include "core/reclaim/reaper_pace.h"

#include <gtest/gtest.h>

namespace mayfly::core {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr std::uint32_t kShare = 20;
constexpr std::size_t kRows = kReaperStepRowsMax;
constexpr ReaperPace::Lag kNone{};
constexpr ReaperPace::Lag kFar{.age = 1h};

// Steps in which a row takes this long, until the pace has adapted.
ReaperPace PaceAt(nanoseconds row_time, std::uint32_t share = kShare) {
  ReaperPace pace(share);
  for (int i = 0; i < 200; ++i) {
    pace.RestAfter({.rows = kRows, .removing = row_time * static_cast<int>(kRows)}, kNone);
  }
  return pace;
}

// The part of the time that it works, in percent, over many steps.
double WorkedPercent(ReaperPace& pace, const ReaperPace::Step& step, const ReaperPace::Lag& lag) {
  nanoseconds worked{0};
  nanoseconds rested{0};
  for (int i = 0; i < 1000; ++i) {
    worked += step.finding + step.removing + step.telling;
    rested += pace.RestAfter(step, lag);
  }
  return 100.0 * static_cast<double>(worked.count()) /
         static_cast<double>((worked + rested).count());
}

TEST(ReaperPace, WithoutALagTakesItsShare) {
  ReaperPace pace(kShare);
  EXPECT_EQ(pace.Percent(kNone), kShare);
  EXPECT_NEAR(WorkedPercent(pace, {.rows = 16, .removing = 32us}, kNone), kShare, 1);
}

TEST(ReaperPace, TimeSpentOnFindingRowsAndOnEventsCounts) {
  ReaperPace pace(kShare);
  EXPECT_NEAR(WorkedPercent(pace, {.rows = 16, .finding = 100us, .removing = 32us}, kNone), kShare,
              1);
  EXPECT_NEAR(WorkedPercent(pace, {.rows = 16, .removing = 32us, .telling = 1ms}, kNone), kShare,
              1);
}

TEST(ReaperPace, SlowSubscribersDoNotMakeItSlow) {
  ReaperPace pace = PaceAt(2us);
  for (int i = 0; i < 1000; ++i) {
    pace.RestAfter({.rows = 32, .removing = 64us, .telling = 1ms}, kNone);
  }
  EXPECT_EQ(pace.Percent({.age = 4 * kReaperLagUnit}), 100u);
}

TEST(ReaperPace, TheShareGrowsWithTheAgeOfTheOldest) {
  const ReaperPace pace(kShare);
  EXPECT_EQ(pace.Percent({.age = kReaperLagUnit}), 2 * kShare);
  EXPECT_EQ(pace.Percent({.age = 2 * kReaperLagUnit}), 3 * kShare);
  EXPECT_EQ(pace.Percent({.age = 4 * kReaperLagUnit - 1ms}), 99u);
  EXPECT_EQ(pace.Percent({.age = 4 * kReaperLagUnit}), 100u);
  EXPECT_EQ(pace.Percent({.age = Millis::max()}), 100u);
}

TEST(ReaperPace, TheShareGrowsWithTheNumberThatWaits) {
  const ReaperPace pace(kShare);
  EXPECT_EQ(pace.Percent({.rows = kReaperLagRows}), 2 * kShare);
  EXPECT_EQ(pace.Percent({.rows = 4 * kReaperLagRows}), 100u);
  EXPECT_EQ(pace.Percent({.rows = UINT64_MAX}), 100u);
  EXPECT_EQ(pace.Percent({.age = 2 * kReaperLagUnit, .rows = kReaperLagRows}), 3 * kShare)
      << "the larger lag counts";
}

TEST(ReaperPace, EveryShareReachesTheWhole) {
  for (const std::uint32_t share : {1u, 20u, 99u, 100u}) {
    EXPECT_EQ(ReaperPace(share).Percent({.age = 100 * kReaperLagUnit}), 100u);
    EXPECT_EQ(ReaperPace(share).Percent(kNone), share);
  }
}

TEST(ReaperPace, AClockThatIsBehindIsNoLag) {
  EXPECT_EQ(ReaperPace(kShare).Percent({.age = -1h}), kShare);
}

TEST(ReaperPace, AQuietDatabaseIsPurgedFaster) {
  EXPECT_EQ(ReaperPace(kShare).Percent({.quiet = true}), kReaperQuietPercent);
  EXPECT_EQ(ReaperPace(80).Percent({.quiet = true}), 80u);
}

TEST(ReaperPace, FarBehindItDoesNotRest) {
  ReaperPace pace = PaceAt(2us);
  EXPECT_NEAR(WorkedPercent(pace, {.rows = 64, .removing = 128us}, kFar), 100, 0.01);
}

TEST(ReaperPace, RestsOwedForASmallerLagAreForgiven) {
  ReaperPace pace = PaceAt(2us);
  pace.RestAfter({.rows = 16, .removing = 20us}, kNone);
  EXPECT_EQ(pace.RestAfter({.rows = 64, .removing = 128us}, kFar), 0ns);
}

TEST(ReaperPace, ShortRestsAreSavedUp) {
  ReaperPace pace(50);
  EXPECT_EQ(pace.RestAfter({.rows = 16, .removing = kReaperRestMin - 1us}, kNone), 0ns);
  EXPECT_EQ(pace.RestAfter({.rows = 16, .removing = 1us}, kNone), kReaperRestMin);
  EXPECT_EQ(pace.RestAfter({.rows = 16, .removing = 1us}, kNone), 0ns);
}

TEST(ReaperPace, StepsThatWaitForOthersDoNotMakeItSlow) {
  ReaperPace pace = PaceAt(2us);
  for (int i = 0; i < 1000; ++i) {
    pace.RestAfter({.rows = kRows, .removing = i % 4 == 0 ? kRows * 2us : 3ms}, kNone);
    ASSERT_EQ(pace.Percent({.age = 4 * kReaperLagUnit}), 100u);
  }
}

TEST(ReaperPace, AnEngineThatBecomesSlowIsNoticedAndOneThatRecoversToo) {
  ReaperPace pace = PaceAt(2us);
  const ReaperPace::Step slow{.rows = kRows, .removing = 2 * kRows * kReaperSlowRow};
  for (std::size_t i = 0; i < 2 * kReaperStepsWatched; ++i) pace.RestAfter(slow, kNone);
  EXPECT_EQ(pace.Percent({.age = 4 * kReaperLagUnit}), kShare);
  pace.RestAfter({.rows = kRows, .removing = kRows * 2us}, kNone);
  EXPECT_EQ(pace.Percent({.age = 4 * kReaperLagUnit}), 100u);
}

TEST(ReaperPace, TheFewRowsOfASmallStepDoNotMakeItSlow) {
  ReaperPace pace = PaceAt(1us);
  for (int i = 0; i < 1000; ++i) pace.RestAfter({.rows = 1, .removing = 50us}, kNone);
  EXPECT_EQ(pace.Percent({.age = 4 * kReaperLagUnit}), 100u);
}

TEST(ReaperPace, WhereRowsTakeLongTheShareGrowsSlowly) {
  const ReaperPace slow = PaceAt(2 * kReaperSlowRow);
  EXPECT_EQ(slow.Percent(kNone), kShare);
  EXPECT_EQ(slow.Percent({.age = 4 * kReaperLagUnit}), kShare);
  EXPECT_EQ(slow.Percent({.rows = UINT64_MAX}), kShare) << "its number does not count";
  EXPECT_EQ(slow.Percent({.age = kReaperSlowUnit}), 2 * kShare);
  EXPECT_EQ(slow.Percent({.age = 4 * kReaperSlowUnit}), 100u);
}

TEST(ReaperPace, WhereRowsTakeLongAStreamOfDeathsMakesItGrowFaster) {
  ReaperPace slow = PaceAt(2 * kReaperSlowRow);
  WallTime head = WallTimeFromMs(1'000'000'000'000);
  SteadyTime now = SteadyTime() + 1h;
  slow.NoteHead(head, now);
  slow.NoteHead(head += kReaperHeadPause / 2, now += kReaperHeadPause);
  EXPECT_EQ(slow.Percent({.age = kReaperSlowStreamUnit}), 2 * kShare);
  slow.NoteHead(head, now += kReaperHeadPause);
  EXPECT_EQ(slow.Percent({.age = kReaperSlowStreamUnit}), kShare) << "the head stands still";
}

}  // namespace
}  // namespace mayfly::core
