// model_play.h - plays random operations on a database and on the model, and compares.
// A seed names a play: the same seed gives the same operations on every machine. Every operation
// carries a seed of its own, so that it does the same in a play from which others were left out.
// That is how the report of a difference becomes short: operations are left out as long as the
// database still differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "core/store/drop_horizon.h"
#include "tests/core/racing_engine.h"
#include "tests/engine/engine_home.h"

namespace mayfly::core::suite {

// The database under test: an engine, in a wrapper that can run other work while a purge runs.
struct Subject {
  using Wrap = std::function<std::unique_ptr<engine::Engine>(std::unique_ptr<engine::Engine>,
                                                             std::shared_ptr<Race>)>;

  engine::suite::EngineKind kind;
  bool persistent = false;
  Wrap wrap = [](std::unique_ptr<engine::Engine> inner, std::shared_ptr<Race> race) {
    return std::make_unique<RacingEngine>(std::move(inner), std::move(race));
  };
  // The drop policy that compaction asks, given core's.
  using Policy = std::shared_ptr<const engine::DropPolicy>;
  std::function<Policy(std::shared_ptr<DropHorizon>)> policy =
      [](std::shared_ptr<DropHorizon> horizon) -> Policy { return horizon; };
  std::size_t shrink_operations_max = 400'000;  // Played again to make a report short.
};

std::vector<Subject> AllSubjects();

// For GoogleTest's messages.
inline void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.kind.name; }

struct Operation {
  std::uint32_t kind = 0;  // In the player's table.
  std::uint64_t seed = 0;
};

std::vector<Operation> MakeOperations(std::uint64_t seed, std::size_t count);

struct Difference {
  std::string what;
  std::size_t played = 0;         // Operations up to and including the one that showed it.
  std::vector<std::string> told;  // The last of them, in words.
};

// Nothing, or how the database differed first.
std::optional<Difference> PlayOperations(const Subject& subject,
                                         std::span<const Operation> operations);

// The same, in words, without the operations that a bounded search finds superfluous.
std::optional<std::string> PlayAgainstModel(const Subject& subject, std::uint64_t seed,
                                            std::size_t count);

}  // namespace mayfly::core::suite
