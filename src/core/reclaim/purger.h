// purger.h - removes dead rows from the newest state, in bounded steps.
// Readers hide the dead by themselves, so a purge changes disk usage and nothing a client sees. It
// may lag, stop, or repeat a step without harm. A step rereads each row under its key latch: if the
// row still carries the entry's deadline, both go in one batch; if not, the entry goes alone.
// Without the latch, a deadline extended between the reread and the delete would be lost with its
// row. Versions of keyspaces ordered by timestamp, and members of collections, have a range of the
// index of their own and are removed in the same way, versions without events.
// Rows, members and orphans take turns, for each keyspace separately, so that a dead row waits for
// one turn of each of the others and not for all that died before it. Whose turn it is outlasts a
// purge that ends at its bound, and all purgers share it.
// Threads: any number of purgers at once, each used by one thread.
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
#include "core/reclaim/reaper_pace.h"
#include "core/store/store.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

// How a purge removes rows. Small batches hold latches and the log for a shorter time, and cost
// more per row.
struct PurgePace {
  std::size_t batch_rows_max = kPurgeBatchRowsMax;
  // All rows of a batch share one latch, unless events show their order. Reads far ahead to find
  // such rows: for a purger that continues.
  bool one_latch = false;
  // Called after each batch; may sleep. No latch is held.
  std::function<void(const ReaperPace::Step&)> rest = nullptr;
};

class Purger {
 public:
  explicit Purger(Store& store) : store_(store), orphans_(store) {}

  // Purges all keyspaces, or the one named, up to the bounds. Nothing is removed while the clock is
  // not trusted, nor what died after the limit that other clocks set.
  Result<PurgeReport> Purge(const PurgeOptions& options, const PurgePace& pace = {});

  // Purges a keyspace completely, waiting for writes under way: afterwards no row that was dead at
  // the call is in the newest state, and the watermarks have risen accordingly. While the clock is
  // not trusted only orphans are removed.
  Status PurgeAll(KeyspaceState& keyspace);

  // The earliest deadline in the index; nothing when no row has one.
  Result<std::optional<WallTime>> NextDeadline() const;

  // The largest number of rows of one keyspace that waited for their purge since the last call;
  // only numbers large enough to be counted.
  std::uint64_t TakeBacklog() { return std::exchange(backlog_, 0); }

  // How many rows at least were due in the last count and have not been removed since. 0 when they
  // were too few to be counted.
  std::uint64_t due_rows() const { return due_rows_; }

  // Whether there are orphans to remove.
  bool HasOrphans() const;

 private:
  // The kinds of work that take turns.
  enum class Kind : std::uint8_t { kDueRows, kDueMembers, kOrphans };
  struct Turn {
    KeyspaceState* keyspace;
    Kind kind;

    // In the order in which turns are taken.
    std::uint64_t place() const {
      return (std::uint64_t{keyspace->id()} << 8) | static_cast<std::uint64_t>(kind);
    }
    IndexHalf half() const { return {*keyspace, kind == Kind::kDueMembers}; }
  };

  // The bounds and the progress of one Purge().
  struct Run {
    const PurgeOptions& options;
    const PurgePace& pace;
    WallTime now;  // Or, if that is earlier, up to when other clocks allow removal.
    WallTime stable;
    SteadyTime end;
    PurgeReport& report;
    std::uint64_t reverts;  // Of the clock: after another one `now` and `stable` are void.
  };

  static std::vector<Turn> TurnsOf(KeyspaceState& keyspace, bool stopped_by_clock);
  Status TakeTurns(std::vector<Turn> turns, const Run& run);
  // False: nothing more is due in this turn.
  Result<bool> Take(const Turn& turn, const Run& run);
  Result<bool> PurgeSome(const IndexHalf& half, const Run& run);
  static DueWalk::Request PageOf(const IndexHalf& half, const Run& run, std::uint64_t left);
  Status CountDue(const IndexHalf& half, const DueWalk& walk);
  Result<bool> PurgeOrphans(KeyspaceState& keyspace, const Run& run);
  // Whether another batch may begin. If not, notes in the report that more is due.
  bool MayGoOn(const Run& run) const;
  Status LatchDue(const IndexHalf& half, std::span<Due> due,
                  std::optional<KeyLatches::Many>& latches) const;
  // The caller delivers the events, which no latch may wait for.
  Status RemoveDue(const IndexHalf& half, std::span<Due> due, std::optional<WallTime> reached,
                   const Run& run, std::vector<Event>& events);
  void FinishHalf(const IndexHalf& half, const Run& run);
  static void Raise(const IndexHalf& half, WallTime to);
  std::uint64_t NoteReverts();
  Result<bool> PlanDue(const IndexHalf& half, const Due& due, CommitPlan& plan,
                       MemberPurge& members) const;
  Result<bool> PlanStaleEntry(const IndexHalf& half, const Due& due, CommitPlan& plan) const;
  Result<bool> PlanRow(CommitPlan& plan, KeyspaceState& keyspace, const Due& due) const;
  Result<bool> PlanVersion(CommitPlan& plan, KeyspaceState& keyspace, const Due& due) const;

  Store& store_;
  OrphanPurge orphans_;
  std::map<KeyspaceId, DueWalk> walks_;  // By index.
  std::uint64_t reverts_ = 0;            // Of the clock, when walks_ began.
  std::uint64_t backlog_ = 0;
  std::uint64_t due_rows_ = 0;
};

}  // namespace mayfly::core
