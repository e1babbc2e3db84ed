// pending_ranges.h - range deletes that are in the log and not in the cold store yet.
// They hide rows of the cold store that memory does not know. A state sees those up to its
// sequence; a view of the cold store needs those behind its through().
// Threads: every call from any thread. Without ranges a lookup costs one load.
#pragma once

#include <atomic>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "engine/address.h"
#include "engine/hot/index/row.h"
#include "mayfly/bytes.h"

namespace mayfly::engine::hot {

struct PendingRange {
  Role role = Role::kRows;
  std::string begin;
  std::string end;
  Sequence sequence = 0;
};

class PendingRanges {
 public:
  // Before the sequence is visible.
  void Add(Role role, Bytes begin, Bytes end, Sequence sequence);

  // Every view in use has the deletes up to here.
  void RemoveThrough(Sequence sequence);

  // A range with `key` whose sequence is in (through, state].
  std::optional<PendingRange> Covering(Role role, Bytes key, Sequence through,
                                       Sequence state) const;
  bool Covers(Role role, Bytes key, Sequence through, Sequence state) const;

  std::size_t size() const { return count_.load(std::memory_order_acquire); }

 private:
  const PendingRange* Find(Role role, Bytes key, Sequence through, Sequence state) const;

  std::atomic<std::size_t> count_{0};
  mutable std::shared_mutex mutex_;
  std::vector<PendingRange> ranges_;
};

}  // namespace mayfly::engine::hot
