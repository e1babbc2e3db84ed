// drop_policy.h - the interface by which compaction asks core which pairs are dead.
// The engine moves bytes and knows no rows; core knows rows and moves no files. The engine passes a
// stored pair to the policy, which returns whether it is dead, or its deadline.
// A dead pair vanishes from the newest state, and no older version beneath it comes back.
// Snapshots: an engine may drop a dead pair that an open snapshot still shows. A judge therefore
// drops only pairs that are dead at its own frozen instant, and the policy sets that instant no
// later than that of the oldest open snapshot. Threads: any, background threads of the engine
// included, several at once. Must not throw, block on the engine, or call into it.
#pragma once

#include <memory>
#include <optional>

#include "engine/address.h"
#include "mayfly/bytes.h"
#include "mayfly/clock.h"

namespace mayfly::engine {

class DropPolicy {
 public:
  // Judges the pairs of one compaction, from one thread, at one instant.
  class Judge {
   public:
    virtual ~Judge() = default;
    virtual bool IsDead(Bytes key, Bytes value) = 0;

    // True if the creator of the policy is deleting pairs such as this one by commits, as fast as it
    // can. What an engine has not written yet it need not write, if it can wait for that.
    virtual bool IsBeingPurged(Bytes /*key*/, Bytes /*value*/) { return false; }
  };

  virtual ~DropPolicy() = default;

  // Called as a compaction of `role` starts. Null: keep everything.
  virtual std::unique_ptr<Judge> NewJudge(Role role) const = 0;

  // The instant the pair dies, if it does: recorded per file, see deadline_stats.h.
  virtual std::optional<WallTime> DeadlineOf(Role role, Bytes key, Bytes value) const = 0;
};

}  // namespace mayfly::engine
