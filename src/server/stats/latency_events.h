// latency_events.h - events that took longer than latency-monitor-threshold.
// Safe to call from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/clock.h"

namespace mayfly::server {

struct LatencySample {
  std::int64_t at_seconds = 0;
  std::uint64_t millis = 0;
};

struct LatencySeries {
  std::deque<LatencySample> samples;  // The oldest first, kLatencySamplesMax at most.
  std::uint64_t max_millis = 0;       // Since the first one.
};

class LatencyEvents {
 public:
  // Samples of one second become one, the longest.
  void Add(std::string_view event, std::int64_t at_seconds, std::uint64_t millis);

  std::map<std::string, LatencySeries, std::less<>> All() const;

  // Drops these events, or all when none is named. Returns how many there were.
  std::size_t Reset(const std::vector<std::string>& events, SteadyTime now);

  // Whether there was a Reset() within the last `length`: an event that had begun before it is not
  // reported again.
  bool ResetWithin(std::chrono::nanoseconds length, SteadyTime now) const;

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::map<std::string, LatencySeries, std::less<>> events_;
  std::optional<SteadyTime> reset_at_;
};

}  // namespace mayfly::server
