// drop_horizon.h - decides what compaction may drop.
// Compaction removes bytes without a batch, so it cannot write events, move counters or touch the
// index. It therefore drops only what core has removed before: rows, versions and entries that a
// purge has removed from the newest state, and the remains of dropped keyspaces. A keyspace's
// watermark tells which these are: no entry, so no row, lies before it. Two things must hold before
// a watermark is published to compaction:
// (1) the purges behind it are on disk: else a power cut could bring back the entry of a row whose
//     bytes are gone;
// (2) no open state is older than they are: it may show what they removed.
// The clock is not among them: while it is not trusted nothing is purged, no watermark moves, and
// nothing is dropped.
//
// Dropping is then invisible: every reader sees what it saw, counters and index stay exact, events
// are written. A dropped pair becomes a tombstone while an older one may lie beneath it.
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "core/layout/keys.h"
#include "core/store/open_states.h"
#include "engine/drop_policy.h"
#include "mayfly/clock.h"

namespace mayfly::core {

class Catalog;

// The instants up to which no reader can see the dead rows of each keyspace.
struct Horizon {
  // For each keyspace, under its id and, for versions, under MembersOf(id): what is dead at this
  // instant has been purged.
  std::map<KeyspaceId, WallTime> dead_by;
  // A keyspace with a smaller id that is not in dead_by was dropped; one with a larger id is
  // younger than the horizon.
  KeyspaceId next_id = 0;

  // What is dead at this instant is invisible in every keyspace.
  std::optional<WallTime> DeadEverywhere() const;

  bool IsDropped(KeyspaceId keyspace) const {
    return keyspace < next_id && !dead_by.contains(keyspace);
  }

  // False when a keyspace was made or dropped since.
  bool KnowsTheKeyspacesOf(const Catalog& catalog) const;

  friend bool operator==(const Horizon&, const Horizon&) = default;
};

class DropHorizon final : public engine::DropPolicy {
 public:
  std::unique_ptr<Judge> NewJudge(engine::Role role) const override;
  std::optional<WallTime> DeadlineOf(engine::Role role, Bytes key, Bytes value) const override;

  // A reaper is purging what was dead at this instant; nothing: none is. For engines that can wait
  // for a purge. It promises nothing: the instant is that of the last step.
  void NotePurge(std::optional<WallTime> through) {
    purging_through_ms_.store(through ? ToMs(*through) : kNoPurge, std::memory_order_relaxed);
  }

  // The published horizon. Never null.
  std::shared_ptr<const Horizon> horizon() const;

  // Takes the catalog's horizon, makes it durable, and publishes it, or the one taken before, once
  // no older state is open. True when all of it is published.
  Result<bool> Advance(const Catalog& catalog, const OpenStates& states, engine::Engine& engine);

  // Forgets a horizon that was taken and not yet published: a repair has changed what is known.
  void Forget();

 private:
  void Publish(Horizon horizon);

  static constexpr std::int64_t kNoPurge = std::numeric_limits<std::int64_t>::min();

  struct Candidate {
    Horizon horizon;
    StateTicket mark;
  };

  std::mutex advance_mutex_;            // One at a time.
  std::optional<Candidate> candidate_;  // Guarded by advance_mutex_.

  std::atomic<std::int64_t> purging_through_ms_{kNoPurge};

  mutable std::mutex mutex_;
  std::shared_ptr<const Horizon> horizon_ = std::make_shared<const Horizon>();  // By mutex_.
};

}  // namespace mayfly::core
