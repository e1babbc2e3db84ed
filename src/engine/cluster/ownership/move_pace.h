// move_pace.h - how often one server may begin to move a shard.
// A permit comes every `interval`, which varies by the jitter; the first after a pause comes at a
// random moment of one interval, so that servers which find work at the same time do not begin
// together. A caller that comes late gets up to kPaceBurst permits at once.
#pragma once

#include "base/random.h"
#include "engine/cluster/ownership/ownership_options.h"
#include "mayfly/clock.h"

namespace mayfly::engine::cluster {

inline constexpr int kPaceBurst = 4;

// Without a permit for so long, the next one is the first after a pause.
inline constexpr Nanos kPaceIdle = std::chrono::seconds(1);

// `length`, longer or shorter by up to `percent`.
Nanos Jittered(Nanos length, std::uint32_t percent, Random& random);

class MovePace {
 public:
  // True, and a permit is used up.
  bool Take(SteadyTime now, Nanos interval, std::uint32_t jitter_percent, Random& random);

  // When the next permit comes.
  SteadyTime next() const { return next_; }

 private:
  SteadyTime next_ = SteadyTime::min();
};

}  // namespace mayfly::engine::cluster
