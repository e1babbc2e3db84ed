#include "tests/engine/cases.h"

#include <iterator>

namespace mayfly::engine::suite {

Cases AllCases() {
  Cases all;
  for (const auto topic :
       {ReadCases, MultiGetCases, CursorCases, CursorBoundCases, BatchCases, RangeDeleteCases,
        ConditionCases, SnapshotCases, DurabilityCases, DropPolicyCases, OverlappingCompactionCases,
        ReclaimCases, LifecycleCases, BadInputCases, ConcurrencyCases}) {
    const Cases cases = topic();
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace mayfly::engine::suite
