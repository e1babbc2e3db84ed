// Goal: LATENCY RESET forgets events, and those that had begun before it.
// Method: a manual clock.
#include "server/stats/latency_events.h"

#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

class LatencyEventsTest : public ::testing::Test {
 protected:
  bool BeganBeforeReset(Millis age) const { return events_.ResetWithin(age, clock_.Steady()); }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  LatencyEvents events_;
};

TEST_F(LatencyEventsTest, NoEventIsOlderThanAResetThatNeverWas) {
  clock_.Advance(Millis(100));
  EXPECT_FALSE(BeganBeforeReset(Millis(0)));
  EXPECT_FALSE(BeganBeforeReset(Millis(1000)));
}

TEST_F(LatencyEventsTest, AnEventIsToldFromOneThatHadBegunBeforeTheReset) {
  clock_.Advance(Millis(100));
  events_.Reset({}, clock_.Steady());
  clock_.Advance(Millis(50));
  EXPECT_FALSE(BeganBeforeReset(Millis(49)));
  EXPECT_TRUE(BeganBeforeReset(Millis(50)));
  EXPECT_TRUE(BeganBeforeReset(Millis(1000)));
  events_.Reset({"another"}, clock_.Steady());
  EXPECT_TRUE(BeganBeforeReset(Millis(0))) << "the last reset counts, whatever it dropped";
}

TEST_F(LatencyEventsTest, ResetDropsTheNamedEventsOrAll) {
  for (const char* event : {"a", "b", "c"}) events_.Add(event, 1, 10);
  EXPECT_EQ(events_.Reset({"a", "ghost"}, clock_.Steady()), 1U);
  EXPECT_EQ(events_.All().size(), 2U);
  EXPECT_EQ(events_.Reset({}, clock_.Steady()), 2U);
  EXPECT_TRUE(events_.All().empty());
}

}  // namespace
}  // namespace mayfly::server
