// hot_follower.h - the state of a memory-first database that another process writes.
// Rows of the log in memory, over a view of the cold store: what the writer's own memory holds of
// the log, and nothing else. Rows are replaced as a whole, and kept by the states that read them.
//
// Why a state is one of the writer's:
// (1) Records are blind writes in order, and hide what the cold store has of their keys. So rows
//     that were replayed from a record at or before the first one that the cold store lacks, over
//     that or any later state of it, show the last record replayed, provided that (2) holds.
// (2) A fold writes only the newest rows, so the cold store may lack rows that were replaced by
//     records as late as the end of the log when it was read. So a refresh reads the cold store
//     first, then the log to its end, and then shows this state of the cold store.
// (3) The marker of the fold is read before the cold store: all records up to it are in there.
// A record that is replayed is shown at once, over the state of the cold store from before: (1).
//
// Safe from any thread; refreshes run one at a time.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "engine/hot/hot_state.h"
#include "engine/hot/reader/hot_reader_engine.h"
#include "engine/hot/reader/segment_walk.h"
#include "engine/hot/replay.h"

namespace mayfly::engine::hot {

class HotFollower {
 public:
  // `cold` follows the cold store, and is refreshed by nobody else.
  HotFollower(const HotReaderOptions& options, const Engine& cold, LogFiles& files);

  // As Engine::Refresh(); the first one opens.
  Result<std::uint64_t> Refresh();

  // What the last refresh showed. Shared with states that read it. Null before the first one.
  std::shared_ptr<const HotRows> rows() const {
    const std::shared_lock lock(mutex_);
    return rows_;
  }

  std::uint64_t ChangedAt(Role role, unsigned char first) const {
    return changed_at_[static_cast<std::size_t>(role)][first].load(std::memory_order_acquire);
  }

  // How often rows were built from the log, and the bytes of it that they hold.
  std::uint64_t builds() const { return builds_.load(); }
  std::uint64_t log_bytes() const { return log_bytes_.load(); }

  // While it is held no refresh runs, and the cold store may change.
  Result<std::unique_lock<std::mutex>> Pause();

  void Close();

 private:
  // Rows, and how they go on.
  struct Following {
    Following(std::shared_ptr<HotRows> rows, Sequence folded, LogFiles& files,
              const crypto::DatabaseKey* key);

    const Sequence folded;  // The cold store has all records up to this one.
    const std::shared_ptr<HotRows> rows;
    Replay replay;
    SegmentWalk walk;
    std::size_t looked_at = 0;  // Segments that the walk had passed at the last look at the marker.
    bool is_broken = false;     // A record was read and could not be applied.
  };
  using Outcome = SegmentWalk::Outcome;

  // With follow_mutex_ held.
  Result<Outcome> Advance(Following& following);
  Result<Outcome> Build();
  Status FreezeCold();
  Result<std::uint64_t> RefreshCold();
  bool ShowCold(std::uint64_t change);
  Result<bool> HoldsTooMuch(bool cold_changed);
  void Show(std::unique_ptr<Following> built);
  std::uint64_t Count();
  void Touch(const HotChange& change);

  const HotReaderOptions options_;
  const Engine& cold_;
  LogFiles& files_;
  const std::shared_ptr<const crypto::DatabaseKey> key_;  // Shared with the cold store.

  std::mutex follow_mutex_;  // Held by a refresh; taken before mutex_. Guards the next ones.
  std::unique_ptr<Following> following_;
  std::uint64_t cold_shown_ = 0;  // The refresh of the cold store that is shown.
  std::array<std::bitset<256>, kRoleCount> touched_;  // First bytes of keys since a refresh.

  std::atomic<std::uint64_t> builds_{0};
  std::atomic<std::uint64_t> log_bytes_{0};
  std::atomic<std::uint64_t> changes_{0};
  std::array<std::array<std::atomic<std::uint64_t>, 256>, kRoleCount> changed_at_ = {};

  mutable std::shared_mutex mutex_;
  std::shared_ptr<const HotRows> rows_;  // Guarded by mutex_.
};

}  // namespace mayfly::engine::hot
