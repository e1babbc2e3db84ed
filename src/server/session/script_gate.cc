#include "server/session/script_gate.h"

#include <utility>

#include "server/command/limits.h"
#include "server/session/session.h"

namespace mayfly::server {

bool ScriptGate::EnterSoon(Door& door) {
  std::unique_lock lock(mutex_);
  while (shut_) {
    const auto left = since_ + kScriptShortTime - clock_.Steady();
    if (left <= left.zero()) return false;
    opened_.wait_for(lock, left);
  }
  lock.unlock();
  return TryEnter(door);
}

bool ScriptGate::Shut(SteadyTime now) {
  {
    const std::lock_guard lock(mutex_);
    if (shut_) return false;
    since_ = now;
    shut_ = true;
  }
  // A thread that enters from now on sees that the gate is shut, and leaves again; leaving
  // notifies.
  for (Door& door : doors_) {
    while (door.inside_.load() != 0) door.inside_.wait(1);
  }
  return true;
}

void ScriptGate::Open() {
  std::vector<std::weak_ptr<Session>> put_off;
  {
    const std::lock_guard lock(mutex_);
    shut_ = false;
    put_off.swap(put_off_);
  }
  opened_.notify_all();
  for (const auto& one : put_off) {
    if (const auto session = one.lock()) {
      session->Post([](Session& self) { self.ScriptEnded(); });
    }
  }
}

std::optional<SteadyTime> ScriptGate::shut_since() const {
  if (!shut_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return shut_ ? std::optional(since_) : std::nullopt;
}

bool ScriptGate::Await(std::weak_ptr<Session> session) {
  const std::lock_guard lock(mutex_);
  if (!shut_) return false;
  put_off_.push_back(std::move(session));
  return true;
}

}  // namespace mayfly::server
