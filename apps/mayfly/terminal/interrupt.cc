#include "apps/mayfly/terminal/interrupt.h"

#include <csignal>

namespace mayfly::app {
namespace {

// A global because a signal handler can reach nothing else.
volatile std::sig_atomic_t interrupted = 0;

void Note(int /*signal*/) { interrupted = 1; }

}  // namespace

void CatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = Note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool Interrupted() { return interrupted != 0; }

bool TakeInterrupt() {
  const bool was_interrupted = Interrupted();
  interrupted = 0;
  return was_interrupted;
}

HeldInterrupt::HeldInterrupt() : held_(TakeInterrupt()) {
  if (held_) CatchInterrupts();  // The handler is gone with the first signal.
}

HeldInterrupt::~HeldInterrupt() {
  if (held_) interrupted = 1;
}

}  // namespace mayfly::app
