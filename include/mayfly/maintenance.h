// maintenance.h - purging, checking, saving and counting.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"

namespace mayfly {

class Keyspace;

// Bounds of one Purge() call. It ends at the first that is reached.
struct PurgeOptions {
  std::uint64_t rows_max = UINT64_MAX;
  Millis time_max = Millis::max();
  const Keyspace* keyspace = nullptr;  // Only this one's rows. Null: those of all keyspaces.
};

struct PurgeReport {
  std::uint64_t rows = 0;  // Dead rows removed.
  // Versions removed from keyspaces ordered by timestamp: those that no read can reach any more.
  std::uint64_t versions = 0;
  std::uint64_t members = 0;    // Dead members of collections, removed.
  std::uint64_t leftovers = 0;  // Parts of collections that were deleted, replaced or dead.
  // Index entries without their row. Always 0 unless something is wrong.
  std::uint64_t stale_entries = 0;
  bool more_due = false;          // A bound was reached before the due rows ended.
  bool stopped_by_clock = false;  // Nothing dead was removed: the clock jumped, see ClockReport.
};

// How files are rewritten to give back the space of purged and deleted rows.
struct ReclaimOptions {
  // Rewrites a file when this share of its bytes is dead or deleted. Lower: less space, more
  // writing. 1 to 100.
  std::uint32_t dead_percent = 25;

  // The rate of rewriting. Files that are dead as a whole are removed unread and cost nothing. 0:
  // no bound.
  std::uint64_t bytes_per_second = 0;

  // Purges and rewrites at once, instead of within purge_within, and also for keyspaces without it.
  bool everything = false;
};

struct ReclaimReport {
  std::uint64_t files_dropped = 0;    // Unread.
  std::uint64_t files_rewritten = 0;  // Each with what lay beneath it.
  std::uint64_t bytes_rewritten = 0;  // Of the files chosen.
  // Dead or deleted rows are still in a file because an open snapshot, transaction or cursor may
  // read them. Database::Prove() names it.
  bool held_up = false;
  // The clock jumped, see ClockReport: deleted rows were reclaimed, dead ones were not.
  bool stopped_by_clock = false;
};

// How the reaper, a thread of its own, purges. It sleeps until the next deadline.
struct ReaperOptions {
  std::uint64_t step_rows_max = 1024;  // Rows between two checks of the clock and the files.
  // The share of time the reaper may purge while there is a backlog, in percent; it pauses after
  // every few rows. Twice as much when the oldest dead row has waited for 100 ms or 25,000 rows
  // wait, three times at twice that, and so on: far behind it does not pause. On an engine that
  // takes more than 6 us to remove a row, twice as much only after a minute, or after half a second
  // while rows keep dying. At least 60 while there are no writes. 100: without a pause.
  std::uint32_t work_percent = 20;

  // False: purges rows and leaves the files to the engine. Promises are not kept then.
  bool reclaim = true;
  std::uint32_t reclaim_dead_percent = 25;  // As ReclaimOptions::dead_percent.
  std::uint64_t reclaim_bytes_per_second = std::uint64_t{64} << 20;

  // Called after every few rows with the time for which there has been a backlog, pauses included;
  // at most since the reaper began. On the reaper's thread, without locks; it must not throw.
  std::function<void(std::chrono::nanoseconds)> on_progress = nullptr;
};

// The handle of a reaper's thread. Its destructor stops the thread and waits for it; in a callback
// on that thread it does not wait, and the thread ends some time after the callback: until then
// Database::Close() is Busy.
class Reaper {
 public:
  virtual ~Reaper() = default;

  // Returns once the reaper has checked the clock after this call and found nothing more to purge
  // or to reclaim. In a callback on the reaper's own thread it returns at once: the reaper cannot
  // become idle before the callback returns.
  virtual void AwaitIdle() = 0;

  // True in a callback that the reaper's thread makes: of an event or of progress.
  virtual bool IsOwnThread() const = 0;

  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

 protected:
  Reaper() = default;
};

struct CheckOptions {
  bool repair = false;  // Rebuilds index and counters from the rows.
};

struct CheckReport {
  std::uint64_t rows = 0;
  std::uint64_t entries = 0;
  std::uint64_t missing_entries = 0;  // Rows with a deadline that the index lacks.
  std::uint64_t stale_entries = 0;    // Entries whose row is gone or has another deadline.
  std::uint64_t wrong_counts = 0;     // Counters that differ from the rows.
  std::uint64_t unreadable_rows = 0;  // Rows and versions that cannot be decoded. Not repaired.
  std::uint64_t versions = 0;         // Of keyspaces ordered by timestamp, beside their rows.
  std::uint64_t stray_versions = 0;   // Of keyspaces that have none. Not repaired.
  std::uint64_t members = 0;          // Of collections, and what else they keep.
  std::uint64_t stray_members = 0;    // Of collections that are gone; no purge will remove them.
  std::uint64_t repaired = 0;
  std::vector<std::string> findings;  // The first hundred, in words.

