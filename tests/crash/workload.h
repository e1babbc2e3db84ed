// workload.h - batches derived from their numbers alone, and the rows they leave.
// Batch n of writer w under a seed is always the same, so the checker needs no log of what the
// writer did: it plays the first n batches into a plain map and compares. Every batch writes the
// writer's marker, so no two prefixes are equal. Writers have keys of their own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "engine/batch.h"
#include "engine/engine.h"

namespace mayfly::crash {

struct Workload {
  std::uint64_t seed;
  int writer;

  // Puts, deletes and range deletes over all roles; sometimes with the condition that the previous
  // batch was committed.
  engine::Batch BatchOf(std::uint64_t number) const;

  Durability DurabilityOf(std::uint64_t number) const;
};

// The rows of one writer, by role and key.
using Rows = std::map<std::pair<engine::Role, std::string>, std::string>;

void Apply(const engine::Batch& batch, Rows& rows);

// The writer's rows in the engine. Fails the running test when they cannot be read.
Rows ReadRows(const engine::Engine& engine, int writer);

}  // namespace mayfly::crash
