#include "server/stats/command_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "server/command/limits.h"

namespace mayfly::server {
namespace {

constexpr std::uint64_t kNanosPerMicro = 1000;

// Only the owning thread writes, so a load and a store suffice.
void Increase(std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

}  // namespace

std::uint64_t CountOf(const LatencyHistogram::Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::uint64_t Percentile(const LatencyHistogram::Counts& counts, double percent) {
  const std::uint64_t total = CountOf(counts);
  if (total == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(
      std::max(1.0, std::ceil(static_cast<double>(total) * percent / 100.0)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i];
    if (seen >= wanted) return LatencyHistogram::LastOf(i);
  }
  return LatencyHistogram::LastOf(counts.size() - 1);
}

void ThreadCounters::Ran(std::size_t id, std::uint64_t nanos, bool failed, bool with_latency) {
  Counter& counter = commands_[id];
  Increase(counter.calls);
  Increase(counter.nanos, nanos);
  Increase(commands);
  if (failed) Increase(counter.failed);
  if (!with_latency) return;
  LatencyHistogram* histogram = counter.histogram.load(std::memory_order_relaxed);
  if (histogram == nullptr) {
    histograms_.push_back(std::make_unique<LatencyHistogram>());
    histogram = histograms_.back().get();
    counter.histogram.store(histogram, std::memory_order_release);
  }
  histogram->Add(nanos / kNanosPerMicro);
}

void ThreadCounters::Rejected(std::size_t id) { Increase(commands_[id].rejected); }

void ThreadCounters::Read(std::uint64_t found, std::uint64_t missed) {
  Increase(hits, found);
  Increase(misses, missed);
}

CommandStatistics::CommandStatistics(std::size_t commands) : commands_(commands) {
  static_cast<void>(NewThread());
}

void CommandStatistics::CountRun(std::size_t id, std::uint64_t nanos, bool failed,
                                 bool with_latency) {
  const std::lock_guard lock(mutex_);
  threads_[0]->Ran(id, nanos, failed, with_latency);
}

void CommandStatistics::CountRejected(std::size_t id) {
  const std::lock_guard lock(mutex_);
  threads_[0]->Rejected(id);
}

void CommandStatistics::CountFailedLater(std::size_t id) {
  const std::lock_guard lock(mutex_);
  Increase(threads_[0]->commands_[id].failed);
}

ThreadCounters& CommandStatistics::NewThread() {
  const std::lock_guard lock(mutex_);
  threads_.push_back(std::make_unique<ThreadCounters>(commands_));
  return *threads_.back();
}

CommandCounts CommandStatistics::Of(std::size_t id) const {
  CommandCounts counts;
  const std::lock_guard lock(mutex_);
  for (const auto& thread : threads_) {
    const ThreadCounters::Counter& counter = thread->commands_[id];
    counts.calls += counter.calls;
    counts.micros += counter.nanos / kNanosPerMicro;
    counts.rejected += counter.rejected;
    counts.failed += counter.failed;
    const LatencyHistogram* const histogram = counter.histogram.load(std::memory_order_acquire);
    if (histogram != nullptr) histogram->AddTo(counts.latencies);
  }
  return counts;
}

CommandStatistics::Totals CommandStatistics::totals() const {
  Totals totals;
  const std::lock_guard lock(mutex_);
  for (const auto& thread : threads_) {
    totals.commands += thread->commands;
    totals.batches += thread->batches;
    totals.bytes_in += thread->bytes_in;
    totals.bytes_out += thread->bytes_out;
    totals.hits += thread->hits;
    totals.misses += thread->misses;
  }
  return totals;
}

void CommandStatistics::CountError(Bytes line) {
  ++errors_total_;
  const Bytes word = line.substr(0, std::min(line.find(' '), kErrorWordBytesMax));
  const std::lock_guard lock(mutex_);
  const auto found = errors_.find(word);
  if (found != errors_.end()) {
    ++found->second;
  } else if (errors_.size() < kErrorKindsMax) {
    errors_.emplace(word, 1);
  }
}

bool CommandStatistics::CountFailure(const Answer& answer) {
  if (!answer.failed()) return false;
  if (!answer.failure().empty()) CountError(answer.failure());
  return true;
}

std::map<std::string, std::uint64_t, std::less<>> CommandStatistics::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

void CommandStatistics::Reset() {
  const std::lock_guard lock(mutex_);
  errors_total_ = 0;
  errors_.clear();
  for (const auto& thread : threads_) {
    for (ThreadCounters::Counter& counter : thread->commands_) {
      counter.calls = counter.nanos = counter.rejected = counter.failed = 0;
      LatencyHistogram* const histogram = counter.histogram.load(std::memory_order_acquire);
      if (histogram != nullptr) histogram->Clear();
    }
    thread->bytes_in = thread->bytes_out = thread->batches = thread->commands = 0;
    thread->hits = thread->misses = 0;
  }
}

}  // namespace mayfly::server
