// background_rounds.h - work that is asked for by many threads and done by one, now and then.
// The first Ask() starts the thread. A round begins a pause after the last one at the earliest, and
// long rounds are followed by long pauses, so that the work is a small part of the time. A caller
// that cannot go on waits for an early round, which begins without the pause and should do only what
// is cheap. Whatever was asked for before a round begins is covered by it. Safe from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "mayfly/clock.h"

namespace mayfly::engine {

class BackgroundRounds {
 public:
  enum class Kind : std::uint8_t { kRegular, kEarly };

  // One round. It should return soon when `stop` turns true.
  using Round = std::function<void(Kind kind, std::atomic<bool>& stop)>;

  // The clock must outlive it.
  BackgroundRounds(const Clock& clock, Round round) : clock_(clock), round_(std::move(round)) {}
  ~BackgroundRounds() { Stop(); }
  BackgroundRounds(const BackgroundRounds&) = delete;
  BackgroundRounds& operator=(const BackgroundRounds&) = delete;

  // Never waits for a round.
  void Ask() {
    if (!asked_.exchange(true)) Begin();
  }

  // Waits for a round that begins after this call, with or without a pause; not longer than this in
  // real time.
  void Await(Millis patience);

  // No round begins after this call; `interrupt` is called once, and should make the one under way
  // return. Waits for it.
  void Stop(const std::function<void()>& interrupt = nullptr);

 private:
  void Begin();
  void Run();
  std::optional<Kind> AwaitTurn();
  bool IsPausing() const { return next_ && clock_.Steady() < *next_; }

  const Clock& clock_;
  const Round round_;
  std::atomic<bool> asked_{false};
  std::atomic<bool> hurry_{false};  // asked_, and a caller waits.
  std::atomic<bool> stop_{false};
  Waker waker_;

  // Of the thread.
  std::optional<SteadyTime> next_;

  std::mutex mutex_;
  std::thread thread_;       // Guarded by mutex_.
  std::uint64_t begun_ = 0;  // Guarded by mutex_. Rounds.
  std::uint64_t ended_ = 0;  // Guarded by mutex_.
  std::condition_variable changed_;
};

}  // namespace mayfly::engine
