// cases.h - the conformance suite of engines: one case per sentence of the contract.
// A case gets a fresh, empty engine and reports through GTest's assertions. Cases are plain
// functions in tables, one table per topic, so that the same ones run on every engine as tests and
// on broken engines as a proof that breakage is noticed.
#pragma once

#include <ostream>
#include <vector>

#include "tests/engine/rig.h"

namespace mayfly::engine::suite {

struct Case {
  const char* name;
  void (*run)(Rig& rig);

  // For GTest's messages.
  friend void PrintTo(const Case& one_case, std::ostream* out) { *out << one_case.name; }
};

#define MAYFLY_CASE(function) \
  Case { #function, function }

using Cases = std::vector<Case>;

Cases ReadCases();
Cases MultiGetCases();
Cases CursorCases();
Cases CursorBoundCases();
Cases BatchCases();
Cases RangeDeleteCases();
Cases ConditionCases();
Cases SnapshotCases();
Cases DurabilityCases();
Cases DropPolicyCases();
Cases OverlappingCompactionCases();
Cases ReclaimCases();
Cases LifecycleCases();
Cases BadInputCases();
Cases ConcurrencyCases();

// All cases. Names are unique.
Cases AllCases();

}  // namespace mayfly::engine::suite
