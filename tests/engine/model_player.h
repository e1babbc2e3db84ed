// model_player.h - plays random operations on an engine and on a plain map, and compares.
// A seed names a play: the same seed gives the same operations on every machine. The report of a
// difference ends with the operations before it and how to play just these again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/engine/engine_home.h"

namespace mayfly::engine::suite {

struct Play {
  std::uint64_t seed;
  std::size_t operations;
};

// Nothing, or how the engine differed first.
std::optional<std::string> PlayAgainstModel(const EngineKind& kind, Play play);

}  // namespace mayfly::engine::suite
