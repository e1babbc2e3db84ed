// collection_reads.h - what a collection's order of deadlines tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/function_ref.h"
#include "core/collection_codec.h"
#include "engine/engine.h"

namespace mayfly::core {

// Of the stored members, those that are dead and not yet purged; O(these).
Result<std::uint64_t> CountDeadMembers(const engine::Engine& engine, const PartKeys& keys,
                                       const Collection& collection, WallTime now);

// The user's key, as its name says; nothing when it has none.
Result<std::optional<std::string>> NameOf(const engine::Engine& engine, const PartKeys& keys);

// Says of a member in the order that it does not count.
using SkipMember = FunctionRef<bool(Bytes member)>;

// The latest deadline in the order, and the earliest from `from` on; nothing when there is none.
Result<std::optional<WallTime>> LastMemberDeadline(const engine::Engine& engine,
                                                   const PartKeys& keys, SkipMember skip);
Result<std::optional<WallTime>> FirstMemberDeadline(const engine::Engine& engine,
                                                    const PartKeys& keys, WallTime from,
                                                    SkipMember skip);

}  // namespace mayfly::core
