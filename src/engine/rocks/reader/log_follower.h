// log_follower.h - keeps a layered state up to date with the commits of another process.
// It writes nothing to the directory and asks nothing of the writer, whose files are enough:
// (1) A commit that was acknowledged is in a log, as bytes before its end. A new log changes the
//     directory's time; the newest one is read on from where the last refresh ended. So a refresh
//     of an unchanged database costs a stat() and a read of nothing.
// (2) RocksDB numbers changes without a gap, so a log that continues where the last one ended is
//     the next one. If it does not continue there, or is empty and so has no number, logs in
//     between may have been removed: then tables and logs are opened anew.
// (3) To open anew, logs are opened first and tables after them: changes of a log that is gone by
//     then are in the tables. Logs that end before the tables do were left behind by a removal and
//     contain nothing new. The new state is shown once the logs have been read to their end.
// (4) Tables are opened anew as well when a file that is held open was deleted `let_go_after` ago,
//     and when the tail has grown large.
// Safe from any thread; refreshes run one at a time.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "engine/rocks/reader/layered_state.h"
#include "engine/rocks/reader/log_tail.h"
#include "engine/rocks/reader/reader_engine.h"
#include "mayfly/clock.h"

namespace mayfly::engine {

class LogFollower {
 public:
  explicit LogFollower(const ReaderOptions& options);

  // As Engine::Refresh(); the first one opens.
  Result<std::uint64_t> Refresh();

  // While the lock is held the state does not change. Null before the first Refresh().
  std::shared_lock<std::shared_mutex> LockToRead() const { return std::shared_lock(mutex_); }
  const std::shared_ptr<LayeredState>& state() const { return state_; }

  std::uint64_t ChangedAt(Role role, unsigned char first) const {
    return changed_at_[static_cast<std::size_t>(role)][first].load(std::memory_order_acquire);
  }

  // The number of the last change, and how often tables were opened.
  std::uint64_t last_commit() const { return next_sequence_.load() - 1; }
  std::uint64_t openings() const { return openings_.load(); }

  void Close();

 private:
  // When the directory's entries last changed. Two changes within a tick of the kernel's clock have
  // the same time, so a later change is only visible if the tick was over when it was read.
  struct Stamp {
    std::int64_t changed_ns = 0;
    bool tick_is_over = false;
  };
  struct Listing {
    std::vector<std::uint64_t> logs;  // Sorted.
    std::set<std::string> tables;
    bool has_hot_log = false;
  };
  enum class Outcome : std::uint8_t { kLevel, kLost };

  Result<Stamp> ReadStamp() const;
  Result<Listing> List() const;
  Result<std::unique_ptr<LogTail>> OpenLog(std::uint64_t number) const;

  // With follow_mutex_ held.
  Result<Outcome> Advance();
  Result<Outcome> LookForLogs();
  Status OpenAnew();
  Status Apply(const std::vector<std::string>& records);
  std::uint64_t Show();
  bool ShouldOpenAnew() const;

  const ReaderOptions options_;
  const Clock& clock_;
  RocksOptions tables_options_;  // Constant.

  std::mutex follow_mutex_;  // Held by a refresh; taken before mutex_. Guards the next ones.
  std::deque<std::unique_ptr<LogTail>> logs_;  // Not read to their end; all but the last are ended.
  std::shared_ptr<LayeredState> draft_;        // Opened and not shown yet.
  Stamp stamp_;
  std::set<std::string> held_tables_;
  std::optional<SteadyTime> deleted_at_;  // A file that is held.
  std::uint64_t tail_bytes_ = 0;
  std::uint64_t tail_bytes_max_ = 0;
  std::array<std::bitset<256>, kRoleCount> touched_;  // First bytes of keys since a refresh.
  bool applied_ = false;                              // A change was since a refresh.

  std::atomic<std::uint64_t> next_sequence_{1};
  std::atomic<std::uint64_t> openings_{0};
  std::atomic<std::uint64_t> changes_{0};
  std::array<std::array<std::atomic<std::uint64_t>, 256>, kRoleCount> changed_at_ = {};

  mutable std::shared_mutex mutex_;
  std::shared_ptr<LayeredState> state_;  // Guarded by mutex_. Shared with its readers.
};

}  // namespace mayfly::engine
