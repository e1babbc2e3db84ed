#include "engine/rocks/background_rounds.h"

#include <algorithm>
#include <system_error>

#include "engine/rocks/files/limits.h"

namespace mayfly::engine {

void BackgroundRounds::Begin() {
  const std::lock_guard lock(mutex_);
  if (stop_) return;
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { Run(); });
    } catch (const std::system_error&) {
      asked_ = false;  // The machine has no more threads. The next call tries again.
      return;
    }
  }
  waker_.Wake();
}

void BackgroundRounds::Stop(const std::function<void()>& interrupt) {
  std::thread ended;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    ended = std::move(thread_);
  }
  if (!ended.joinable()) return;
  waker_.Wake();
  if (interrupt) interrupt();
  ended.join();
}

void BackgroundRounds::Run() {
  while (AwaitTurn()) {
    asked_ = false;  // Before the round: what it may have missed is asked for again.
    const SteadyTime began = clock_.Steady();
    round_(stop_);
    const SteadyTime ended = clock_.Steady();
    next_ = ended + std::clamp<std::chrono::nanoseconds>(kRoundShare * (ended - began),
                                                         kRoundPauseMin, kRoundPauseMax);
  }
}

// False: it was stopped.
bool BackgroundRounds::AwaitTurn() {
  while (!stop_ && !asked_) waker_.Wait();
  while (!stop_ && next_ && clock_.Steady() < *next_) {
    const auto left = std::chrono::ceil<Millis>(*next_ - clock_.Steady());
    clock_.Sleep(waker_, clock_.Now() + left);
  }
  return !stop_;
}

}  // namespace mayfly::engine
