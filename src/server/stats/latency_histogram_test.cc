// Histograms of latencies: every value falls into a bucket that is close to it.
// Method: all small values, powers of two and their neighbours.
#include "server/stats/latency_histogram.h"

#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

TEST(LatencyHistogram, ABucketIsAtMostAnEighthTooLarge) {
  std::size_t last = 0;
  for (std::uint64_t value = 0; value < 100'000; ++value) {
    const std::size_t bucket = LatencyHistogram::BucketOf(value);
    EXPECT_GE(bucket, last);
    last = bucket;
    ASSERT_GE(LatencyHistogram::LastOf(bucket), value);
    ASSERT_LE(LatencyHistogram::LastOf(bucket), value + value / 8);
  }
}

TEST(LatencyHistogram, NoValueIsTooLarge) {
  EXPECT_EQ(LatencyHistogram::BucketOf(UINT64_MAX), LatencyHistogram::kBuckets - 1);
}

TEST(LatencyHistogram, PercentilesCountFromTheSmallest) {
  LatencyHistogram histogram;
  LatencyHistogram::Counts counts{};
  EXPECT_EQ(Percentile(counts, 50), 0u);
  for (int i = 0; i < 99; ++i) histogram.Add(3);
  histogram.Add(1000);
  histogram.AddTo(counts);
  EXPECT_EQ(Percentile(counts, 50), 3u);
  EXPECT_EQ(Percentile(counts, 99), 3u);
  EXPECT_EQ(Percentile(counts, 99.9), LatencyHistogram::LastOf(LatencyHistogram::BucketOf(1000)));
}

}  // namespace
}  // namespace mayfly::server
