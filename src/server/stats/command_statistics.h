// command_statistics.h - counts of commands, their durations and failures.
// Each thread has its own counters; a reader adds them up. Reset() by CONFIG RESETSTAT may lose
// counts of that moment.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "server/command/answer.h"
#include "server/stats/latency_histogram.h"

namespace mayfly::server {

struct CommandCounts {
  std::uint64_t calls = 0;
  std::uint64_t micros = 0;
  std::uint64_t rejected = 0;  // Before they ran: arity, permission, state.
  std::uint64_t failed = 0;    // While they ran.
  LatencyHistogram::Counts latencies{};
};

// Written by one thread, read by any.
class ThreadCounters {
 public:
  explicit ThreadCounters(std::size_t count) : commands_(count) {}

  void Ran(std::size_t id, std::uint64_t nanos, bool failed, bool with_latency);
  void Rejected(std::size_t id);
  void Read(std::uint64_t found, std::uint64_t missed);

  std::atomic<std::uint64_t> bytes_in{0};
  std::atomic<std::uint64_t> bytes_out{0};
  std::atomic<std::uint64_t> batches{0};  // Transactions that were committed.
  std::atomic<std::uint64_t> commands{0};
  std::atomic<std::uint64_t> hits{0};    // Keys that were read, and existed;
  std::atomic<std::uint64_t> misses{0};  // and did not exist.

 private:
  friend class CommandStatistics;
  struct Counter {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> nanos{0};
    std::atomic<std::uint64_t> rejected{0};
    std::atomic<std::uint64_t> failed{0};
    std::atomic<LatencyHistogram*> histogram{nullptr};  // Owned by histograms_.
  };

  std::vector<Counter> commands_;
  std::vector<std::unique_ptr<LatencyHistogram>> histograms_;  // Of this thread alone.
};

class CommandStatistics {
 public:
  explicit CommandStatistics(std::size_t commands);

  // For a new thread; lives as long as this.
  ThreadCounters& NewThread();

  // For callers without a thread's counters: commands that scripts call, and a blocked one that
  // another thread ended.
  void CountRun(std::size_t id, std::uint64_t nanos, bool failed, bool with_latency);
  void CountRejected(std::size_t id);
  void CountFailedLater(std::size_t id);

  CommandCounts Of(std::size_t id) const;

  struct Totals {
    std::uint64_t commands = 0;
    std::uint64_t batches = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };
  Totals totals() const;

  // Errors by their first word, "ERR", "WRONGTYPE": the first kErrorKindsMax of them.
  void CountError(Bytes line);
  // Counts the error, if it is one. Returns whether the command failed.
  bool CountFailure(const Answer& answer);
  std::map<std::string, std::uint64_t, std::less<>> errors() const;
  std::uint64_t errors_total() const { return errors_total_; }

  void Reset();

 private:
  const std::size_t commands_;
  std::atomic<std::uint64_t> errors_total_{0};
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<std::unique_ptr<ThreadCounters>> threads_;  // The first is shared.
  std::map<std::string, std::uint64_t, std::less<>> errors_;
};

}  // namespace mayfly::server
