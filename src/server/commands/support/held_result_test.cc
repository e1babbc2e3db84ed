// Goal: held values are counted, and no more than the bound is accepted.
// Method: values around the bound.
#include "server/commands/support/held_result.h"

#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

TEST(HeldResult, LetsInWhatFitsAndNothingAfterThat) {
  HeldResult held(100);
  EXPECT_TRUE(held.Add(50, 10));
  EXPECT_TRUE(held.Add(30, 10));
  EXPECT_TRUE(held.status().ok());
  EXPECT_FALSE(held.Add(0, 1));
  EXPECT_FALSE(held.Add(0, 0));
  EXPECT_FALSE(held.status().ok());
}

}  // namespace
}  // namespace mayfly::server
