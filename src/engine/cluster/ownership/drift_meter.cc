#include "engine/cluster/ownership/drift_meter.h"

#include "base/check.h"

namespace mayfly::engine::cluster {

namespace {

// Rates are taken over one to two of these. Longer: smaller differences are proven; a clock that
// changes its rate is found later.
constexpr Nanos kWindow = std::chrono::minutes(5);

}  // namespace

void DriftMeter::Add(std::size_t peer, std::int64_t steady_ns, SteadyTime earliest,
                     SteadyTime latest) {
  MAYFLY_CHECK(peer < peers_.size(), "a peer without a place");
  Peer& known = peers_[peer];
  const Reading reading{.steady_ns = steady_ns, .earliest = earliest, .latest = latest};
  if (!known.known) {
    known = {.known = true, .vote = 0, .older = reading, .younger = reading};
    return;
  }
  known.vote = Compare(known.older, reading);
  if (known.vote == 0) known.vote = Compare(known.younger, reading);
  if (latest - known.younger.latest >= kWindow) {
    known.older = known.younger;
    known.younger = reading;
  }
}

void DriftMeter::Forget(std::size_t peer) {
  MAYFLY_CHECK(peer < peers_.size(), "a peer without a place");
  peers_[peer] = Peer{};
}

bool DriftMeter::IsBeyond() const {
  int known = 0;
  int faster = 0;
  int slower = 0;
  for (const Peer& peer : peers_) {
    known += peer.known ? 1 : 0;
    faster += peer.vote > 0 ? 1 : 0;
    slower += peer.vote < 0 ? 1 : 0;
  }
  return known >= 2 && (faster * 2 > known || slower * 2 > known);
}

int DriftMeter::Compare(const Reading& from, const Reading& to) const {
  const std::int64_t theirs = to.steady_ns - from.steady_ns;
  const std::int64_t ours_most = (to.latest - from.earliest).count();
  const std::int64_t ours_least = (to.earliest - from.latest).count();
  const std::int64_t bound = refused_ppm_;
  // Divided first: the products of nanoseconds of hours would not fit.
  if (theirs / kMillion * kMillion > ours_most / kMillion * (kMillion + bound)) return 1;
  if (ours_least > 0 && theirs / kMillion * kMillion < ours_least / kMillion * (kMillion - bound)) {
    return -1;
  }
  return 0;
}

}  // namespace mayfly::engine::cluster
