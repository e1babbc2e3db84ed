// mutants.h - engines that are wrong in one way each, to prove that the suite would notice.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "tests/engine/engine_home.h"

namespace mayfly::engine::suite {

template <typename Broken>
std::unique_ptr<Engine> Make(std::unique_ptr<Engine> inner) {
  return std::make_unique<Broken>(std::move(inner));
}

struct Mutant {
  const char* name;  // What is wrong with it.
  Wrapper make;

  // Where it is wrong: everywhere; only while threads race, which one thread cannot notice; only
  // with files, which the model play does not touch.
  enum class Needs : std::uint8_t { kNothing, kThreads, kFiles };
  Needs needs;

  // For GTest's messages.
  friend void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }
};

std::vector<Mutant> ReclaimMutants();

// Includes those above.
std::vector<Mutant> AllMutants();

}  // namespace mayfly::engine::suite
