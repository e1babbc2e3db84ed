// key_misses.h - which keys a command reads: INFO counts hits and misses among them, and
// notifications of class m are sent for misses.
#pragma once

#include <cstdint>

#include "server/command/command.h"

namespace mayfly::server {

// How many keys the command reads. A handler reads each of them once before it reads any other row,
// or one of them again: so these are its first reads. Of SORT that is the key it sorts, not those
// its patterns lead to.
std::uint64_t KeysRead(const CommandSpec& spec, const Call& call);

// Notifies of keys that are missing. Call it before the handler, which may create them. Costs
// nothing unless the configuration asks for class m.
void NotifyMisses(const CommandSpec& spec, const Call& call);

}  // namespace mayfly::server
