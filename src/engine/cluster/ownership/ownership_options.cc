#include "engine/cluster/ownership/ownership_options.h"

#include "engine/cluster/ownership/limits.h"

namespace mayfly::engine::cluster {

Nanos TakeoverWaitMin(Nanos lease, std::uint32_t drift_bound_ppm) {
  const std::int64_t slow = kMillion - drift_bound_ppm;
  const std::int64_t fast = kMillion + drift_bound_ppm;
  return Nanos((lease.count() / slow + 1) * fast);  // Rounded up.
}

Status CheckOptions(const OwnershipOptions& options) {
  if (options.lease <= Nanos(0)) return Status::Invalid("lease must be positive");
  if (options.drift_bound_ppm >= kMillion / 10) {
    return Status::Invalid("drift_bound_ppm must be less than 100000");
  }
  if (options.drift_refused_ppm == 0 || options.drift_refused_ppm * 2 > options.drift_bound_ppm) {
    return Status::Invalid(
        "drift_refused_ppm must be positive, and at most half of drift_bound_ppm");
  }
  if (options.takeover_wait < TakeoverWaitMin(options.lease, options.drift_bound_ppm)) {
    return Status::Invalid("takeover_wait is too short for the lease and the bound on drift");
  }
  if (options.renew_interval * 2 >= options.lease) {
    return Status::Invalid("renew_interval must be less than half of the lease");
  }
  if (options.observe_interval * 2 >= options.takeover_wait) {
    return Status::Invalid("observe_interval must be less than half of takeover_wait");
  }
  if (options.request_timeout <= Nanos(0) || options.request_pause_max < options.request_timeout ||
      options.request_pause_max * 2 > options.takeover_wait) {
    return Status::Invalid(
        "request_pause_max must not be less than request_timeout, nor more than half of "
        "takeover_wait");
  }
  if (options.counted_gap_max < options.observe_interval) {
    return Status::Invalid("counted_gap_max must not be less than observe_interval");
  }
  if (options.jitter_percent > 50) return Status::Invalid("jitter_percent must not be above 50");
  if (options.roster_pages == 0 || options.roster_pages > kRosterPagesMax) {
    return Status::Invalid("roster_pages must be between 1 and 64");
  }
  if (options.moves_per_second == 0 || options.claims_in_flight_max == 0 ||
      options.handovers_in_flight_max == 0 || options.fences_in_flight_max == 0) {
    return Status::Invalid("a bound on moves, claims, handovers or fences is 0");
  }
  if (options.unlisted_grace < options.renew_interval * 2) {
    return Status::Invalid("unlisted_grace must be at least twice renew_interval");
  }
  return Status::Ok();
}

}  // namespace mayfly::engine::cluster
