// damage_log.h - whether storage was found damaged since it was opened.
// A damaged file is met by whoever reads it first: a client, a cursor, a compaction. Each of them
// gets an error, but the person who runs the database must learn of it as well, without reading
// every reply. So every Corruption an engine returns is noted here, and Stats() reports it.
// Threads: any.
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
  // `logger` is told of the first, second, fourth, eighth ... time; it must outlive this.
  explicit DamageLog(Logger& logger) : logger_(logger) {}

  // Counts `status` if it is Corruption; hands it on.
  Status Note(Status status);

  std::uint64_t times() const { return times_.load(std::memory_order_relaxed); }
  std::string first() const;  // What was said the first time; empty: never.

 private:
  Logger& logger_;
  std::atomic<std::uint64_t> times_{0};
  mutable std::mutex mutex_;
  std::string first_;  // Guarded by mutex_.
};

}  // namespace mayfly::engine
