// Rates are those of the last second or two, whatever was before. Method: a manual clock, and
// totals that grow by hand.
#include "server/stats/throughput.h"

#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

class ThroughputTest : public testing::Test {
 protected:
  void Pass(std::int64_t ms) { clock_.Advance(Millis(ms)); }
  void Note() { throughput_.Note(clock_.Steady(), totals_); }
  Rates Now() const { return throughput_.At(clock_.Steady(), totals_); }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  Throughput::Totals totals_;
  Throughput throughput_{clock_.Steady()};
};

TEST_F(ThroughputTest, EachFigureIsTheChangePerSecond) {
  totals_ = {.commands = 100, .bytes_in = 2000, .bytes_out = 30'000};
  Pass(2000);
  EXPECT_DOUBLE_EQ(Now().commands, 50);
  EXPECT_DOUBLE_EQ(Now().bytes_in, 1000);
  EXPECT_DOUBLE_EQ(Now().bytes_out, 15'000);
}

TEST_F(ThroughputTest, WhatIsLongAgoDoesNotCount) {
  totals_.commands = 1'000'000;
  for (int second = 0; second < 3600; ++second) {
    Pass(1000);
    Note();
  }
  EXPECT_DOUBLE_EQ(Now().commands, 0);
  totals_.commands += 300;
  Pass(500);
  EXPECT_DOUBLE_EQ(Now().commands, 200) << "300 in a second and a half";
  Pass(499);
  EXPECT_DOUBLE_EQ(Now().commands, 300 / 1.999);
  Pass(1);
  EXPECT_DOUBLE_EQ(Now().commands, 300) << "the newest note is a second old";
  Note();
  EXPECT_DOUBLE_EQ(Now().commands, 300);
  Pass(1000);
  EXPECT_DOUBLE_EQ(Now().commands, 0);
}

TEST_F(ThroughputTest, TheFirstCommandIsNoThousand) {
  totals_.commands = 1;
  EXPECT_DOUBLE_EQ(Now().commands, 1);
  Pass(1);
  EXPECT_DOUBLE_EQ(Now().commands, 1);
}

TEST_F(ThroughputTest, NotesThatComeTooSoonChangeNothing) {
  Pass(1000);
  Note();
  totals_.commands = 10;
  for (int i = 0; i < 5; ++i) {
    Pass(100);
    Note();
  }
  EXPECT_DOUBLE_EQ(Now().commands, 10 / 1.5);
}

TEST_F(ThroughputTest, NotesThatComeLateMakeTheLengthLonger) {
  Pass(1000);
  Note();
  totals_.commands = 100;
  Pass(10'000);
  EXPECT_DOUBLE_EQ(Now().commands, 10);
}

TEST_F(ThroughputTest, TotalsThatBeginAgainAreNoFlood) {
  totals_.commands = 1000;
  Pass(1000);
  Note();
  totals_.commands = 5;
  EXPECT_DOUBLE_EQ(Now().commands, 5) << "since the begin";
  Pass(1000);
  EXPECT_DOUBLE_EQ(Now().commands, 0) << "nobody said so: less than before";
  throughput_.Restart(clock_.Steady(), totals_);
  totals_.commands = 8;
  Pass(1000);
  EXPECT_DOUBLE_EQ(Now().commands, 3);
}

}  // namespace
}  // namespace mayfly::server
