// thread_counts.h - how many threads the settings ask for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "server/config/config.h"

namespace mayfly::server {

inline std::size_t ThreadCount(const Config& config) {
  const std::int64_t wanted = config.Number(Setting::kThreads);
  if (wanted > 0) return static_cast<std::size_t>(wanted);
  return std::max(1u, std::thread::hardware_concurrency());
}

// At least two: one slow request must not hold up the next.
inline std::size_t HttpThreadCount(const Config& config) {
  const std::int64_t wanted = config.Number(Setting::kHttpThreads);
  return wanted > 0 ? static_cast<std::size_t>(wanted)
                    : std::max<std::size_t>(ThreadCount(config), 2);
}

}  // namespace mayfly::server
