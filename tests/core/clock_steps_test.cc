// Goal: a clock that was set wrongly destroys nothing: no path removes a row's bytes before the
// time is confirmed, within a run and across a restart. Method: the clock is set back and ahead
// while steady time stands still; every path that removes is tried; files are searched for the
// bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/engine_in_hand.h"
#include "core/planted.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

constexpr Millis kTtl = 1h;
constexpr Millis kDay = 24h;
constexpr Millis kYear = 365 * kDay;

struct Step {
  Millis by;
  bool across_restart;
};

void PrintTo(const Step& step, std::ostream* out) {
  *out << step.by.count() << (step.across_restart ? " ms, restart" : " ms");
}

class ClockSteps : public ::testing::TestWithParam<Step> {
 protected:
  ClockSteps() {
    // A promise makes the reaper rewrite files as early as it can.
    EXPECT_EQ(CodeOf(home_.rows().SetPolicy({.purge_within = 1s})), kOk);
    for (Planted& row : mortal_) Plant(row, Lifetime::For(kTtl));
    Plant(immortal_, Lifetime::Forever());
    home_.Compact();
  }

  ~ClockSteps() override { home_.ExpectClean(); }

  void Plant(Planted& row, const Lifetime& lifetime) {
    row = planter_.New();
    EXPECT_EQ(CodeOf(home_.rows().Put(row.key, row.value, lifetime)), kOk);
  }

  void Take(const Step& step) {
    if (step.across_restart) {
      ASSERT_EQ(CodeOf(database().Close()), kOk);
    }
    home_.clock().Set(home_.clock().Now() + step.by);
    if (step.across_restart) home_.Open();
  }

  // Every path on which bytes leave.
  void TryToRemove() {
    for (const Planted& row : mortal_) {
      EXPECT_TRUE(home_.rows().Exists(row.key).has_value());  // Purges on read.
    }
    ASSERT_TRUE(database().Purge().has_value());
    {
      const auto reaper = *database().StartReaper();
      reaper->AwaitIdle();
      ASSERT_TRUE(database().Reclaim({.dead_percent = 1}).has_value());
      ASSERT_TRUE(database().Reclaim({.everything = true}).has_value());
      home_.Compact();
      reaper->AwaitIdle();
    }
    home_.Compact();
  }

  void ExpectAllThere(const char* when) {
    const FileBytes files(home_.directory());
    for (const Planted& row : mortal_) {
      files.ExpectBothOf(row, when);
      EXPECT_FALSE(database().Prove({.find = row.value})->traces.empty()) << when;
    }
    files.ExpectBothOf(immortal_, when);
    EXPECT_EQ(StatisticsOf(database()).rows, mortal_.size() + 1) << when;
  }

  void ExpectMortalGone(const char* when) {
    const FileBytes files(home_.directory());
    for (const Planted& row : mortal_) {
      files.ExpectNoneOf(row, when);
      EXPECT_TRUE(database().Prove({.find = row.value})->traces.empty()) << when;
    }
    EXPECT_EQ(StatisticsOf(database()).rows, 1u) << when;
    EXPECT_EQ(home_.rows().Get(immortal_.key).value_or(""), immortal_.value);
  }

  bool ProofNamesTheClock() {
    const Proof proof = database().Prove().value();
    for (const ProofHolder& holder : proof.holders) {
      if (holder.kind == ProofHolder::Kind::kClock) return true;
    }
    return false;
  }

  Database& database() { return home_.database(); }

  EngineInHand home_;
  Planter planter_;
  std::array<Planted, 5> mortal_;
  Planted immortal_;
};

class StepsAhead : public ClockSteps {};

