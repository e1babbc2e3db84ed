// Goal: a seed plays the same draws everywhere, and draws stay in bounds and spread evenly.
// Method: pinned draws, bounds at the edges of 64 bits, counts of many draws over few values.
#include "base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>
#include <string>

namespace mayfly {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(Random, PlaysTheSameDrawsOnEveryMachine) {
  Random random(42);
  EXPECT_EQ(random.Next(), 13930160852258120406u);
  EXPECT_EQ(random.Next(), 11788048577503494824u);
  EXPECT_EQ(random.Below(1000), 752u);
  EXPECT_EQ(random.Below(1000), 136u);
  EXPECT_EQ(random.Between(10, 20), 19u);
  EXPECT_EQ(random.Bytes(4), "\x18\x93_F");
}

TEST(Random, DiffersBySeed) { EXPECT_NE(Random(1).Next(), Random(2).Next()); }

TEST(Random, BelowStaysBelow) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(random.Below(1), 0u);
    EXPECT_LT(random.Below(2), 2u);
    EXPECT_LT(random.Below(1000), 1000u);
    EXPECT_LT(random.Below(kMax), kMax);
  }
}

TEST(Random, BelowReachesEveryValueAboutAsOften) {
  constexpr std::size_t kValues = 10;
  constexpr int kDrawsEach = 10'000;
  Random random(5);
  std::array<int, kValues> counts{};
  for (int i = 0; i < kDrawsEach * static_cast<int>(kValues); ++i) ++counts[random.Below(kValues)];
  for (const int count : counts) EXPECT_NEAR(count, kDrawsEach, 500);
}

TEST(Random, BetweenReachesBothEndsAndNothingBeyond) {
  Random random(6);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.Between(7, 10));
  EXPECT_EQ(seen, (std::set<std::uint64_t>{7, 8, 9, 10}));
  EXPECT_EQ(random.Between(3, 3), 3u);
  EXPECT_EQ(random.Between(kMax, kMax), kMax);
}

TEST(Random, BetweenTakesTheWholeRange) {
  Random random(7);
  Random same(7);
  EXPECT_EQ(random.Between(0, kMax), same.Next());
  EXPECT_GE(random.Between(1, kMax), 1u);
}

TEST(Random, OneInNHappensAboutThatOften) {
  Random random(8);
  int hits = 0;
  for (int i = 0; i < 100'000; ++i) hits += random.OneIn(20) ? 1 : 0;
  EXPECT_NEAR(hits, 5000, 350);
  EXPECT_TRUE(random.OneIn(1));
}

TEST(Random, BytesTakeEveryValue) {
  Random random(9);
  const std::string bytes = random.Bytes(100'000);
  EXPECT_EQ(bytes.size(), 100'000u);
  EXPECT_EQ(std::set<char>(bytes.begin(), bytes.end()).size(), 256u);
  EXPECT_TRUE(random.Bytes(0).empty());
}

TEST(FreshSeed, DiffersFromCallToCall) {
  std::set<std::uint64_t> seeds;
  for (int i = 0; i < 10; ++i) seeds.insert(FreshSeed());
  EXPECT_GT(seeds.size(), 1u);
}

}  // namespace
}  // namespace mayfly
