#include "server/stats/request_statistics.h"

namespace mayfly::server {
namespace {

std::uint64_t Micros(std::chrono::nanoseconds length) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(length).count());
}

}  // namespace

void RequestStatistics::Add(std::string_view operation, std::chrono::nanoseconds took,
                            bool failed) {
  const std::lock_guard lock(mutex_);
  auto found = counters_.find(operation);
  if (found == counters_.end()) {
    found = counters_.emplace(operation, std::make_unique<Counter>()).first;
  }
  Counter& counter = *found->second;
  ++counter.calls;
  counter.failed += failed ? 1 : 0;
  counter.took += took;
  counter.latencies.Add(Micros(took));
}

std::map<std::string, CommandCounts> RequestStatistics::All() const {
  std::map<std::string, CommandCounts> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [operation, counter] : counters_) {
    CommandCounts& counts = all[operation];
    counts.calls = counter->calls;
    counts.failed = counter->failed;
    counts.micros = Micros(counter->took);
    counter->latencies.AddTo(counts.latencies);
  }
  return all;
}

}  // namespace mayfly::server
