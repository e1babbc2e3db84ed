#include "server/stats/latency_events.h"

#include <algorithm>

#include "server/command/limits.h"

namespace mayfly::server {

void LatencyEvents::Add(std::string_view event, std::int64_t at_seconds, std::uint64_t millis) {
  const std::lock_guard lock(mutex_);
  LatencySeries& series = events_[std::string(event)];
  series.max_millis = std::max(series.max_millis, millis);
  if (!series.samples.empty() && series.samples.back().at_seconds == at_seconds) {
    series.samples.back().millis = std::max(series.samples.back().millis, millis);
    return;
  }
  series.samples.push_back({at_seconds, millis});
  if (series.samples.size() > kLatencySamplesMax) series.samples.pop_front();
}

std::map<std::string, LatencySeries, std::less<>> LatencyEvents::All() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

std::size_t LatencyEvents::Reset(const std::vector<std::string>& events, SteadyTime now) {
  const std::lock_guard lock(mutex_);
  reset_at_ = now;
  if (events.empty()) {
    const std::size_t count = events_.size();
    events_.clear();
    return count;
  }
  std::size_t count = 0;
  for (const std::string& event : events) count += events_.erase(event);
  return count;
}

bool LatencyEvents::ResetWithin(std::chrono::nanoseconds length, SteadyTime now) const {
  const std::lock_guard lock(mutex_);
  return reset_at_ && now - *reset_at_ <= length;
}

}  // namespace mayfly::server
