#include "core/reclaim/reclaimer.h"

#include <algorithm>

#include "core/layout/limits.h"
#include "core/reclaim/file_removal.h"
#include "core/reclaim/promises.h"

namespace mayfly::core {
namespace {

constexpr engine::Role kRoles[] = {engine::Role::kExpiry, engine::Role::kRows,
                                   engine::Role::kMembers};

}  // namespace

Result<ReclaimReport> Reclaimer::Run(const ReclaimOptions& options, Stop stop) {
  MAYFLY_RETURN_IF_ERROR(store_.CheckOpen());
  MAYFLY_RETURN_IF_ERROR(store_.CheckWritable());
  if (options.dead_percent == 0 || options.dead_percent > 100) {
    return Status::Invalid("dead_percent must be 1 to 100");
  }
  MAYFLY_RETURN_IF_ERROR(store_.CheckNotReclaiming());
  const std::lock_guard alone(store_.reclaim_mutex());
  ReclaimReport report;
  if (options.everything) {
    RevokeOldStates();
    MAYFLY_RETURN_IF_ERROR(
        Promises(store_, started_)
            .Keep(store_.catalog().AllWithDropped(), options.bytes_per_second, stop, report));
  }
  for (std::size_t looks = 0; !stop();) {
    MAYFLY_TRY(const Outcome outcome, Step(options, /*quiet=*/true, stop, report));
    if (outcome == Outcome::kProgressed) {
      looks = 0;
    } else if (outcome == Outcome::kBusy && looks++ < kBusyFileLooksMax) {
      Waker().WaitFor(kBusyFilePause);
    } else {
      return report;
    }
  }
  return Status::Conflict("ended by the caller; what was reclaimed by then stays reclaimed");
}

Result<Reclaimer::Outcome> Reclaimer::Step(const ReclaimOptions& options, bool quiet, Stop stop,
                                           ReclaimReport& report) {
  RevokeOldStates();
  // Deleted rows are reclaimed all the same; dead ones are not purged, and no horizon covers them.
  report.stopped_by_clock = report.stopped_by_clock || !store_.clock().may_delete();
  MAYFLY_TRY(const Outcome promised, KeepPromises(options, stop, report));
  if (promised == Outcome::kProgressed) return promised;
  MAYFLY_RETURN_IF_ERROR(AdvanceHorizon(report));
  if (quiet) {
    MAYFLY_TRY(const Outcome flushed, FlushIfWorthWhile());
    if (flushed == Outcome::kProgressed) return flushed;
  }
  MAYFLY_TRY(const engine::EngineStats stats, store_.engine().Stats());
  if (stats.commits_held_back) return Outcome::kLater;
  return ReclaimFile(options, quiet, report);
}

WallTime Reclaimer::NextDue() const {
  // Time may have been reverted since the last try; then its instant means nothing.
  const bool in_future = promises_tried_ > store_.clock().Now();
  return Promises(store_, started_).NextDue(in_future ? WallTime() : promises_tried_);
}

Result<Reclaimer::Outcome> Reclaimer::KeepPromises(const ReclaimOptions& options, Stop stop,
                                                   ReclaimReport& report) {
  const WallTime now = store_.clock().Now();
  if (NextDue() > now) return Outcome::kNothing;
  Promises promises(store_, started_);
  const auto due = promises.Due(now);
  promises_tried_ = now;
  MAYFLY_RETURN_IF_ERROR(promises.Keep(due, options.bytes_per_second, stop, report));
  return Outcome::kProgressed;
}

Status Reclaimer::AdvanceHorizon(ReclaimReport& report) {
  const SteadyTime steady = store_.clock().Steady();
  if (advanced_at_ && steady - *advanced_at_ < kHorizonPause) return {};
  // Watermarks rise with time. If nothing was removed since, a new horizon would not help
  // compaction, and cost an fsync.
  const std::uint64_t removed = store_.counts().removed_rows;
  if (removed == removed_at_advance_ &&
      store_.horizon().horizon()->KnowsTheKeyspacesOf(store_.catalog())) {
    return {};
  }
  advanced_at_ = steady;
  MAYFLY_TRY(const bool all,
             store_.horizon().Advance(store_.catalog(), store_.states(), store_.engine()));
  if (all) removed_at_advance_ = removed;
  report.held_up = report.held_up || !all;
  return {};
}

Result<Reclaimer::Outcome> Reclaimer::FlushIfWorthWhile() {
  const std::uint64_t removed = store_.counts().removed_rows;
  if (removed - removed_at_flush_ < kFlushAfterRows) return Outcome::kNothing;
  MAYFLY_RETURN_IF_ERROR(store_.engine().Flush());
  removed_at_flush_ = removed;
  return Outcome::kProgressed;
}

Result<Reclaimer::Outcome> Reclaimer::ReclaimFile(const ReclaimOptions& options, bool quiet,
                                                  ReclaimReport& report) {
  const auto horizon = store_.horizon().horizon();
  const DeadFiles dead(*horizon);
  if (kept_at_ != horizon || (kept_since_ && store_.states().AllSince(*kept_since_))) {
    kept_by_states_.clear();
    kept_since_.reset();
  }
  Outcome outcome = Outcome::kNothing;
  for (const engine::Role role : kRoles) {
    MAYFLY_TRY(const auto files, store_.engine().Files(role));
    const int last_level = LastLevelOf(files);
    FileRemoval removal(store_, report);
    // Dropped before the tombstones above them are rewritten, which would read them.
    for (const engine::FileInfo& file : files) {
      if (file.level != last_level || !dead.IsWhollyDead(file)) continue;
      MAYFLY_TRY(const bool dropped, removal.Drop(role, file));
      if (dropped) return Outcome::kProgressed;
    }
    for (const engine::FileInfo& file : files) {
      if (kept_by_states_.contains(file.name)) continue;
      if (!dead.IsWhollyDead(file) && dead.DeadPercent(file) < options.dead_percent) continue;
      if (file.level != last_level && !quiet) {
        if (outcome == Outcome::kNothing) outcome = Outcome::kLater;
        continue;
      }
      MAYFLY_TRY(const bool done, removal.Rewrite(role, file, options.bytes_per_second));
      if (!done) {
        // What it holds, or hides in files beneath it, goes to the files of that compaction.
        outcome = Outcome::kBusy;
        continue;
      }
      // A new file that still holds dead bytes is kept by an open state: one try is enough.
      MAYFLY_TRY(const auto after, store_.engine().Files(role));
      for (const engine::FileInfo& left : after) {
        const bool overlaps = left.first_key <= file.last_key && file.first_key <= left.last_key;
        if (overlaps && dead.DeadPercent(left) >= options.dead_percent) {
          kept_by_states_.insert(left.name);
          kept_at_ = horizon;
          const StateTicket mark = store_.states().Mark();
          if (!store_.states().AllSince(mark)) kept_since_ = mark;
        }
      }
      return Outcome::kProgressed;
    }
  }
  return outcome;
}

void Reclaimer::RevokeOldStates() {
  const WallTime now = store_.clock().Now();
  // This reading of the clock may be a jump, by which all states seem old.
  if (!store_.options().state_age_max || !store_.clock().may_delete()) return;
  store_.counts().revoked_states +=
      store_.states().RevokeBefore(now - *store_.options().state_age_max, now);
}

}  // namespace mayfly::core
