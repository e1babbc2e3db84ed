// shard.h - a shard as its owner has it: the rows in memory, and the way to the store.
//   commit: queue -> the group of all that wait -> one write -> memory -> callers return
//   read:   memory, then: does the lease hold?  no -> does the shard confirm our record?
// The thread of the first commit in the queue makes the group and the write, for all; commits that
// come meanwhile wait and are the next group.
// Invariants:
// (1) A commit that returned Ok is in the store, on all replicas. Memory shows it from then on.
// (2) What is read was the newest at some moment of the call, or the call fails. A condition that
//     does not hold is read.
// (3) After Stop(), or when a write was refused because another server owns the shard, every call
//     returns an error. The object never comes back to life.
// Shared by the engine that uses it and the node that stops it. Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/cluster/shard/commit_group.h"
#include "engine/cluster/shard/large_values.h"
#include "engine/cluster/shard/read_lease.h"
#include "engine/cluster/shard/shard_state.h"
#include "engine/cluster/shard/shard_totals.h"
#include "engine/cluster/shard/shard_writer.h"
#include "engine/drop_policy.h"

namespace mayfly::engine::cluster {

struct ShardOptions {
  // Slots are kept apart: a batch has one slot, and a cursor shows one. False: the slot of an
  // address is ignored, and all rows of the shard are one ordered map, as core wants it.
  bool by_slot = false;

  // How long a commit waits for a store that does not answer. Then its outcome is unknown, and the
  // shard must be opened again.
  std::chrono::milliseconds patience{60'000};

  // Called on a thread that waits for a silent store, every kWaitStep. It may do other work, but
  // nothing that waits for the store. The thread may hold locks of its caller. May be null.
  std::function<void()> while_waiting = nullptr;

  // Asked by Compact() about each row. Shared with the creator. May be null.
  std::shared_ptr<const DropPolicy> drop_policy = nullptr;

  // Counts what all shards do. Shared with the creator. May be null.
  std::shared_ptr<ShardTotals> totals = nullptr;
};

struct ShardCounts {
  std::atomic<std::uint64_t> batches{0};    // Committed.
  std::atomic<std::uint64_t> groups{0};     // Writes that carried them.
  std::atomic<std::uint64_t> confirmed{0};  // Reads that asked the store, since the lease was over.
};

class Shard {
 public:
  // Called once, from any thread, when the shard has become unusable by itself.
  using OnBroken = std::function<void()>;

  Shard(std::shared_ptr<ObjectStore> store, const ShardPlace& place,
        std::shared_ptr<const ReadLease> lease, const ShardOptions& options);

  // Before Load().
  void SetOnBroken(OnBroken on_broken);

  // Reads the rows; first of all calls. The record in the store must be ours: Busy when it is
  // another's. Corruption when the shard is damaged. What a crash left of large values is removed.
  // Ends early after Stop().
  Status Load();

  // Returns the number of a condition that does not hold in `broken`, with Conflict.
  Status Commit(const Batch& batch, std::size_t& broken);

  // After a read from memory: Ok when it may be shown.
  Status Confirm();

  // Ends it. `why` is what every call returns.
  void Stop(const Status& why);

  // The same, and a write under way is not waited for: its outcome is unknown.
  void GiveUp(const Status& why);

  // Commits that wait for others, or for the store.
  std::size_t waiting() const;

  ShardState& state() { return state_; }
  const ShardWriter& writer() const { return writer_; }
  const ShardOptions& options() const { return options_; }
  const ShardCounts& counts() const { return counts_; }
  std::string name() const { return writer_.place().name + " of " + store_->name(); }

 private:
  struct Waiter {
    const Batch* batch = nullptr;
    bool done = false;
    Status status = {};
    std::size_t broken = 0;
    std::condition_variable turn = {};
  };

  // shard_load.cc
  Status LoadPages(std::map<LargeId, std::uint64_t>& announced);
  Status LoadPage(const MapPage& page, std::map<LargeId, std::uint64_t>& announced);

  void AwaitTurn(Waiter& waiter, std::unique_lock<std::mutex>& lock);
  void Lead(std::unique_lock<std::mutex>& lock);
  void CommitTogether(std::vector<Waiter*>& waiters);
  Status Write(CommitGroup& group);
  Status WriteCounted(CommitGroup& group, std::size_t commits);
  Status WriteLarge(const std::vector<CommitGroup::NewLarge>& news);
  void ReportIfStopped();

  const std::shared_ptr<ObjectStore> store_;
  const std::shared_ptr<const ReadLease> lease_;
  const ShardOptions options_;
  ShardState state_;
  ShardWriter writer_;  // This and large_: only of the thread that leads.
  LargeValues large_;
  ShardCounts counts_;

  mutable std::mutex mutex_;
  std::deque<Waiter*> queue_;  // Guarded by mutex_.
  bool led_ = false;           // Guarded by mutex_: a thread makes groups.

  std::mutex broken_mutex_;
  OnBroken on_broken_;  // Guarded by broken_mutex_. Null: called, or stopped from outside.
};

}  // namespace mayfly::engine::cluster
