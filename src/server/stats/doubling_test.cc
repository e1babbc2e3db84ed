// Goal: something that lasts is reported when it has lasted twice as long. Method: a series of
// lengths.
#include "server/stats/doubling.h"

#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

using namespace std::chrono_literals;

TEST(Doubling, TellsFromTheLeastOnAndThenWhenTwiceAsLongHasPassed) {
  Doubling doubling;
  EXPECT_FALSE(doubling.IsNews(19ms, 20ms));
  EXPECT_TRUE(doubling.IsNews(20ms, 20ms));
  EXPECT_FALSE(doubling.IsNews(39ms, 20ms));
  EXPECT_TRUE(doubling.IsNews(45ms, 20ms));
  EXPECT_FALSE(doubling.IsNews(89ms, 20ms));
  EXPECT_TRUE(doubling.IsNews(90ms, 20ms));
}

TEST(Doubling, WhatIsShorterIsAnother) {
  Doubling doubling;
  EXPECT_TRUE(doubling.IsNews(90ms, 20ms));
  EXPECT_FALSE(doubling.IsNews(5ms, 20ms));
  EXPECT_TRUE(doubling.IsNews(25ms, 20ms));
}

}  // namespace
}  // namespace mayfly::server
