// promises.h - keeps the promise of purge_within: no byte is left that long after it died, or was
// deleted or overwritten. A keyspace knows since when such bytes may lie in files (removing_since),
// and whether some lie beneath newer versions, where nothing in a file shows them. Half of the
// promise later a round begins, which has the other half for its work:
//   purge what is due; trim old events; publish the horizon; write memory out, which empties the
//   log; rewrite every file that holds something dead or a tombstone, or something over or beneath
//   which another version may lie, down to the last level; note how far it is done; write that out,
//   too, which leaves a fresh log and manifest.
// Places: docs/promises.md lists every one in which a byte can lie, and what clears it.
// While the clock is not trusted a round purges no dead rows and promises nothing about them; bytes
// that callers deleted or overwrote are removed all the same.
// Bytes that an open state shows stay, and then the round does not count: it is tried again, and
// Database::Prove() reports the state.
#pragma once

#include <memory>
#include <vector>

#include "base/function_ref.h"
#include "core/store/drop_horizon.h"
#include "core/store/store.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

class Promises {
 public:
  using Keyspaces = std::vector<std::shared_ptr<KeyspaceState>>;
  using Stop = FunctionRef<bool()>;

  // Late promises are logged. Time before `counts_from` does not count for that: promises could not
  // be kept then, and what a crashed run left is unknown.
  Promises(Store& store, WallTime counts_from) : store_(store), counts_from_(counts_from) {}

  // When the first promise needs a round; WallTime::max(): none does. After a round that failed,
  // not at once again.
  WallTime NextDue(WallTime last_try) const;

  // The keyspaces that need a round now.
  Keyspaces Due(WallTime now) const;

  // Runs a round for these keyspaces, with or without a promise.
  Status Keep(const Keyspaces& keyspaces, std::uint64_t bytes_per_second, Stop stop,
              ReclaimReport& report);

  // The earliest end of a row whose bytes may still be left; WallTime::max(): there is none.
  // `first_due` is the deadline of the oldest dead row that is not purged yet, if any.
  static Result<WallTime> LeftSince(const Store& store, const KeyspaceState& keyspace,
                                    std::optional<WallTime> first_due, WallTime now);

  // How late the promise is; 0: it is kept. As LeftSince(), but rows that only a jump of the clock
  // makes dead do not count, nor does the length of the jump.
  static Result<Millis> Overdue(const Store& store, const KeyspaceState& keyspace,
                                std::optional<WallTime> first_due, const ClockReport& clock);

  // Everything that was dead or deleted at this instant is gone from files, logs and events.
  static WallTime PurgedThrough(const KeyspaceState& keyspace, WallTime left_since, WallTime now);

 private:
  // One keyspace in a round; what holds for it when the files are done.
  struct KeyspaceRound {
    std::shared_ptr<KeyspaceState> keyspace;
    WallTime since;  // When the bytes it removes ended.
    // Nothing: dead rows were not purged, because the clock is not trusted.
    std::optional<WallTime> through;
    bool dropped;  // When the round began.
  };

  // True when nothing is left that should be gone.
  Result<bool> Round(const Keyspaces& keyspaces, std::uint64_t bytes_per_second, Stop stop,
                     ReclaimReport& report, std::vector<KeyspaceRound>& rounds);
  Status Begin(KeyspaceRound& round);
  // Leaves files with only commits after `last_commit` to the next round.
  Result<bool> RewriteFiles(engine::Role role, const Keyspaces& keyspaces,
                            std::uint64_t last_commit, std::uint64_t bytes_per_second, Stop stop,
                            ReclaimReport& report);
  Result<bool> AwaitDeletions(Stop stop);
  Status Record(const std::vector<KeyspaceRound>& rounds);
  void LogLate(const KeyspaceRound& round, bool done) const;

  Store& store_;
  const WallTime counts_from_;
};

}  // namespace mayfly::core
