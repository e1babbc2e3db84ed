#include "engine/disk/background_rounds.h"

#include <algorithm>
#include <system_error>

#include "engine/disk/limits.h"

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
    changed_.notify_all();
  }
  if (!ended.joinable()) return;
  waker_.Wake();
  if (interrupt) interrupt();
  ended.join();
}

void BackgroundRounds::Await(Millis patience) {
  std::uint64_t awaited = 0;
  {
    const std::lock_guard lock(mutex_);
    awaited = begun_ + 1;
    hurry_ = true;
    asked_ = true;
  }
  Begin();
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return ended_ >= awaited || stop_; });
}

void BackgroundRounds::Run() {
  while (const std::optional<Kind> kind = AwaitTurn()) {
    {
      const std::lock_guard lock(mutex_);
      hurry_ = false;
      // Before the round: what it may have missed is asked for again. An early round does not do
      // all that was asked for.
      if (*kind == Kind::kRegular) asked_ = false;
      ++begun_;
    }
    const SteadyTime began = clock_.Steady();
    round_(*kind, stop_);
    const SteadyTime ended = clock_.Steady();
    if (*kind == Kind::kRegular) {
      next_ = ended + std::clamp<std::chrono::nanoseconds>(kRoundShare * (ended - began),
                                                           kRoundPauseMin, kRoundPauseMax);
    }
    const std::lock_guard lock(mutex_);
    ended_ = begun_;
    changed_.notify_all();
  }
}

// The next round; nothing: it was stopped.
std::optional<BackgroundRounds::Kind> BackgroundRounds::AwaitTurn() {
  while (!stop_ && !asked_) waker_.Wait();
  while (!stop_ && !hurry_ && IsPausing()) {
    const auto left = std::chrono::ceil<Millis>(*next_ - clock_.Steady());
    clock_.Sleep(waker_, clock_.Now() + left);
  }
  if (stop_) return std::nullopt;
  return IsPausing() ? Kind::kEarly : Kind::kRegular;
}

}  // namespace mayfly::engine