  bool clean() const {
    return missing_entries + stale_entries + wrong_counts + unreadable_rows + stray_versions +
               stray_members ==
           0;
  }
};

// How a restore treats deadlines, given the time that passed since the backup.
enum class RestoreMode : std::uint8_t {
  kHonour,  // Deadlines are instants: rows that died meanwhile are not restored.
  kFreeze,  // Time stood still: each row has the time left that it had at the backup.
  kShift,   // Deadlines move by a given time.
  kStrip,   // No row has a deadline any more.
};

struct RestoreOptions {
  RestoreMode mode = RestoreMode::kHonour;
  Millis shift = Millis(0);  // For kShift; may be negative.
  // The password of the source at the time of the backup. Empty: the source was not encrypted, or
  // this is the same database under the same key. Used during the call only.
  Bytes password = {};
};

struct RestoreReport {
  std::uint64_t keyspaces = 0;
  std::uint64_t rows = 0;
  std::uint64_t dropped_rows = 0;  // Dead under the mode, and not restored.
  // Collections that are left out because the backup, made by a salvage, has none of their members:
  // they could not be read.
  std::uint64_t lost_collections = 0;
};

struct BackupReport {
  std::uint64_t keyspaces = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  WallTime taken_at;
  // Of a salvage: rows left out because they cannot be decoded, or are collections whose members
  // cannot be read; and members missing from collections that are in the file.
  std::uint64_t lost_rows = 0;
  std::uint64_t lost_members = 0;
};

// The time a database decides by, and how the machine's clock relates to it. The database's time
// follows the wall clock, by two rules. (1) While the wall clock reads less than the time reached,
// because it was set back or had been wrong, the database's time goes on by the steady clock; so a
// ttl of n ms is n ms, and no dead row returns. (2) After an unexplained jump ahead nothing is
// removed until the jump is confirmed or reverted. Downtime and sleep of the machine are
// explanations.
struct ClockReport {
  WallTime now;      // The database's time.
  WallTime machine;  // What the wall clock reads; less than `now` after it was set back.
  std::uint64_t steps_back = 0;     // How often it was found to be set back, since the open.
  std::uint64_t jumps_forward = 0;  // Jumps beyond the limit since the database opened.
  // A jump awaits ConfirmClock() or RevertClock(): dead rows are hidden but not removed.
  bool physical_deletion_stopped = false;
  Millis last_jump = Millis(0);
  // While deletion is stopped: what `now` would be without the jump.
  std::optional<WallTime> without_jump = std::nullopt;
};

struct KeyspaceStatistics {
  std::string name;
  std::uint64_t rows = 0;         // Stored, dead ones included.
  std::uint64_t mortal_rows = 0;  // Of these, with a deadline.
  std::uint64_t due_rows = 0;     // Dead and not yet purged.
  Millis lag = Millis(0);         // How long the oldest of those has been dead.
  std::uint64_t due_members = 0;  // Of collections: dead and not yet purged; 10,000: or more.
  // Collections of which a member has a deadline; dead ones included.
  std::uint64_t collections_with_mortal_members = 0;
  std::uint64_t orphans = 0;  // Collections that are gone and whose members are not yet removed.
  std::optional<Millis> purge_within = std::nullopt;  // The promise, if there is one.
  WallTime purged_through = {};                       // How far it is fulfilled: see KeyspaceProof.
  // How overdue the oldest remaining bytes are, counted from when the promise was made at the
  // earliest, and without a jump of the clock that awaits its decision. 0: the promise is kept.
  Millis promise_overdue = Millis(0);
};

struct Statistics {
  std::vector<KeyspaceStatistics> keyspaces;
  std::uint64_t purged_rows = 0;          // By whatever means, since the database opened.
  std::uint64_t purged_by_reads = 0;      // Of these, by reads.
  std::uint64_t purged_members = 0;       // Dead members of collections.
  std::uint64_t removed_collections = 0;  // Dead or deleted ones whose members are all removed.
  std::uint64_t stale_entries = 0;        // Found by purges.
  std::uint64_t clamped_lifetimes = 0;
  std::uint64_t conflicts = 0;     // Commits that failed with Conflict.
  std::uint64_t events_first = 0;  // Sequence of the oldest event kept; 0: none.
  std::uint64_t events_last = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t open_snapshots = 0;  // Of the engine: transactions and cursors hold one each.
  std::uint64_t revoked_states = 0;  // See DatabaseOptions::state_age_max.
  std::uint64_t files_dropped = 0;   // By reclaiming, since the database opened.
  std::uint64_t files_rewritten = 0;
  std::uint64_t bytes_rewritten = 0;
  // How often a read failed because a file is damaged, since the database opened, and the first
  // message. Rows in sound files are served all the same.
  std::uint64_t damage_seen = 0;
  std::string first_damage = {};
  // With DatabaseOptions::salvage: what has been given up so far, the first hundred places, in
  // words.
  std::vector<std::string> given_up = {};
  // Writes that add bytes are refused because the disk is full; see
  // DatabaseOptions::disk_reserve_bytes.
  bool disk_full = false;
  // The number of the last commit that is shown; 0 in memory. Grows with commits, not always by one.
  // Of a reader beside a writer: the writer's own number, read before, less this one is the reader's
  // lag. A read of the reader first shows all that was acknowledged before it, and so does this call.
  std::uint64_t last_commit = 0;
  ClockReport clock;
};

}  // namespace mayfly
