// paced_load.h - one operation over and over, at a fixed rate, each one timed.
// The schedule is fixed: a late operation does not delay the ones after it, so a database that
// stalls gets the same number of operations afterwards. The time measured is the service time, from
// the call to its return; on a machine with few cores the time from the scheduled moment says more
// about the scheduler. Late operations are counted instead.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "mayfly/clock.h"

namespace mayfly::bench {

// One operation: when it began, since the load did, and how long it took.
struct Timed {
  float at_seconds = 0;
  float microseconds = 0;
};

class PacedLoad {
 public:
  // An operation is late when it begins later than this after its scheduled moment.
  static constexpr std::chrono::microseconds kLate{1000};

  // Starts a thread that calls `operation(i)` for i = 0, 1, ... `per_second` times a second, until
  // Stop(). All loads that shall share a time axis get the same `start`.
  PacedLoad(SteadyTime start, double per_second, std::function<void(std::size_t)> operation);
  ~PacedLoad() { Stop(); }
  PacedLoad(const PacedLoad&) = delete;
  PacedLoad& operator=(const PacedLoad&) = delete;

  void Stop();

  // After Stop().
  const std::vector<Timed>& timed() const { return timed_; }
  std::uint64_t late() const { return late_; }

  // The percentile, in microseconds, of all operations that began in [begin, end).
  double Percentile(double begin_seconds, double end_seconds, double part) const;

 private:
  void Run(const std::stop_token& stop);

  const SteadyTime start_;
  const double per_second_;
  const std::function<void(std::size_t)> operation_;
  std::vector<Timed> timed_;
  std::uint64_t late_ = 0;
  std::jthread thread_;  // Last: it uses the others.
};

}  // namespace mayfly::bench
