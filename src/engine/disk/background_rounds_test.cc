// Goal: rounds are run for those who ask, not for nobody, and not too often.
// Method: a manual clock, and a round that counts.
#include "engine/disk/background_rounds.h"

#include <gtest/gtest.h>

#include <memory>

#include "engine/disk/limits.h"

namespace mayfly::engine {
namespace {

// Of real time; far more than a thread needs to begin.
constexpr Millis kPatience{30'000};

class BackgroundRoundsTest : public ::testing::Test {
 protected:
  // Time passes until so many rounds have been run.
  void Await(int rounds) { TimeUntil(rounds); }
  Millis TimeUntil(int rounds) {
    const SteadyTime began = clock_.Steady();
    while (rounds_ < rounds) {
      clock_.Advance(Millis(1));
      std::this_thread::yield();
    }
    return std::chrono::duration_cast<Millis>(clock_.Steady() - began);
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  std::atomic<int> rounds_{0};
  std::atomic<int> early_rounds_{0};  // Of them.
  std::atomic<Millis> length_{Millis(0)};
  std::unique_ptr<BackgroundRounds> subject_ = std::make_unique<BackgroundRounds>(
      clock_, [this](BackgroundRounds::Kind kind, std::atomic<bool>&) {
        clock_.Advance(length_);
        if (kind == BackgroundRounds::Kind::kEarly) ++early_rounds_;
        ++rounds_;
      });
};

TEST_F(BackgroundRoundsTest, RunsWhenAskedOnly) {
  clock_.Advance(Millis(100'000));
  EXPECT_EQ(rounds_, 0);
  subject_->Ask();
  Await(1);
  clock_.Advance(Millis(100'000));
  subject_.reset();
  EXPECT_EQ(rounds_, 1) << "nobody asked for another";
}

TEST_F(BackgroundRoundsTest, WhoAsksTooEarlyGetsARoundAfterThePause) {
  subject_->Ask();
  Await(1);
  for (int time = 0; time < 100; ++time) subject_->Ask();
  EXPECT_GE(TimeUntil(2), kRoundPauseMin);
  clock_.Advance(kRoundPauseMax);
  subject_.reset();
  EXPECT_EQ(rounds_, 2) << "one for all who asked";
}

TEST_F(BackgroundRoundsTest, ALongRoundIsFollowedByALongPause) {
  length_ = Millis(1500);
  subject_->Ask();
  Await(1);
  subject_->Ask();
  EXPECT_GE(TimeUntil(2), kRoundShare * Millis(1500));
  length_ = Millis(1'000'000);
  subject_->Ask();
  Await(3);
  subject_->Ask();
  EXPECT_LT(TimeUntil(4), 2 * Millis(1'000'000)) << "but not too long";
}

TEST_F(BackgroundRoundsTest, WhoWaitsGetsARoundWithoutThePause) {
  subject_->Await(kPatience);
  EXPECT_EQ(rounds_, 1);
  EXPECT_EQ(early_rounds_, 0) << "there was no round before it";
  subject_->Await(kPatience);
  EXPECT_EQ(rounds_, 2);
  EXPECT_EQ(early_rounds_, 1);
  Await(3);
  EXPECT_EQ(early_rounds_, 1) << "an early round leaves work to a regular one";
}

TEST_F(BackgroundRoundsTest, WhoWaitsDoesNotWaitForEver) {
  subject_->Stop();
  subject_->Await(kPatience);
  EXPECT_EQ(rounds_, 0);
}

TEST_F(BackgroundRoundsTest, NoneBeginsOnceItWasStopped) {
  subject_->Stop();
  subject_->Ask();
  EXPECT_EQ(rounds_, 0);
}

TEST_F(BackgroundRoundsTest, StoppingInterruptsTheRoundUnderWay) {
  std::atomic<bool> began = false;
  std::atomic<bool> interrupted = false;
  BackgroundRounds endless(clock_, [&](BackgroundRounds::Kind, std::atomic<bool>& stop) {
    began = true;
    while (!stop || !interrupted) std::this_thread::yield();
  });
  endless.Ask();
  while (!began) std::this_thread::yield();
  endless.Stop([&] { interrupted = true; });
  EXPECT_TRUE(interrupted);
}

}  // namespace
}  // namespace mayfly::engine
