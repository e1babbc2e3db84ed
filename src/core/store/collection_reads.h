// collection_reads.h - reads of a collection's order of deadlines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/function_ref.h"
#include "core/layout/collection_codec.h"
#include "engine/engine.h"

namespace mayfly::core {

// The stored members that are dead and not yet purged, and what to write to the row about them.
struct DeadMembers {
  std::uint64_t dead = 0;
  std::optional<WallTime> first_deadline = std::nullopt;  // Exactly `dead` members die before it.
  // The deadline of the first living member to die, if the scan reached it.
  std::optional<WallTime> next = std::nullopt;
  std::uint64_t walked = 0;  // Its cost: dead members that the row did not count yet.
};
Result<DeadMembers> CountDeadMembers(const engine::Engine& engine, const PartKeys& keys,
                                     const Collection& collection, WallTime now,
                                     const engine::Snapshot* snapshot = nullptr);

// Calls `visit` with each stored member that is dead and not yet purged.
Status VisitDeadMembers(const engine::Engine& engine, const PartKeys& keys, WallTime now,
                        FunctionRef<void(Bytes member)> visit,
                        const engine::Snapshot* snapshot = nullptr);

// The user's key, from the collection's name record; nothing when there is none.
Result<std::optional<std::string>> NameOf(const engine::Engine& engine, const PartKeys& keys);

// True for a member of the order that does not count.
using SkipMember = FunctionRef<bool(Bytes member)>;

// The latest deadline in the order; nothing when there is none.
Result<std::optional<WallTime>> LastMemberDeadline(const engine::Engine& engine,
                                                   const PartKeys& keys, SkipMember skip,
                                                   const engine::Snapshot* snapshot = nullptr);

}  // namespace mayfly::core
