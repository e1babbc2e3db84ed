// reclaimer.h - gives the space of what was removed back to the disk.
// A purge writes tombstones; the bytes leave when files are rewritten. The engine does that when
// its levels grow, which on an idle database is never. So the reclaimer looks at what each file is
// known to hold: files in which nothing can be seen are removed unread, files with a large share of
// dead bytes are rewritten. Files of the last level may be at any time, one by one; those above,
// which the engine is about to rewrite anyway, only on a quiet database. Promises (promises.h) come
// first. What may go is decided by the horizon alone. Threads: one at a time per database.
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
  // Asked between files; true ends the work.
  using Stop = FunctionRef<bool()>;

  explicit Reclaimer(Store& store) : store_(store), started_(store.clock().Now()) {}

  // Does all there is to do.
  Result<ReclaimReport> Run(const ReclaimOptions& options);

  // What became of a step.
  enum class Outcome : std::uint8_t {
    kProgressed,  // There may be more.
    kNothing,     // There is nothing to do.
    kLater,       // There is, but not at this moment: writers come first.
  };

  // Keeps promises that are due, or deals with one file. `quiet` lets it touch upper levels.
  Result<Outcome> Step(const ReclaimOptions& options, bool quiet, Stop stop, ReclaimReport& report);

  // When a promise wants attention; WallTime::max(): none does.
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
  std::optional<std::uint64_t> removed_at_advance_;  // When all of it was published.
  std::uint64_t removed_at_flush_ = 0;
  WallTime promises_tried_;

  // Files that were made by a rewrite and still look as if they needed one: an open state keeps
  // what is in them. Not tried again before more may go, or all states that were open are gone.
  std::set<std::string> kept_by_states_;
  std::shared_ptr<const Horizon> kept_at_;  // Shared with the policy.
  std::optional<StateTicket> kept_since_;   // Nothing: no state was open.
};

}  // namespace mayfly::core
