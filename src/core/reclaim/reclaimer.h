// reclaimer.h - gives the disk space of removed rows back.
// A purge writes tombstones; the bytes leave when files are rewritten. The engine does that when
// its levels grow, which on an idle database is never. So the reclaimer reads the properties of
// each file: files with nothing visible are removed unread, files with a large share of dead bytes
// are rewritten. Files of the last level are rewritten at any time, one by one; those above, which
// the engine will rewrite anyway, only on a quiet database. Promises (promises.h) come first. The
// horizon alone decides what may go. Threads: one at a time per database.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/function_ref.h"
#include "core/reclaim/file_choice.h"
#include "core/store/store.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

class Reclaimer {
 public:
  // Called between files; true ends the work.
  using Stop = FunctionRef<bool()>;

  explicit Reclaimer(Store& store) : store_(store), started_(store.clock().Now()) {}

  // Reclaims until nothing is left to do. Waits for compactions of the engine's own that are in the
  // way, though not for ever. Conflict: `stop` ended it.
  Result<ReclaimReport> Run(const ReclaimOptions& options, Stop stop);

  // The outcome of a step.
  enum class Outcome : std::uint8_t {
    kProgressed,  // There may be more.
    kNothing,     // There is nothing to do.
    kLater,       // There is something to do, but writers come first now.
    kBusy,        // There is something to do once a compaction of the engine's own has ended.
  };

  // Keeps promises that are due, or reclaims one file. `quiet` lets it touch upper levels.
  Result<Outcome> Step(const ReclaimOptions& options, bool quiet, Stop stop, ReclaimReport& report);

  // When a promise needs a round; WallTime::max(): none does.
  WallTime NextDue() const;

 private:
  Result<Outcome> KeepPromises(const ReclaimOptions& options, Stop stop, ReclaimReport& report);
  Status AdvanceHorizon(ReclaimReport& report);
  Result<Outcome> FlushIfWorthWhile();
  Result<Outcome> ReclaimFile(const ReclaimOptions& options, bool quiet, ReclaimReport& report);
  void RevokeOldStates();

  Store& store_;
  const WallTime started_;
  std::optional<SteadyTime> advanced_at_;
  std::optional<std::uint64_t> removed_at_advance_;  // Set when the whole horizon was published.
  std::uint64_t removed_at_flush_ = 0;
  WallTime promises_tried_;

  // Files that a rewrite made and that still seem to need one: an open state keeps their dead
  // bytes. Not tried again until the horizon advances, or all states that were open are gone.
  std::set<std::string> kept_by_states_;
  std::shared_ptr<const Horizon> kept_at_;  // Shared with the policy.
  std::optional<StateTicket> kept_since_;   // Nothing: no state was open.
};

}  // namespace mayfly::core
