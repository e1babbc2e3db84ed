// pace.h - how long background work rests, so that it takes a share of a core and not all of it.
// No clock and no sleep here: the caller measures and waits.
#pragma once

#include <chrono>
#include <cstdint>

namespace mayfly::engine::hot {

// After a batch of a fold that took `worked`. At the bound of the log the fold works half of the time;
// the longer the log, the more, and from one and a half times the bound on it does not rest: at twice
// the bound commits wait.
inline std::chrono::nanoseconds FoldRest(std::chrono::nanoseconds worked, std::uint64_t log_bytes,
                                         std::uint64_t log_bytes_max) {
  const std::uint64_t unpaced = log_bytes_max + log_bytes_max / 2;
  if (log_bytes >= unpaced) return std::chrono::nanoseconds(0);
  const double left =
      static_cast<double>(unpaced - log_bytes) / static_cast<double>(unpaced - log_bytes_max);
  return std::chrono::nanoseconds(
      static_cast<std::int64_t>(static_cast<double>(worked.count()) * (left < 1 ? left : 1)));
}

// After a step of the load, which works half of the time.
inline std::chrono::nanoseconds LoadRest(std::chrono::nanoseconds worked) { return worked; }

}  // namespace mayfly::engine::hot
