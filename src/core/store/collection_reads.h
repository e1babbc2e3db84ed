// collection_reads.h - what a collection's order of deadlines tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/function_ref.h"
#include "core/layout/collection_codec.h"
#include "engine/engine.h"

namespace mayfly::core {

// Stored members that are dead and not yet purged, and what the row may say of them.
struct DeadMembers {
  std::uint64_t dead = 0;
  std::optional<WallTime> first_deadline = std::nullopt;  // Exactly `dead` members die before it.
  std::optional<WallTime> next =
      std::nullopt;          // Of those that live the first to die, if it was seen.
  std::uint64_t walked = 0;  // What it cost: those that the row did not know of.
};
Result<DeadMembers> CountDeadMembers(const engine::Engine& engine, const PartKeys& keys,
                                     const Collection& collection, WallTime now);

// The user's key, as its name says; nothing when it has none.
Result<std::optional<std::string>> NameOf(const engine::Engine& engine, const PartKeys& keys);

// Says of a member in the order that it does not count.
using SkipMember = FunctionRef<bool(Bytes member)>;

// The latest deadline in the order; nothing when there is none.
Result<std::optional<WallTime>> LastMemberDeadline(const engine::Engine& engine,
                                                   const PartKeys& keys, SkipMember skip);

}  // namespace mayfly::core
