// purger.h - gives back the space of dead rows, in bounded steps.
// Readers hide the dead by themselves, so a purge changes disk usage and nothing a client sees. It
// may lag, stop, or repeat a step without harm. A step rereads each row under its key latch: if the
// row still carries the entry's deadline, both go in one batch; if not, the entry goes alone.
// Without the latch, a deadline extended between the reread and the delete would be lost with its
// row. Versions of keyspaces ordered by timestamp, and members of collections, have a range of the
// index of their own and go the same way, versions without events. Then goes what is left of
// collections that are gone. Threads: any number of purgers at once, each of one thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/limits.h"
#include "core/member_purge.h"
#include "core/orphan_purge.h"
#include "core/store.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

// How a purge goes about it. Small batches hold latches and the log for a shorter time, and cost
// more per row.
struct PurgeManner {
  std::size_t batch_rows_max = kPurgeBatchRowsMax;
  bool one_latch =
      false;  // All rows of a batch share one, where their order tells nobody anything.
  // Called after each batch with the time it took; may sleep. No latch is held.
  std::function<void(std::chrono::nanoseconds)> rest = nullptr;
};

class Purger {
 public:
  explicit Purger(Store& store) : store_(store), orphans_(store) {}

  // Purges all keyspaces, or the one named, up to the bounds. Nothing is removed while the clock is
  // not trusted.
  Result<PurgeReport> Purge(const PurgeOptions& options, const PurgeManner& manner = {});

  // Purges a keyspace to the end, waiting for writes under way: afterwards nothing that was dead
  // when it was called is in the newest state, and its watermarks say so. Not while the clock is
  // not trusted.
  Status PurgeAll(KeyspaceState& keyspace);

  // The earliest deadline in the index; nothing when no row has one.
  Result<std::optional<WallTime>> NextDeadline() const;

  // Whether something of a collection that is gone is left to remove.
  bool HasOrphans() const;

 private:
  struct Due {
    WallTime deadline;
    std::string key;  // Of members, without the keyspace.
    Stripe stripe;
  };

  // One half of a keyspace's index.
  struct Half {
    KeyspaceState& keyspace;
    bool members;

    KeyspaceId index() const { return members ? MembersOf(keyspace.id()) : keyspace.id(); }
    WallTime watermark() const {
      return members ? keyspace.members_watermark() : keyspace.watermark();
    }
    void RaiseWatermark(WallTime to) const {
      members ? keyspace.RaiseMembersWatermark(to) : keyspace.RaiseWatermark(to);
    }
    bool IsEmpty() const {
      if (!members) return keyspace.TotalCounters().mortal == 0;
      return !keyspace.by_timestamp() && !keyspace.has_mortal_members();
    }
  };

  // What one Purge() may do, and has done.
  struct Work {
    const PurgeOptions& options;
    const PurgeManner& manner;
    WallTime now;
    WallTime settled;
    SteadyTime end;
    PurgeReport& report;
    std::uint64_t reverts;  // Of the clock: `now` and `settled` mean nothing after another one.
  };

  Status PurgeKeyspace(KeyspaceState& keyspace, const Work& work);
  Status PurgeHalf(const Half& half, const Work& work);
  Status PurgeOrphans(KeyspaceState& keyspace, const Work& work);
  Status PurgePage(const Half& half, std::vector<Due>& page, const Work& work);
  Result<std::vector<Due>> CollectDue(const Half& half, const Work& work, std::size_t rows_max);
  Result<std::vector<Due>> WalkDue(const Half& half, const std::string& begin, WallTime now,
                                   std::size_t rows_max) const;
  static Result<Stripe> StripeOfDue(const Half& half, MemberStripes& members,
                                    const std::string& key);
  Status LatchDue(const Half& half, std::span<Due> due,
                  std::optional<KeyLatches::Many>& latches) const;
  WallTime SettledInstant() const;
  Status RemoveDue(const Half& half, std::span<Due> due, std::optional<WallTime> reached,
                   const Work& work);
  void FinishHalf(const Half& half, const Work& work);
  std::uint64_t NoteReverts();
  Result<bool> PlanRow(CommitPlan& plan, KeyspaceState& keyspace, const Due& due) const;
  Result<bool> PlanVersion(CommitPlan& plan, KeyspaceState& keyspace, const Due& due) const;
  Result<std::optional<WallTime>> FirstDeadline(const Half& half) const;

  Store& store_;
  OrphanPurge orphans_;

  // A walk over one index, carried on from step to step. Where many rows die in one instant the
  // watermark stands still while they go, and a walk that began there each time would pass the
  // tombstones of all that went before. What others write behind it is found by the next pass; so
  // the watermark may follow a pass only up to what had settled when the pass began.
  struct Pass {
    std::string reached;  // The last entry removed; empty: none yet.
    WallTime settled;
  };
  std::map<KeyspaceId, Pass> passes_;
  std::uint64_t reverts_ = 0;  // Of the clock, when these began.
};

}  // namespace mayfly::core
