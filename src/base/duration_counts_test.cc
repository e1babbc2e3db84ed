// Goal: a duration is counted once, in the bucket that ends behind it. Method: durations one below,
// at and one above the ends.
#include "base/duration_counts.h"

#include <gtest/gtest.h>

namespace mayfly {
namespace {

using std::chrono::microseconds;

TEST(DurationCounts, CountsBelowTheEndOfABucket) {
  DurationCounts counts;
  counts.Add(microseconds(3));
  counts.Add(microseconds(4));
  counts.Add(microseconds(15));
  counts.Add(microseconds(16));
  const DurationCounts::Counts read = counts.Read();
  EXPECT_EQ(read.buckets[0], 1u);
  EXPECT_EQ(read.buckets[1], 2u);
  EXPECT_EQ(read.buckets[2], 1u);
  EXPECT_EQ(read.micros, 38u);
}

TEST(DurationCounts, WhatIsLongerThanAllIsInTheLast) {
  DurationCounts counts;
  constexpr std::size_t kLast = DurationCounts::kBuckets - 1;
  const auto end = static_cast<std::int64_t>(DurationCounts::EndOf(kLast - 1));
  EXPECT_EQ(end, 16'777'216);
  counts.Add(microseconds(end - 1));
  counts.Add(microseconds(end));
  counts.Add(std::chrono::hours(1));
  EXPECT_EQ(counts.Read().buckets[kLast - 1], 1u);
  EXPECT_EQ(counts.Read().buckets[kLast], 2u);
}

TEST(DurationCounts, NothingTakesLessThanNoTime) {
  DurationCounts counts;
  counts.Add(microseconds(-5));
  EXPECT_EQ(counts.Read().buckets[0], 1u);
  EXPECT_EQ(counts.Read().micros, 0u);
}

}  // namespace
}  // namespace mayfly
