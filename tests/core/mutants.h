// mutants.h - databases broken on purpose, each in one way.
// Most live on an engine that loses or changes one kind of bytes, which is what core would leave
// behind if it forgot or mistook them.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/core/model_play.h"

namespace mayfly::core::suite {

struct Mutant {
  std::string name;
  Subject subject;
};

std::vector<Mutant> AllMutants();

inline void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

}  // namespace mayfly::core::suite
