// duration_counts.h - how often something took how long, counted by any thread.
// Buckets end at powers of four microseconds: 4 us, 16 us, ... 16.8 s; the last has no end.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace mayfly {

class DurationCounts {
 public:
  static constexpr std::size_t kBuckets = 13;

  // In microseconds; not of the last bucket.
  static constexpr std::uint64_t EndOf(std::size_t bucket) {
    return std::uint64_t{4} << 2 * bucket;
  }

  struct Counts {
    std::array<std::uint64_t, kBuckets> buckets{};
    std::uint64_t micros = 0;  // Of all together.
  };

  void Add(std::chrono::nanoseconds took) {
    constexpr std::int64_t kNanosPerMicro = 1000;
    const std::int64_t nanos = took.count() > 0 ? took.count() : 0;
    const auto micros = static_cast<std::uint64_t>(nanos / kNanosPerMicro);
    std::size_t bucket = 0;
    while (bucket + 1 < kBuckets && micros >= EndOf(bucket)) ++bucket;
    buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
    nanos_.fetch_add(static_cast<std::uint64_t>(nanos), std::memory_order_relaxed);
  }

  Counts Read() const {
    constexpr std::uint64_t kNanosPerMicro = 1000;
    Counts counts;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      counts.buckets[i] = buckets_[i].load(std::memory_order_relaxed);
    }
    counts.micros = nanos_.load(std::memory_order_relaxed) / kNanosPerMicro;
    return counts;
  }

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
  std::atomic<std::uint64_t> nanos_{0};
};

}  // namespace mayfly
