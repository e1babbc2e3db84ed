// purger.h - gives back the space of dead rows, in bounded steps.
// Readers hide the dead by themselves, so a purge changes disk usage and nothing a client sees. It
// may lag, stop, or repeat a step without harm. A step rereads each row under its key latch: if the
// row still carries the entry's deadline, both go in one batch; if not, the entry goes alone.
// Without the latch, a deadline extended between the reread and the delete would be lost with its
// row. Versions of keyspaces ordered by timestamp, and members of collections, have a range of the
// index of their own and go the same way, versions without events.
// Rows, members and leftovers of collections take turns, those of each keyspace for themselves, so
// that a death waits for one turn of every other and not for all that died before it. Whose turn it
// is outlasts a purge that ends at its bound, and all purgers share it.
// Threads: any number of purgers at once, each of one thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/layout/limits.h"
#include "core/reclaim/due_walk.h"
#include "core/reclaim/member_purge.h"
#include "core/reclaim/orphan_purge.h"
#include "core/store/store.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

// How a purge goes about it. Small batches hold latches and the log for a shorter time, and cost
// more per row.
struct PurgeManner {
  std::size_t batch_rows_max = kPurgeBatchRowsMax;
  // All rows of a batch share one, where their order tells nobody anything. Reads far ahead to find
  // such: for a purger that goes on.
  bool one_latch = false;
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

  // The most rows of one keyspace that waited, where they were so many that they were counted,
  // since this was last asked.
  std::uint64_t TakeBacklog() { return std::exchange(backlog_, 0); }

  // Whether something of a collection that is gone is left to remove.
  bool HasOrphans() const;

 private:
  // What takes turns.
  enum class Kind : std::uint8_t { kRows, kMembers, kOrphans };
  struct Turn {
    KeyspaceState* keyspace;
    Kind kind;

    // In the order in which turns are taken.
    std::uint64_t place() const {
      return (std::uint64_t{keyspace->id()} << 8) | static_cast<std::uint64_t>(kind);
    }
    IndexHalf half() const { return {*keyspace, kind == Kind::kMembers}; }
  };

  // What one Purge() may do, and has done.
  struct Job {
    const PurgeOptions& options;
    const PurgeManner& manner;
    WallTime now;
    WallTime settled;
    SteadyTime end;
    PurgeReport& report;
    std::uint64_t reverts;  // Of the clock: `now` and `settled` mean nothing after another one.
  };

  static std::vector<Turn> TurnsOf(KeyspaceState& keyspace, bool stopped_by_clock);
  Status TakeTurns(std::vector<Turn> turns, const Job& job);
  // False: nothing more is due there.
  Result<bool> Take(const Turn& turn, const Job& job);
  Result<bool> PurgeSome(const IndexHalf& half, const Job& job);
  Result<bool> PurgeOrphans(KeyspaceState& keyspace, const Job& job);
  // Whether another batch may be begun; notes in the report if not, though something is due.
  bool MayGoOn(const Job& job) const;
  Status LatchDue(const IndexHalf& half, std::span<Due> due,
                  std::optional<KeyLatches::Many>& latches) const;
  Status RemoveDue(const IndexHalf& half, std::span<Due> due, std::optional<WallTime> reached,
                   const Job& job);
  void FinishHalf(const IndexHalf& half, const Job& job);
  std::uint64_t NoteReverts();
  Result<bool> PlanRow(CommitPlan& plan, KeyspaceState& keyspace, const Due& due) const;
  Result<bool> PlanVersion(CommitPlan& plan, KeyspaceState& keyspace, const Due& due) const;

  Store& store_;
  OrphanPurge orphans_;
  std::map<KeyspaceId, DueWalk> walks_;  // By index.
  std::uint64_t reverts_ = 0;            // Of the clock, when these began.
  std::uint64_t backlog_ = 0;
};

}  // namespace mayfly::core
