// promises.h - keeps what purge_within promises: no byte is left that long after it was deleted,
// written over, or died. A keyspace knows since when such bytes may lie in files (removing_since),
// and whether some lie beneath newer versions, where nothing in a file shows them. Half of the
// promise later a round begins, which leaves the other half for its work:
//   purge what is due; trim old events; publish the horizon; write memory out, which empties the
//   log; rewrite every file that holds something dead or a tombstone, or something over or beneath
//   which another version may lie, down to the last level; note how far it is done; write that out,
//   too, which leaves a fresh log and manifest.
// Places: docs/promises.md lists every one in which a byte can lie, and who clears it.
// While the clock is not trusted it purges nothing that died and says nothing of it; what callers
// deleted or wrote over leaves all the same.
// What an open state shows stays, and then the round does not count: it is tried again, and
// Database::Prove() says who is in the way.
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

  // The log tells of promises that are late. Time before `counts_from` does not count there: nobody
  // could keep them, and what a run that crashed left is not known.
  Promises(Store& store, WallTime counts_from) : store_(store), counts_from_(counts_from) {}

  // When the first promise wants a round; WallTime::max(): none does. After a round that did not
  // succeed, not at once again.
  WallTime NextDue(WallTime last_try) const;

  // Those that want one now.
  Keyspaces Due(WallTime now) const;

  // A round for these keyspaces, with or without a promise.
  Status Keep(const Keyspaces& keyspaces, std::uint64_t bytes_per_second, Stop stop,
              ReclaimReport& report);

  // The earliest end of a row of which bytes may be left though it is over; WallTime::max(): there
  // is none. `first_due` is the deadline of the oldest dead row that nobody has purged, if any.
  static Result<WallTime> LeftSince(const Store& store, const KeyspaceState& keyspace,
                                    std::optional<WallTime> first_due, WallTime now);

  // How late the promise is; 0: it is kept. As LeftSince(), but what only a jump of the clock calls
  // dead does not count, nor does its length.
  static Result<Millis> Overdue(const Store& store, const KeyspaceState& keyspace,
                                std::optional<WallTime> first_due, const ClockReport& clock);

  // The instant by which everything dead or deleted is gone from files, logs and events.
  static WallTime PurgedThrough(const KeyspaceState& keyspace, WallTime left_since, WallTime now);

 private:
  // What a round can claim for a keyspace when its files are done.
  struct Claim {
    std::shared_ptr<KeyspaceState> keyspace;
    WallTime since;  // When what it deals with ended.
    // Nothing: the clock kept it from purging what had died.
    std::optional<WallTime> through;
    bool dropped;  // When the round began.
  };

  // True when nothing is left that should be gone.
  Result<bool> Round(const Keyspaces& keyspaces, std::uint64_t bytes_per_second, Stop stop,
                     ReclaimReport& report, std::vector<Claim>& claims);
  Status Begin(Claim& claim);
  // Files that hold nothing but what was committed after `last_commit` are the next round's.
  Result<bool> RewriteFiles(engine::Role role, const Keyspaces& keyspaces,
                            std::uint64_t last_commit, std::uint64_t bytes_per_second, Stop stop,
                            ReclaimReport& report);
  Result<bool> AwaitDeletions(Stop stop);
  Status Record(const std::vector<Claim>& claims);
  void TellLate(const Claim& claim, bool done) const;

  Store& store_;
  const WallTime counts_from_;
};

}  // namespace mayfly::core
