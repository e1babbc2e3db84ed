// hot_bounds.h - what the scenarios of hot_bounds_bench share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "expiry_scenario.h"

namespace mayfly::bench {

struct BoundsContext {
  std::size_t rows;  // --rows=N: of the smaller scenarios; the larger ones take ten times as many.
  Verdicts& verdicts;
};

// One per source file.
void RunLarger(const BoundsContext& context);
void RunShortLived(const BoundsContext& context);
void RunPromised(const BoundsContext& context);
void RunMemoryPerKey(const BoundsContext& context);
void RunKill(const BoundsContext& context);

}  // namespace mayfly::bench
