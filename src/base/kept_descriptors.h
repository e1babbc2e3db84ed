// kept_descriptors.h - descriptors that are closed in children made by fork().
// flock() belongs to the open file, so a child would hold the parent's lock, and for longer than
// the parent. The child closes its copies before fork() returns.
#pragma once

#include "base/function_ref.h"

namespace mayfly {

// Calls `open` while no fork() is under way, which would copy the descriptor unseen, and registers
// the descriptor it returns. Returns that descriptor; a negative one is passed on.
int OpenKept(FunctionRef<int()> open);

// Releases the lock and closes a descriptor of OpenKept(), in the process that opened it.
void CloseKept(int descriptor);

}  // namespace mayfly
