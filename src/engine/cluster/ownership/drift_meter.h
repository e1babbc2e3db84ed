// drift_meter.h - finds that this server's clock runs at another rate than most others'.
// Each renewal of a server carries its steady clock. The moment at which it was read is known only as
// an interval of our clock: after we last saw the former renewal, less what a request may be under
// way, and before we saw this one. Two such readings prove that the rates differ only if no two
// moments of the two intervals make them equal; so a slow store proves nothing, and what is proven
// is true. The intervals are about 2 s long: a difference of 10% is proven within two minutes of its
// beginning, of 5% within four, of 2% within ten.
// One server alone cannot know which of two clocks is wrong, so most peers must agree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/cluster/ownership/limits.h"
#include "engine/cluster/ownership/ownership_options.h"
#include "mayfly/clock.h"

namespace mayfly::engine::cluster {

class DriftMeter {
 public:
  explicit DriftMeter(std::uint32_t refused_ppm) : refused_ppm_(refused_ppm) {}

  // A peer's clock read `steady_ns` at a moment between `earliest` and `latest` of ours.
  // `peer` is below kDriftPeersMax.
  void Add(std::size_t peer, std::int64_t steady_ns, SteadyTime earliest, SteadyTime latest);

  // The peer was replaced or has started again: its clock counts from elsewhere.
  void Forget(std::size_t peer);

  // At least two peers are known, and most of them prove that our clock is slower, or most that it
  // is faster, by more than the bound.
  bool IsBeyond() const;

 private:
  struct Reading {
    std::int64_t steady_ns = 0;
    SteadyTime earliest;
    SteadyTime latest;
  };
  struct Peer {
    bool known = false;
    int vote = 0;  // 1: the peer's clock is proven to be faster, -1: slower.
    Reading older;
    Reading younger;
  };

  int Compare(const Reading& from, const Reading& to) const;

  const std::uint32_t refused_ppm_;
  std::array<Peer, kDriftPeersMax> peers_;
};

}  // namespace mayfly::engine::cluster
