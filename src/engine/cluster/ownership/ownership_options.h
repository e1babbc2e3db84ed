// ownership_options.h - the times and bounds of ownership.
// All servers of a cluster must agree on the lease, the wait and the bound on drift.
#pragma once

#include <chrono>
#include <cstdint>

#include "mayfly/status.h"

namespace mayfly::engine::cluster {

using Nanos = std::chrono::nanoseconds;

inline constexpr std::int64_t kMillion = 1'000'000;  // Of which drift is a part.

struct OwnershipOptions {
  // How long after it sent its last renewal a server answers from memory, by its own clock.
  // Longer: survives longer hiccups of the server; a dead one is replaced later.
  Nanos lease = std::chrono::milliseconds(4000);

  // How long others must see no renewal before they end a server's incarnation, by their own clock.
  // At least TakeoverWaitMin(lease, drift_bound_ppm).
  Nanos takeover_wait = std::chrono::milliseconds(4200);

  // How far a steady clock may run from true time, in parts per million, while no read is stale.
  std::uint32_t drift_bound_ppm = 20'000;

  // A server that finds its clock this far from most others' withdraws. Half of the bound: what
  // lies between is the error of measuring.
  std::uint32_t drift_refused_ppm = 10'000;

  // Pauses between renewals, and between two reads of the whole roster.
  Nanos renew_interval = std::chrono::milliseconds(1000);
  Nanos observe_interval = std::chrono::milliseconds(700);

  // A change of its groups is renewed earlier, but no more often than this.
  Nanos early_renew_interval = std::chrono::milliseconds(250);

  // A request without reply is sent again after this, then after twice as long each time, up to the
  // longest pause. After an outage everybody must have renewed before the others' wait is over.
  Nanos request_timeout = std::chrono::milliseconds(500);
  Nanos request_pause_max = std::chrono::milliseconds(2000);

  // All pauses vary by this much around their length, so that servers do not act in step.
  std::uint32_t jitter_percent = 20;

  // Objects that the roster is spread over. More: a stalled object stops the leases of fewer
  // servers; more reads.
  std::uint32_t roster_pages = 8;

  // When this much lies between two reads of a page, the silence of its servers counts anew: the
  // store may have stalled, and then nobody is found dead.
  Nanos counted_gap_max = std::chrono::milliseconds(1400);

  // The servers that could end a silent one act in turn, this far apart.
  Nanos fence_stagger = std::chrono::milliseconds(200);
  std::uint32_t fences_in_flight_max = 8;

  // Shards that change their owner in a second, of all servers together; each has its share.
  std::uint32_t moves_per_second = 4096;
  std::uint32_t claims_in_flight_max = 64;
  std::uint32_t handovers_in_flight_max = 8;

  // A handover waits this long for what is in flight; what comes later is refused by the shard.
  Nanos drain_max = std::chrono::milliseconds(200);

  // A group that no server lists is taken after this; it may be on its way to one.
  Nanos unlisted_grace = std::chrono::milliseconds(2500);

  // Between two looks at who should have what.
  Nanos plan_interval = std::chrono::milliseconds(400);

  // A server that was fenced waits before it joins again: twice as long each time, until it has
  // lasted for rejoin_pause_max.
  Nanos rejoin_pause_first = std::chrono::milliseconds(2000);
  Nanos rejoin_pause_max = std::chrono::milliseconds(120'000);
};

// The shortest takeover_wait that is over, by any clock within the bound, only when the lease is
// over by any other: lease * (1 + bound) / (1 - bound).
Nanos TakeoverWaitMin(Nanos lease, std::uint32_t drift_bound_ppm);

// Invalid, with the option's name, when two options do not go together.
Status CheckOptions(const OwnershipOptions& options);

}  // namespace mayfly::engine::cluster
