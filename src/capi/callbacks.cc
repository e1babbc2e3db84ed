#include "capi/callbacks.h"

#include <string>

namespace mayfly::capi {

SteadyTime CallbackClock::Steady() const {
  if (functions_.steady_ns == nullptr) return SystemClock::Process().Steady();
  return SteadyTime(std::chrono::nanoseconds(functions_.steady_ns(functions_.context)));
}

SteadyTime CallbackClock::Passed() const {
  return functions_.steady_ns == nullptr ? SteadyTime() : Steady();
}

void CallbackClock::Sleep(Waker& waker, WallTime until) const {
  constexpr Millis kLookAgain{10};
  if (Now() < until) waker.WaitFor(kLookAgain);
}

void CallbackLogger::Write(LogLevel level, std::string_view line) {
  function_(context_, static_cast<int>(level), std::string(line).c_str());
}

}  // namespace mayfly::capi
