// mutants.h - databases broken on purpose, each in one way.
// Most are on an engine that loses or changes one kind of bytes, as if core forgot or mistook them.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/core/model_play.h"

namespace mayfly::core::suite {

struct Mutant {
  std::string name;
  Subject subject;
  std::size_t operations = 25'000;  // The difference shows within so many.
  std::ptrdiff_t lines_max = 40;    // The longest report.
};

std::vector<Mutant> AllMutants();

inline void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

}  // namespace mayfly::core::suite
