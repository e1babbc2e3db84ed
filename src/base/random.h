// random.h - a random generator with reproducible draws.
// The same seed gives the same draws on every machine and with every standard library, which the
// standard's distributions do not promise. For tests and jitter, not for secrets.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace mayfly {

// Not safe to share between threads.
class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}

  std::uint64_t Next() { return generator_(); }

  // Uniform over [0, end). `end` must be positive.
  std::uint64_t Below(std::uint64_t end);

  // Uniform over [first, last].
  std::uint64_t Between(std::uint64_t first, std::uint64_t last);

  // True once in `n` draws on average.
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }

  // `size` bytes of any value.
  std::string Bytes(std::size_t size);

 private:
  std::mt19937_64 generator_;
};

// A seed that differs from run to run. Print it, so that the run can be repeated.
std::uint64_t FreshSeed();

}  // namespace mayfly
