// clock_comparison.h - this server's wall clock beside those of the other servers.
// A deadline is judged by the owner of its shard alone, by its own clock. If that is ahead, rows are
// hidden too early, which can be taken back; it must not remove them too early, which cannot. So
// removal is limited by what most clocks show, and a bound on skew that is set.
//
// Another server's clock is known as an interval: it showed what it says between our question and
// its answer, as network time protocols have it. Clocks are kept as leads, wall time less our steady
// time, so that setting our own clock changes nothing that is known of the others. Readings that
// agree narrow the interval; it widens as time passes; one that contradicts replaces it.
//
//   leads of the others, unknown ones first:   p0 <= p1 <= ... ; k = half of their number
//   agreed lead = ours, but at least p(k-1) and at most p(k): the (lower) median of all clocks
//   removal reaches to: steady time + agreed lead + bound
//
// Invariants:
// (1) Of two clocks the earlier one is agreed on: which of them is wrong cannot be known, and late
//     removal does no harm. Of three and more, one wrong clock alone changes nothing for the others.
// (2) Nothing is removed while more than half of all clocks, ours included, are unknown; with two
//     servers, while the other's is.
// Safe to call from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/clock/removal_limit.h"
#include "mayfly/clock.h"
#include "server/shards/cluster_health.h"

namespace mayfly::cluster {

class ClockComparison final : public core::RemovalLimit {
 public:
  // `clock`: ours. `bound_ms`: the skew that is allowed. Both must outlive this. Until peers are set
  // nothing may be removed.
  ClockComparison(const Clock& clock, const std::atomic<std::int64_t>& bound_ms)
      : clock_(clock), bound_ms_(bound_ms) {}

  // The servers whose clocks count from now on, without this one. What is known of those that stay
  // is kept.
  void SetPeers(const std::vector<std::string>& peers);

  // A peer's wall clock showed `theirs` between two moments of our steady clock (Clock::Passed()).
  void Add(const std::string& peer, WallTime theirs, SteadyTime asked, SteadyTime answered);

  WallTime Latest() const override;

  server::ClusterClocks Report() const;

  // How far a peer's clock is ahead of ours; nothing: it is not known.
  std::optional<Millis> AheadOfOurs(const std::string& peer) const;

 private:
  // In microseconds.
  struct Interval {
    std::int64_t low;
    std::int64_t high;
    std::int64_t at;  // Of our steady clock, at which it was as narrow.
  };
  struct Agreed {
    std::int64_t own;    // Our lead.
    std::int64_t least;  // p(k-1); min(): none or unknown.
    std::int64_t most;   // p(k); min(): unknown; max(): there is no other server.
  };

  static Interval Widened(const Interval& interval, std::int64_t now);
  std::int64_t Passed() const;
  std::int64_t OwnLead() const;
  Agreed Find(std::int64_t now) const;  // With mutex_ held.

  const Clock& clock_;
  const std::atomic<std::int64_t>& bound_ms_;
  mutable std::mutex mutex_;
  bool begun_ = false;                                    // Guarded by mutex_, as the next.
  std::map<std::string, std::optional<Interval>> peers_;  // Nothing: unknown.
};

}  // namespace mayfly::cluster
