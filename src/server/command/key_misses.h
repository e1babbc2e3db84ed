// key_misses.h - which of its keys a command reads: INFO counts how many were there, and class m of
// the notifications tells of those that were not.
#pragma once

#include <cstdint>

#include "server/command/command.h"

namespace mayfly::server {

// How many keys the command reads. A handler looks at each of them once before it looks at any
// other row, or at one of them again: so these are its first looks. Of SORT that is the key it
// sorts, not those its patterns lead to.
std::uint64_t KeysRead(const CommandSpec& spec, const Call& call);

// Before the handler runs: afterwards the key may be there. Costs nothing unless somebody listens.
void TellOfMisses(const CommandSpec& spec, const Call& call);

}  // namespace mayfly::server
