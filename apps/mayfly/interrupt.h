// interrupt.h - Ctrl-C as a question the program asks between two steps.
// Work that is stopped between steps cleans up behind itself through its destructors. A second
// Ctrl-C ends the process at once, for the case that a step hangs.
#pragma once

namespace mayfly::app {

// From now on SIGINT and SIGTERM are noted, and writing to a closed pipe is an error and no signal:
// `mayfly demo | head` must not leave files behind. Called once, by main.
void CatchInterrupts();

bool Interrupted();

}  // namespace mayfly::app
