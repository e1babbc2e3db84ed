// request_statistics.h - counts of requests over HTTP and their durations, by operation.
// Safe to call from any thread. Names come from a table of operations, so there are few.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "server/stats/command_statistics.h"

namespace mayfly::server {

class RequestStatistics {
 public:
  void Add(std::string_view operation, std::chrono::nanoseconds took, bool failed);

  // By operation; only those that were asked for.
  std::map<std::string, CommandCounts> All() const;

 private:
  struct Counter {
    std::uint64_t calls = 0;
    std::uint64_t failed = 0;
    std::chrono::nanoseconds took{0};
    LatencyHistogram latencies;
  };

  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Counter>, std::less<>> counters_;  // Guarded by mutex_.
};

}  // namespace mayfly::server
