// kept_descriptors.h - descriptors that children do not get.
// flock() belongs to the open file, so a child made by fork() would hold the parent's lock, and for
// longer than the parent. It closes its copies before fork() returns, so that the parent alone
// decides.
#pragma once

#include "base/function_ref.h"

namespace mayfly {

// Calls `open` with no fork() under way, which would copy the descriptor unseen, and keeps what it
// returns from children. Returns it; a negative one is passed on.
int OpenKept(FunctionRef<int()> open);

// Gives up the lock and closes a descriptor of OpenKept(), in the process that opened it.
void CloseKept(int descriptor);

}  // namespace mayfly
