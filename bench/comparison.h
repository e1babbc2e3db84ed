// comparison.h - compares the time of two implementations of the same work.
// A machine's speed varies: clock speed, neighbours, caches. So the two take turns in short chunks,
// in the order A B B A, which cancels any drift that is steady over the four; each four give one
// ratio, and the median over many fours is reported. The time is the calling thread's CPU time:
// waiting and background threads do not count.
#pragma once

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mayfly::bench {

inline std::int64_t ThreadCpuNs() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// The value at `part` of the way from the smallest to the largest; `values` is not empty.
inline double Quantile(std::vector<double> values, double part) {
  const auto at = values.begin() + std::lround(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

class Comparison {
 public:
  // Adds `repetitions` fours. `a(first)` and `b(first)` do the operations number first to
  // first + count - 1. A tenth more run before them as a warm-up and are not counted.
  template <typename A, typename B>
  void Add(std::size_t repetitions, std::size_t count, A a, B b) {
    const std::size_t warm_up = repetitions / 10 + 1;
    for (std::size_t i = 0; i < warm_up + repetitions; ++i) {
      const bool a_first = i % 2 == 0;
      double a_ns = 0;
      double b_ns = 0;
      for (const bool a_now : {a_first, !a_first}) {
        if (a_now) a_ns += Time(a);
        b_ns += Time(b);
        if (!a_now) a_ns += Time(a);
        next_ += count;
      }
      if (i < warm_up) continue;
      const auto operations = static_cast<double>(2 * count);
      a_ns_.push_back(a_ns / operations);
      b_ns_.push_back(b_ns / operations);
      ratios_.push_back(a_ns / b_ns);
    }
  }

  // Of one operation: the medians.
  double a_ns() const { return Quantile(a_ns_, 0.5); }
  double b_ns() const { return Quantile(b_ns_, 0.5); }

  // The quantile `part` of a / b over all fours.
  double ratio(double part = 0.5) const { return Quantile(ratios_, part); }

 private:
  template <typename Work>
  double Time(Work& work) const {
    const std::int64_t begin = ThreadCpuNs();
    work(next_);
    return static_cast<double>(ThreadCpuNs() - begin);
  }

  std::size_t next_ = 0;
  std::vector<double> a_ns_;  // These three have one element for each four.
  std::vector<double> b_ns_;
  std::vector<double> ratios_;
};

}  // namespace mayfly::bench
