// Goal: a paced compaction takes the time its rate allows, and does not sleep while in a hurry.
// Method: a clock that only sleeps move; nothing really sleeps.
#include "engine/rocks/compaction_pace.h"

#include <gtest/gtest.h>

#include <thread>

namespace mayfly::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class StandingClock final : public Clock {
 public:
  WallTime Now() const override { return WallTime(); }
  SteadyTime Steady() const override { return SteadyTime(passed_); }
  void Sleep(Waker&, WallTime) const override { FAIL() << "nobody sleeps until a wall time here"; }
  void Pass(nanoseconds length) { passed_ += length; }

 private:
  nanoseconds passed_{0};
};

class Pace : public testing::Test {
 protected:
  CompactionPace At(std::uint64_t bytes_per_second) {
    return CompactionPace(
        bytes_per_second, [this] { return hurry_; }, clock_,
        [this](nanoseconds length) {
          longest_ = std::max(longest_, length);
          slept_ += length;
          clock_.Pass(length);
        });
  }

  static void Pass(CompactionPace& pace, std::uint64_t bytes) {
    constexpr std::uint64_t kPair = 100;
    for (std::uint64_t passed = 0; passed < bytes; passed += kPair) pace.GoneBy(kPair);
  }

  void ExpectSlept(nanoseconds expected, nanoseconds tolerance) const {
    EXPECT_NEAR(static_cast<double>(slept_.count()), static_cast<double>(expected.count()),
                static_cast<double>(tolerance.count()));
  }

  StandingClock clock_;
  bool hurry_ = false;
  nanoseconds slept_{0};
  nanoseconds longest_{0};
};

TEST_F(Pace, SleepsAsLongAsTheBytesShouldTake) {
  auto pace = At(4 * kMiB);
  Pass(pace, 40 * kMiB);
  ExpectSlept(seconds(10), milliseconds(100));
  EXPECT_LE(longest_, kPaceSleepMax);
}

TEST_F(Pace, TimeThatWorkTookIsNotSleptAgain) {
  auto pace = At(4 * kMiB);
  for (int i = 0; i < 10; ++i) {
    clock_.Pass(milliseconds(600));
    Pass(pace, 4 * kMiB);
  }
  ExpectSlept(seconds(4), milliseconds(100));
}

TEST_F(Pace, WorkThatIsSlowerThanThePaceNeverSleeps) {
  auto pace = At(4 * kMiB);
  for (int i = 0; i < 100; ++i) {
    clock_.Pass(milliseconds(300));
    Pass(pace, kMiB);
  }
  ExpectSlept(seconds(0), nanoseconds(0));
}

TEST_F(Pace, RunsFreelyInAHurryAndMakesNothingUpAfterwards) {
  auto pace = At(4 * kMiB);
  hurry_ = true;
  Pass(pace, 400 * kMiB);
  ExpectSlept(seconds(0), nanoseconds(0));
  hurry_ = false;
  Pass(pace, 40 * kMiB);
  ExpectSlept(seconds(10), milliseconds(100));
}

TEST_F(Pace, AHurryEndsASleepThatHasBegun) {
  auto pace = CompactionPace(
      1, [this] { return slept_ >= seconds(1); }, clock_,
      [this](nanoseconds length) {
        slept_ += length;
        clock_.Pass(length);
      });
  pace.GoneBy(kMiB);  // Twelve days.
  ExpectSlept(seconds(1), kPaceSleepMax);
}

TEST_F(Pace, AVerySlowOneHolds) {
  auto pace = At(1000);
  Pass(pace, 5000);
  ExpectSlept(seconds(5), milliseconds(200));
}

TEST_F(Pace, IsInForceOnItsThreadAloneAndAsLongAsItLives) {
  EXPECT_EQ(CompactionPace::OfThisThread(), nullptr);
  {
    auto pace = At(1);
    EXPECT_EQ(CompactionPace::OfThisThread(), &pace);
    std::thread([] { EXPECT_EQ(CompactionPace::OfThisThread(), nullptr); }).join();
  }
  EXPECT_EQ(CompactionPace::OfThisThread(), nullptr);
}

}  // namespace
}  // namespace mayfly::engine
