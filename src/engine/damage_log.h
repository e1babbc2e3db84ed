// damage_log.h - counts damage found in storage since it was opened.
// A client, a cursor or a compaction that reads a damaged file gets an error, but the operator must
// learn of it as well. So every Corruption an engine returns is recorded here, and Stats() reports
// it. Safe from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "mayfly/logger.h"
#include "mayfly/status.h"

namespace mayfly::engine {

class DamageLog {
 public:
  // Logs the first, second, fourth, eighth ... occurrence to `logger`, which must outlive this.
  explicit DamageLog(Logger& logger) : logger_(logger) {}

  // Counts `status` if it is Corruption; returns it.
  Status Note(Status status);

  std::uint64_t times() const { return times_.load(std::memory_order_relaxed); }
  std::string first() const;  // The first message; empty: no damage so far.

 private:
  Logger& logger_;
  std::atomic<std::uint64_t> times_{0};
  mutable std::mutex mutex_;
  std::string first_;  // Guarded by mutex_.
};

}  // namespace mayfly::engine