TEST_P(StepsAhead, RemoveNothingUntilSomebodyConfirms) {
  ExpectAllThere("before the step");
  Take(GetParam());
  TryToRemove();
  ExpectAllThere("after the step");
  EXPECT_EQ(home_.rows().Count().value(), 1u) << "hidden by the clock's word";

  const Statistics statistics = database().GetStatistics().value();
  EXPECT_TRUE(statistics.clock.physical_deletion_stopped);
  EXPECT_EQ(statistics.clock.jumps_forward, 1u);
  EXPECT_GE(statistics.clock.last_jump, GetParam().by - 1s);
  EXPECT_EQ(statistics.purged_rows, 0u);
  EXPECT_TRUE(ProofNamesTheClock());
  EXPECT_FALSE(database().Prove()->kept()) << "what the clock calls dead is still there";
  EXPECT_TRUE(database().Purge()->stopped_by_clock);
  EXPECT_TRUE(database().Reclaim()->stopped_by_clock);
  EXPECT_TRUE(database().Reclaim({.everything = true})->stopped_by_clock);

  home_.Reopen();
  TryToRemove();
  ExpectAllThere("after a restart, which is no confirmation");
  EXPECT_TRUE(ProofNamesTheClock());

  ASSERT_EQ(CodeOf(database().ConfirmClock()), kOk);
  EXPECT_FALSE(ProofNamesTheClock());
  TryToRemove();
  ExpectMortalGone("after the confirmation");
  EXPECT_TRUE(database().Prove()->kept());
}

TEST_P(StepsAhead, ThatAreTakenBackDropNothingThatLives) {
  Take(GetParam());
  TryToRemove();
  Take({-GetParam().by, GetParam().across_restart});
  TryToRemove();
  ExpectAllThere("after the clock came back");
  // Time does not go back; which reading was right is not decided, so nothing is removed.
  EXPECT_TRUE(database().clock_report().physical_deletion_stopped);
  EXPECT_EQ(CodeOf(database().ConfirmClock()), kInvalid);

  ASSERT_EQ(CodeOf(database().RevertClock()), kOk);
  EXPECT_EQ(home_.rows().Count().value(), mortal_.size() + 1) << "all of them live again";
  TryToRemove();
  ExpectAllThere("after the jump was taken back");
  EXPECT_FALSE(ProofNamesTheClock());
  home_.clock().Advance(kTtl - 1ms);
  TryToRemove();
  ExpectAllThere("a moment before the deadline");
  home_.clock().Advance(1ms);
  TryToRemove();
  ExpectMortalGone("on the deadline");
  EXPECT_TRUE(database().Prove()->kept());
}

INSTANTIATE_TEST_SUITE_P(By, StepsAhead,
                         ::testing::Values(Step{kDay, false}, Step{kDay, true}, Step{kYear, false},
                                           Step{kYear, true}));

class StepsBack : public ClockSteps {};

TEST_P(StepsBack, RemoveNothingAndTimeGoesOnWhereItStood) {
  Take(GetParam());
  TryToRemove();
  ExpectAllThere("after the step back");
  EXPECT_EQ(home_.rows().Count().value(), mortal_.size() + 1);
  EXPECT_GT(database().clock_report().steps_back, 0u);
  EXPECT_FALSE(database().clock_report().physical_deletion_stopped);

  // The clock returns to the right time: nothing is early.
  Take({-GetParam().by, GetParam().across_restart});
  TryToRemove();
  ExpectAllThere("after the step forth");
  home_.clock().Advance(kTtl - 1ms);
  TryToRemove();
  ExpectAllThere("a moment before the deadline");
  EXPECT_EQ(home_.rows().Count().value(), mortal_.size() + 1);
  home_.clock().Advance(1ms);
  TryToRemove();
  ExpectMortalGone("on the deadline");
}

TEST_P(StepsBack, AfterADeathBringNothingBack) {
  home_.clock().Advance(kTtl);
  EXPECT_EQ(database().Purge()->rows, mortal_.size());
  Take(GetParam());
  TryToRemove();
  ExpectMortalGone("after the step back");
  // A row written while the machine's clock is behind lives its whole life.
  Planted row;
  Plant(row, Lifetime::For(kTtl));
  EXPECT_EQ(home_.rows().Ttl(row.key).value(), kTtl);
  TryToRemove();
  EXPECT_EQ(home_.rows().Get(row.key).value_or(""), row.value);
  Take({-GetParam().by, GetParam().across_restart});
  home_.clock().Advance(kTtl - 1ms);
  TryToRemove();
  EXPECT_EQ(home_.rows().Get(row.key).value_or(""), row.value);
}

INSTANTIATE_TEST_SUITE_P(By, StepsBack, ::testing::Values(Step{-kDay, false}, Step{-kDay, true}));

}  // namespace
}  // namespace mayfly
