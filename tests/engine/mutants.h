// mutants.h - engines that are wrong in one way each, to prove that the suite would notice.
#pragma once

#include <ostream>
#include <vector>

#include "tests/engine/engine_home.h"

namespace mayfly::engine::suite {

struct Mutant {
  const char* name;  // What is wrong with it.
  Wrapper make;
  bool needs_threads;  // Wrong only while threads race; one thread cannot tell.

  // For GTest's messages.
  friend void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }
};

std::vector<Mutant> AllMutants();

}  // namespace mayfly::engine::suite
