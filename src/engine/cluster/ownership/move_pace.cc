#include "engine/cluster/ownership/move_pace.h"

#include <algorithm>

namespace mayfly::engine::cluster {

Nanos Jittered(Nanos length, std::uint32_t percent, Random& random) {
  const std::int64_t reach = length.count() / 100 * percent;
  if (reach <= 0) return length;
  const auto draw =
      static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(2 * reach + 1)));
  return length + Nanos(draw - reach);
}

bool MovePace::Take(SteadyTime now, Nanos interval, std::uint32_t jitter_percent, Random& random) {
  if (next_ == SteadyTime::min() || now - next_ > std::max(kPaceIdle, interval * kPaceBurst)) {
    next_ = now;
    if (jitter_percent > 0) {
      next_ += Nanos(random.Below(static_cast<std::uint64_t>(interval.count()) + 1));
    }
  }
  next_ = std::max(next_, now - interval * (kPaceBurst - 1));
  if (now < next_) return false;
  next_ += Jittered(interval, jitter_percent, random);
  return true;
}

}  // namespace mayfly::engine::cluster
