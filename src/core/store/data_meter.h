// data_meter.h - counts the bytes that keyspaces store, exactly, for callers that bound them.
// The data of a keyspace is the keys and values of its rows, of the members of its collections
// (those of collections that are gone, too, until they are removed) and of its index. Nothing of it
// is counted, and a commit asks for nothing, until a caller wants a keyspace measured: then what is
// stored is counted page by page, and each commit adds what it changes.
// Invariant: `bytes` is the sum over the pairs before the frontier, in the order rows, members, the
// two halves of the index. The frontier moves with the keyspace's gate held alone; commits, which
// hold it shared, add what they change before it. So the count is exact once the frontier has passed
// the end, and never too large before.
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/keyspaces/keyspace_state.h"
#include "engine/engine.h"
#include "mayfly/result.h"

namespace mayfly::core {

class DataMeter {
 public:
  explicit DataMeter(engine::Engine& engine) : engine_(engine) {}

  // Whether commits are to be weighed.
  bool active() const { return active_.load(std::memory_order_relaxed); }

  // What a commit changes in one keyspace.
  struct Change {
    std::shared_ptr<struct MeasuredKeyspace> keyspace;  // Shared with the meter.
    std::int64_t bytes = 0;
    bool cleared = false;  // All that was stored is gone; `bytes` came after that.
  };
  using Changes = std::vector<Change>;

  // Reads what the batch replaces. Under the latches of its keys, before it is committed.
  Result<Changes> Weigh(const engine::Batch& batch) const;
  // After the commit, under the same latches.
  static void Apply(const Changes& changes);

  // Counts a keyspace from now on. Begin() returns at once. Each CountMore() then holds the gate
  // while it counts a page; false: all is counted.
  void Begin(const std::shared_ptr<KeyspaceState>& keyspace);
  Result<bool> CountMore(KeyspaceState& keyspace);

  // Begins anew: the keyspace was changed other than by commit plans. Waits for its gate.
  void Recount(KeyspaceState& keyspace);

  // Stops counting, of all keyspaces.
  void End();

  // Of the measured keyspaces that are not dropped. Whether all are counted to their end.
  std::int64_t bytes() const;
  bool is_whole() const;
  std::size_t keyspaces() const;  // How many are measured, and not dropped.

  // Collections of them that are gone, and whose members still count.
  std::int64_t orphans() const;

 private:
  using List = std::vector<std::shared_ptr<MeasuredKeyspace>>;

  std::shared_ptr<const List> list() const { return std::atomic_load(&list_); }
  std::shared_ptr<MeasuredKeyspace> Find(KeyspaceId id) const;
  Result<std::int64_t> StoredBytes(engine::Address at, Bytes key) const;

  engine::Engine& engine_;
  std::atomic<bool> active_{false};
  std::mutex mutex_;  // Guards changes of the list.
  std::shared_ptr<const List> list_ = std::make_shared<const List>();  // Read atomically.
};

// The ranges of a keyspace, in the order in which they are counted.
inline constexpr std::size_t kMeasuredRanges = 4;

struct MeasuredKeyspace {
  explicit MeasuredKeyspace(std::shared_ptr<KeyspaceState> measured) : state(std::move(measured)) {}

  const std::shared_ptr<KeyspaceState> state;  // Shared with the catalog.
  std::atomic<std::int64_t> bytes{0};
  std::atomic<std::size_t> range{0};  // Counted so far: the ranges before this one, and
  std::string frontier;               // of this one the keys before `frontier`. With the gate.

  bool is_whole() const { return range.load(std::memory_order_acquire) == kMeasuredRanges; }
  // Whether a pair is counted already. Under the gate.
  bool Counts(std::size_t of_range, Bytes key) const {
    const std::size_t reached = range.load(std::memory_order_relaxed);
    return of_range < reached || (of_range == reached && key < Bytes(frontier));
  }
};

}  // namespace mayfly::core
