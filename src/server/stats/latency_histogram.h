// latency_histogram.h - a histogram of durations, in microseconds.
// Eight buckets per power of two: a percentile is off by at most an eighth. Add() is for one
// thread, reading for any.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mayfly::server {

class LatencyHistogram {
 public:
  static constexpr std::size_t kSteps = 8;
  static constexpr std::size_t kPowers = 40;
  static constexpr std::size_t kBuckets = kSteps * kPowers;
  using Counts = std::array<std::uint64_t, kBuckets>;

  void Add(std::uint64_t micros) {
    auto& bucket = buckets_[BucketOf(micros)];
    bucket.store(bucket.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  void AddTo(Counts& counts) const {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      counts[i] += buckets_[i].load(std::memory_order_relaxed);
    }
  }

  void Clear() {
    for (auto& bucket : buckets_) bucket.store(0, std::memory_order_relaxed);
  }

  static std::size_t BucketOf(std::uint64_t micros) {
    if (micros < kSteps) return static_cast<std::size_t>(micros);
    const auto power = static_cast<std::size_t>(std::bit_width(micros)) - 1;  // At least 3.
    const std::size_t step = static_cast<std::size_t>(micros >> (power - 3)) & (kSteps - 1);
    const std::size_t bucket = (power - 2) * kSteps + step;
    return bucket < kBuckets ? bucket : kBuckets - 1;
  }

  // The largest value that falls into the bucket.
  static std::uint64_t LastOf(std::size_t bucket) {
    if (bucket < kSteps) return bucket;
    const std::size_t power = bucket / kSteps + 2;
    return ((kSteps + bucket % kSteps + 1) << (power - 3)) - 1;
  }

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
};

// How many values are counted.
std::uint64_t CountOf(const LatencyHistogram::Counts& counts);

// The value that `percent` of the counted ones do not exceed; 0 when there are none.
std::uint64_t Percentile(const LatencyHistogram::Counts& counts, double percent);

}  // namespace mayfly::server
