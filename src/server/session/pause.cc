#include "server/session/pause.h"

#include <algorithm>

namespace mayfly::server {

void ClientPause::Begin(SteadyTime now, SteadyTime until, PauseMode mode) {
  const std::lock_guard lock(mutex_);
  if (state_ && state_->until > now) {
    until = std::max(until, state_->until);
    mode = std::max(mode, state_->mode);
  }
  state_ = State{until, mode};
  maybe_ = true;
}

void ClientPause::End() {
  const std::lock_guard lock(mutex_);
  state_.reset();
  maybe_ = false;
}

std::optional<ClientPause::State> ClientPause::Now(SteadyTime now) const {
  if (!maybe()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (state_ && state_->until <= now) state_.reset();
  maybe_ = state_.has_value();
  return state_;
}

}  // namespace mayfly::server
