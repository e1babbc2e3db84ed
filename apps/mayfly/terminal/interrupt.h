// interrupt.h - Ctrl-C as a flag that the program checks between two steps.
// A command that stops between steps cleans up through its destructors. A second Ctrl-C ends the
// process at once, in case a step hangs.
#pragma once

namespace mayfly::app {

// From now on SIGINT and SIGTERM set the flag, and writing to a closed pipe is an error and no
// signal: `mayfly demo | head` must not leave files behind. Called once, by main.
void CatchInterrupts();

bool Interrupted();

// The same, and forgets it: for a command that ends in order then.
bool TakeInterrupt();

// While one lives, an earlier Ctrl-C is forgotten, so that a command can remove what it has made
// through calls that Ctrl-C ends. A new one counts. Afterwards the earlier one counts again.
class HeldInterrupt {
 public:
  HeldInterrupt();
  ~HeldInterrupt();
  HeldInterrupt(const HeldInterrupt&) = delete;
  HeldInterrupt& operator=(const HeldInterrupt&) = delete;

 private:
  const bool held_;
};

}  // namespace mayfly::app
