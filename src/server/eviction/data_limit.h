// data_limit.h - `maxmemory`: how much the numbered databases store, and how much they may.
// The limit is on the data itself, in memory and on disk alike: keys and values of rows, of members
// of collections and of the expiry index, counted exactly (core/store/data_meter.h). It has nothing
// to do with `memory-rows`, which bounds what of the data is kept in memory. While no limit is set
// nothing is counted, and while no policy needs it no use of a key is noted.
// Who makes room is the executor that is about to run a command, and a thread of its own
// (eviction_thread.h), which also counts what is stored when a limit is first set.
// Threads: any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/store/data_meter.h"
#include "mayfly/database.h"
#include "server/config/config.h"
#include "server/databases/database_key.h"
#include "server/eviction/access_table.h"
#include "server/eviction/eviction_policy.h"
#include "server/eviction/victim_finder.h"

namespace mayfly::server {

class DataLimit {
 public:
  // All must outlive it. `real_clock` measures how long keys are idle.
  DataLimit(Config& config, Database& database, const Clock& real_clock, std::uint64_t seed);

  // Follows the settings. Call it once, before the server runs.
  void Follow();

  bool on() const { return max_.load(std::memory_order_relaxed) > 0; }
  std::int64_t max() const { return max_.load(std::memory_order_relaxed); }

  // What is counted: exact once is_counted(), and less before. 0 while no limit is set.
  std::int64_t bytes() const;
  bool is_counted() const { return on() && counts_.load() && meter_->is_whole(); }
  // How many bytes too many; 0: none, or no limit.
  std::int64_t over() const;

  EvictionPolicy policy() const {
    return static_cast<EvictionPolicy>(policy_.load(std::memory_order_relaxed));
  }

  // Where uses of keys are noted; null unless the policy is an LRU or LFU. Lives as long as this.
  AccessTable* accesses() const { return accesses_.load(std::memory_order_acquire); }
  AccessTable::LfuPace pace() const {
    return {.log_factor = log_factor_.load(std::memory_order_relaxed),
            .decay_minutes = decay_time_.load(std::memory_order_relaxed)};
  }
  void Touch(const DatabaseKeyView& key, Random& random) const {
    if (AccessTable* const table = accesses()) table->Touch(DatabaseKeyHash()(key), pace(), random);
  }

  // How long a command may make room (maxmemory-eviction-tenacity); nothing: until there is room.
  std::optional<std::chrono::nanoseconds> time_max() const;

  // Held by the one who makes room. Under it: choose victims.
  std::mutex& mutex() { return evicting_; }
  Result<std::vector<Victim>> FindVictims(const Databases::Mapping& databases, std::int64_t bytes);

  // Collections that are gone and whose members still count: they leave before any row does.
  bool HasLeftovers() const { return meter_ != nullptr && meter_->orphans() > 0; }

  // Commands that add are refused, since nothing can leave.
  bool refuses() const { return refuses_.load(std::memory_order_relaxed) && on(); }
  void SetRefuses(bool refuses) {
    if (refuses != refuses_.load(std::memory_order_relaxed)) {
      refuses_.store(refuses, std::memory_order_relaxed);
    }
  }

  // Counts databases that were made since the last call: what they store is little as yet.
  void FollowDatabases(Databases& databases);

  // Counts a page of what is stored, beginning with databases that are not counted yet. False: all
  // is counted. For the eviction thread.
  Result<bool> CountMore(const Databases::Mapping& databases);
  // Forgets the count while no limit is set.
  void StopCounting();
  // Waits until all is counted, at most for so long. At once where no thread counts.
  void AwaitCount(std::chrono::nanoseconds time_max);
  void NoteCounted();

  // The thread that counts runs; woken when the limit changes.
  Waker& waker() { return waker_; }
  void set_counted_by_thread(bool counted) { has_thread_ = counted; }

  std::atomic<std::uint64_t> evicted{0};  // Rows, since the last CONFIG RESETSTAT.
  std::atomic<std::uint64_t> evicted_ever{0};
  std::atomic<std::uint64_t> late_nanos{0};  // For which commands went on above the limit.

 private:
  Status FollowPolicy();

  Config& config_;
  Database& database_;
  const Clock& real_clock_;
  core::DataMeter* const meter_;  // Null: of a database without one, where nothing is counted.
  const std::atomic<std::int64_t>& max_;  // Settings.
  const std::atomic<std::int64_t>& policy_;
  const std::atomic<std::int64_t>& samples_;
  const std::atomic<std::int64_t>& log_factor_;
  const std::atomic<std::int64_t>& decay_time_;
  const std::atomic<std::int64_t>& tenacity_;
  std::atomic<AccessTable*> accesses_{nullptr};
  std::atomic<bool> refuses_{false};
  std::atomic<bool> counts_{false};
  std::atomic<std::uint64_t> generation_{0};  // Of the databases that are counted.
  std::atomic<bool> has_thread_{false};
  Waker waker_;
  std::mutex counted_mutex_;
  std::condition_variable counted_;
  std::mutex evicting_;  // Guards the finder.
  VictimFinder finder_;
  std::mutex tables_mutex_;                           // Guards the next. Tables stay, since
  std::vector<std::unique_ptr<AccessTable>> tables_;  // readers may hold them: one of each kind.
};

}  // namespace mayfly::server
