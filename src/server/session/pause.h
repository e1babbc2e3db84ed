// pause.h - CLIENT PAUSE: for a while no command runs, or none that writes.
// Safe to call from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "mayfly/clock.h"

namespace mayfly::server {

enum class PauseMode : std::uint8_t { kWrites, kAll };

class ClientPause {
 public:
  // A pause under way gets the later end and the stricter mode.
  void Begin(SteadyTime now, SteadyTime until, PauseMode mode);
  void End();

  struct State {
    SteadyTime until;
    PauseMode mode;
  };
  // Nothing when there is no pause, or it has ended.
  std::optional<State> Now(SteadyTime now) const;

  bool maybe() const { return maybe_.load(std::memory_order_acquire); }

 private:
  mutable std::atomic<bool> maybe_{false};  // False: surely none.
  mutable std::mutex mutex_;
  mutable std::optional<State> state_;  // Guarded by mutex_.
};

}  // namespace mayfly::server
