// Goal: no server removes what is dead by its clock alone, whichever clock is wrong, and one wrong clock
// among three or more holds up nobody but its owner. Method: machines with a clock each, moved by
// hand; questions and answers take a random time in a play of many servers.
#include "cluster/clock_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "base/random.h"

namespace mayfly::cluster {
namespace {

using State = server::ClusterClocks::State;

constexpr WallTime kStart = WallTimeFromMs(1'700'000'000'000);
constexpr Millis kHour = std::chrono::hours(1);
constexpr double kHourMs = 3'600'000;
constexpr std::int64_t kBoundMs = 1000;

class ClockComparisonTest : public testing::Test {
 protected:
  // A peer answers at once: what it shows is known exactly.
  void Hear(const std::string& peer, WallTime theirs) {
    clocks_.Add(peer, theirs, clock_.Passed(), clock_.Passed());
  }
  State state() const { return clocks_.Report().state; }
  // How far removal may reach beyond `time`, in milliseconds.
  double Beyond(WallTime time) const {
    return static_cast<double>((clocks_.Latest() - time).count());
  }

  ManualClock clock_{kStart};
  std::atomic<std::int64_t> bound_{kBoundMs};
  ClockComparison clocks_{clock_, bound_};
};

TEST_F(ClockComparisonTest, NothingIsRemovedBeforeTheOthersAreKnown) {
  EXPECT_EQ(clocks_.Latest(), WallTime::min());
  clocks_.SetPeers({"b"});
  EXPECT_EQ(clocks_.Latest(), WallTime::min());
  EXPECT_EQ(state(), State::kUnknown);
  Hear("b", kStart);
  EXPECT_EQ(state(), State::kAgree);
  EXPECT_NEAR(Beyond(kStart), kBoundMs, 1);
}

TEST_F(ClockComparisonTest, AServerAloneGoesByItsOwnClock) {
  clocks_.SetPeers({});
  EXPECT_EQ(state(), State::kAlone);
  EXPECT_EQ(Beyond(kStart), kBoundMs);
  clock_.Set(kStart + kHour);
  EXPECT_EQ(Beyond(kStart + kHour), kBoundMs);
}

TEST_F(ClockComparisonTest, OfTwoTheEarlierOneCounts) {
  clocks_.SetPeers({"b"});
  Hear("b", kStart - kHour);
  EXPECT_EQ(state(), State::kAhead);
  EXPECT_NEAR(Beyond(kStart - kHour), kBoundMs, 1);
  EXPECT_NEAR(static_cast<double>(clocks_.Report().ahead.count()), kHourMs, 1);
  Hear("b", kStart + kHour);
  EXPECT_EQ(state(), State::kBehind);
  EXPECT_NEAR(Beyond(kStart), kBoundMs, 1);
  EXPECT_NEAR(static_cast<double>(clocks_.Report().skew.count()), kHourMs, 1);
}

TEST_F(ClockComparisonTest, OfThreeOneWrongClockChangesNothingForTheOthers) {
  clocks_.SetPeers({"b", "c"});
  for (const Millis wrong : {-kHour, kHour}) {
    Hear("b", kStart);
    Hear("c", kStart + wrong);
    EXPECT_EQ(state(), State::kAgree) << wrong.count();
    EXPECT_NEAR(Beyond(kStart), kBoundMs, 1) << wrong.count();
  }
}

TEST_F(ClockComparisonTest, OfThreeTheOneThatIsAheadRemovesByTheOthers) {
  clocks_.SetPeers({"b", "c"});
  Hear("b", kStart - kHour);
  Hear("c", kStart - kHour);
  EXPECT_EQ(state(), State::kAhead);
  EXPECT_NEAR(Beyond(kStart - kHour), kBoundMs, 1);
}

TEST_F(ClockComparisonTest, SettingOurOwnClockMovesNoLimit) {
  clocks_.SetPeers({"b"});
  Hear("b", kStart);
  clock_.Set(kStart + kHour);
  EXPECT_EQ(state(), State::kAhead);
  EXPECT_NEAR(Beyond(kStart), kBoundMs, 1);
  clock_.Set(kStart);
  EXPECT_EQ(state(), State::kAgree);
}

TEST_F(ClockComparisonTest, TheBoundIsTheBound) {
  clocks_.SetPeers({"b"});
  Hear("b", kStart);
  clock_.Set(kStart + Millis(kBoundMs - 1));
  EXPECT_EQ(state(), State::kAgree);
  clock_.Set(kStart + Millis(kBoundMs + 1));
  EXPECT_EQ(state(), State::kAhead);
  bound_ = 2 * kBoundMs;
  EXPECT_EQ(state(), State::kAgree);
}

TEST_F(ClockComparisonTest, ALongRoundTripProvesLess) {
  clocks_.SetPeers({"b"});
  const SteadyTime asked = clock_.Passed();
  clock_.Advance(Millis(700));
  clocks_.Add("b", kStart + Millis(350), asked, clock_.Passed());
  // It may have said that just now: then it is behind by as much.
  EXPECT_NEAR(Beyond(kStart + Millis(350)), kBoundMs, 1);
  // A short one narrows it.
  Hear("b", kStart + Millis(700));
  EXPECT_NEAR(Beyond(kStart + Millis(700)), kBoundMs, 2);
  // Longer ones do not widen it again.
  clocks_.Add("b", kStart + Millis(700), clock_.Passed() - Millis(400), clock_.Passed());
  EXPECT_NEAR(Beyond(kStart + Millis(700)), kBoundMs, 2);
}

TEST_F(ClockComparisonTest, WhatIsKnownIsForgottenInTime) {
  clocks_.SetPeers({"b"});
  Hear("b", kStart);
  clock_.Advance(std::chrono::seconds(60));
  EXPECT_EQ(state(), State::kAgree);
  // Less certain by a thousandth of what has passed.
  EXPECT_NEAR(Beyond(clock_.Now()), kBoundMs - 60, 1);
  clock_.Advance(Millis(1));
  EXPECT_EQ(state(), State::kUnknown);
  EXPECT_EQ(clocks_.Latest(), WallTime::min());
}

TEST_F(ClockComparisonTest, MostMustBeKnown) {
  clocks_.SetPeers({"b", "c", "d", "e"});
  Hear("b", kStart);
  EXPECT_EQ(clocks_.Latest(), WallTime::min());
  Hear("c", kStart + kHour);
  // Of five clocks three are known, and the two others may be behind: the earliest of three counts.
  EXPECT_NEAR(Beyond(kStart), kBoundMs, 1);
  EXPECT_EQ(clocks_.Report().known, 2u);
  EXPECT_EQ(clocks_.Report().servers, 4u);
}

TEST_F(ClockComparisonTest, APeerThatGoesCountsNoMore) {
  clocks_.SetPeers({"b"});
  Hear("b", kStart - kHour);
  clocks_.SetPeers({});
  EXPECT_NEAR(Beyond(kStart), kBoundMs, 0);
  clocks_.SetPeers({"b"});
  EXPECT_EQ(clocks_.Latest(), WallTime::min());
  Hear("stranger", kStart);
  EXPECT_EQ(clocks_.Latest(), WallTime::min());
}

// Servers that ask each other by messages that take up to 50 ms each way; clocks are set at random.
// The lower median of what all clocks show is never passed by more than the bound, but for the time
// that a clock which was set back has not been asked since.
TEST(ClockComparisonPlay, NoServerRemovesBeyondTheMedianAndTheBound) {
  const std::atomic<std::int64_t> bound{kBoundMs};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::size_t count = 2 + random.Below(6);
    std::vector<std::unique_ptr<ManualClock>> clocks;
    std::vector<std::unique_ptr<ClockComparison>> servers;
    for (std::size_t i = 0; i < count; ++i) {
      clocks.push_back(std::make_unique<ManualClock>(kStart + Millis(random.Below(1'000'000))));
      clocks.back()->Advance(Millis(random.Below(100'000)));
      servers.push_back(std::make_unique<ClockComparison>(*clocks[i], bound));
      std::vector<std::string> others;
      for (std::size_t other = 0; other < count; ++other) {
        if (other != i) others.push_back(std::to_string(other));
      }
      servers[i]->SetPeers(others);
    }
    const auto advance = [&](std::uint64_t ms) {
      for (const auto& clock : clocks) clock->Advance(Millis(ms));
    };
    const auto ask_all = [&] {
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t other = 0; other < count; ++other) {
          if (other == i) continue;
          const SteadyTime asked = clocks[i]->Passed();
          advance(random.Below(50));
          const WallTime shown = clocks[other]->Now();
          advance(random.Below(50));
          servers[i]->Add(std::to_string(other), shown, asked, clocks[i]->Passed());
        }
      }
    };
    for (int round = 0; round < 30; ++round) {
      if (random.Below(3) == 0) {
        ManualClock& set = *clocks[random.Below(count)];
        const Millis step(1000 + random.Below(2'000'000));
        set.Set(random.OneIn(2) ? set.Now() + step : set.Now() - step);
      }
      ask_all();
      std::vector<WallTime> shown;
      for (const auto& clock : clocks) shown.push_back(clock->Now());
      std::sort(shown.begin(), shown.end());
      const WallTime median = shown[(count - 1) / 2];
      for (std::size_t i = 0; i < count; ++i) {
        const WallTime latest = servers[i]->Latest();
        ASSERT_LE(latest, median + Millis(kBoundMs + 1)) << "server " << i << " of " << count;
        // And what is surely dead is removed: the error of a reading is below two messages.
        ASSERT_GE(latest, median + Millis(kBoundMs - 110)) << "server " << i << " of " << count;
      }
    }
  }
}

}  // namespace
}  // namespace mayfly::cluster
