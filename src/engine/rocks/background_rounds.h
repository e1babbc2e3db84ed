// background_rounds.h - work that is asked for by many threads and done by one, now and then.
// The first Ask() starts the thread. A round begins a pause after the last one at the earliest, and
// long rounds are followed by long pauses, so that the work is a small part of the time. Whatever
// was asked for before a round begins is covered by it. Safe from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "mayfly/clock.h"

namespace mayfly::engine {

class BackgroundRounds {
 public:
  // One round. It should return soon when its argument turns true.
  using Round = std::function<void(std::atomic<bool>& stop)>;

  // The clock must outlive it.
  BackgroundRounds(const Clock& clock, Round round) : clock_(clock), round_(std::move(round)) {}
  ~BackgroundRounds() { Stop(); }
  BackgroundRounds(const BackgroundRounds&) = delete;
  BackgroundRounds& operator=(const BackgroundRounds&) = delete;

  // Never waits for a round.
  void Ask() {
    if (!asked_.exchange(true)) Begin();
  }

  // No round begins after this call; `interrupt` is called once, and should make the one under way
  // return. Waits for it.
  void Stop(const std::function<void()>& interrupt = nullptr);

 private:
  void Begin();
  void Run();
  bool AwaitTurn();

  const Clock& clock_;
  const Round round_;
  std::atomic<bool> asked_{false};
  std::atomic<bool> stop_{false};
  Waker waker_;

  // Of the thread.
  std::optional<SteadyTime> next_;

  std::mutex mutex_;
  std::thread thread_;  // Guarded by mutex_.
};

}  // namespace mayfly::engine
