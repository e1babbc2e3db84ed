// settings.h - the command line of both benchmark programs.
// TMPDIR says where databases are created; for kDisk it should name the device in question.
#pragma once

#include <cstddef>

namespace mayfly::bench {

struct Settings {
  // Of the loaded database. A hundredth gives a quick run whose figures are all from caches.
  std::size_t rows = 1'000'000;  // --rows=N, or MAYFLY_BENCH_ROWS

  // Of engine_overhead only: how often each operation is compared, and over how many openings of
  // the two databases that is spread.
  std::size_t repetitions = 400;  // --repetitions=N
  std::size_t rounds = 4;         // --rounds=N

  // Of engine_overhead only: compares raw RocksDB with itself, which shows the noise.
  bool control = false;  // --control
};

// Takes our flags out of argv, so that the rest can go to Google Benchmark. Ends the program when a
// number is malformed.
Settings TakeSettings(int& argc, char** argv);

}  // namespace mayfly::bench
