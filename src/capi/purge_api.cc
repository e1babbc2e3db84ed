// Implements purging, the reaper, reclaiming and the clock of c.h.
#include <fmt/format.h>

#include "capi/handles.h"
#include "capi/structs.h"

namespace mayfly::capi {
namespace {

Status CheckNotOwnThread(const mayfly_reaper& reaper, const char* what) {
  if (!reaper.reaper->IsOwnThread()) return {};
  return Status::Invalid(fmt::format(
      "a callback on the reaper's own thread cannot {}; do it on another thread", what));
}

}  // namespace
}  // namespace mayfly::capi

using namespace mayfly;        // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::capi;  // NOLINT(google-build-using-namespace)

int mayfly_purge(mayfly_database* database, const mayfly_purge_options* options,
                 mayfly_purge_report* report) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_RETURN_IF_ERROR(CheckFillable(report, true, "the report"));
    MAYFLY_TRY(const mayfly_purge_options asked, TakeStruct(options, "the purge's options"));
    PurgeOptions wanted;
    if (asked.rows_max != 0) wanted.rows_max = asked.rows_max;
    if (asked.time_max_ms != 0) wanted.time_max = Millis(asked.time_max_ms);
    if (asked.keyspace != nullptr) {
      if (asked.keyspace->owner->shared != database->shared) {
        return Status::Invalid("the keyspace is of another database; open it in this one");
      }
      wanted.keyspace = &**asked.keyspace;
    }
    MAYFLY_TRY(const PurgeReport done, (*database)->Purge(wanted));
    Fill(report, mayfly_purge_report{.size = 0,
                                     .rows = done.rows,
                                     .stale_entries = done.stale_entries,
                                     .more_due = done.more_due,
                                     .stopped_by_clock = done.stopped_by_clock});
    return {};
  });
}

int mayfly_start_reaper(mayfly_database* database, const mayfly_reaper_options* options,
                        mayfly_reaper** reaper) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(reaper, "the place for the reaper"));
    *reaper = nullptr;
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_TRY(const mayfly_reaper_options asked, TakeStruct(options, "the reaper's options"));
    ReaperOptions wanted;
    if (asked.step_rows_max != 0) wanted.step_rows_max = asked.step_rows_max;
    if (asked.work_percent != 0) wanted.work_percent = asked.work_percent;
    wanted.reclaim = !asked.no_reclaim;
    if (asked.reclaim_dead_percent != 0) wanted.reclaim_dead_percent = asked.reclaim_dead_percent;
    if (asked.reclaim_bytes_per_second != 0) {
      wanted.reclaim_bytes_per_second = asked.reclaim_bytes_per_second;
    }
    MAYFLY_TRY(auto started, (*database)->StartReaper(wanted));
    *reaper = NewHandle(mayfly_reaper{database->shared, std::move(started)});
    return {};
  });
}

int mayfly_await_idle(mayfly_reaper* reaper) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(reaper, "the reaper"));
    MAYFLY_RETURN_IF_ERROR(CheckNotOwnThread(*reaper, "wait for the reaper"));
    reaper->reaper->AwaitIdle();
    return {};
  });
}

int mayfly_stop_reaper(mayfly_reaper* reaper) noexcept {
  return Guard([&]() -> Status {
    if (reaper == nullptr) return {};
    MAYFLY_RETURN_IF_ERROR(CheckNotOwnThread(*reaper, "stop the reaper"));
    delete reaper;
    return {};
  });
}

int mayfly_reclaim(mayfly_database* database, const mayfly_reclaim_options* options,
                   mayfly_reclaim_report* report) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_RETURN_IF_ERROR(CheckFillable(report, true, "the report"));
    MAYFLY_TRY(const mayfly_reclaim_options asked, TakeStruct(options, "the reclaim's options"));
    ReclaimOptions wanted{.bytes_per_second = asked.bytes_per_second,
                          .everything = asked.everything};
    if (asked.dead_percent != 0) wanted.dead_percent = asked.dead_percent;
    MAYFLY_TRY(const ReclaimReport done, (*database)->Reclaim(wanted));
    Fill(report, mayfly_reclaim_report{.size = 0,
                                       .files_dropped = done.files_dropped,
                                       .files_rewritten = done.files_rewritten,
                                       .bytes_rewritten = done.bytes_rewritten,
                                       .held_up = done.held_up,
                                       .stopped_by_clock = done.stopped_by_clock});
    return {};
  });
}

int mayfly_get_clock_report(mayfly_database* database, mayfly_clock_report* report) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_RETURN_IF_ERROR(CheckFillable(report, false, "the report"));
    const ClockReport now = (*database)->clock_report();
    Fill(report, mayfly_clock_report{.size = 0,
                                     .now_ms = ToMs(now.now),
                                     .machine_ms = ToMs(now.machine),
                                     .steps_back = now.steps_back,
                                     .jumps_forward = now.jumps_forward,
                                     .physical_deletion_stopped = now.physical_deletion_stopped,
                                     .last_jump_ms = now.last_jump.count(),
                                     .without_jump_ms = ToMs(now.without_jump.value_or(now.now))});
    return {};
  });
}

int mayfly_confirm_clock(mayfly_database* database) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    return (*database)->ConfirmClock();
  });
}

int mayfly_revert_clock(mayfly_database* database) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    return (*database)->RevertClock();
  });
}
