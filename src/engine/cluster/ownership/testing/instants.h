// instants.h - points of a steady clock, as short as tests want them.
#pragma once

#include "mayfly/clock.h"

namespace mayfly::engine::cluster {

inline SteadyTime At(int ms) { return SteadyTime(Millis(ms)); }

}  // namespace mayfly::engine::cluster
