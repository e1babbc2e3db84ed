// script_gate.h - lets one script at a time have the server to itself, without blocking threads.
// A script may run for long and holds every latch. A thread that waited for latches meanwhile would
// be out of service, and SCRIPT KILL with it. So an executor passes this gate before it begins a
// latched transaction: while a script runs the gate is shut, and the session is put off instead.
//   executor:  Enter -> transaction -> Leave     script:  Shut -> (all others are out) -> Open
// Invariants: (1) While it is shut only the script is inside. (2) A session that is put off is
// notified when the gate opens; the check and the registration are atomic, so no opening is missed.
// Safe to call from any thread, but NewDoor(): that is for the time before the server runs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "mayfly/clock.h"

namespace mayfly::server {

class Session;

class ScriptGate {
 public:
  // The clock limits the wait of Enter(), and must outlive it.
  explicit ScriptGate(const Clock& clock) : clock_(clock) {}

  // The entry of one executor; each has a cache line, to avoid contention.
  class alignas(64) Door {
    friend class ScriptGate;
    std::atomic<int> inside_{0};
  };
  Door& NewDoor() { return doors_.emplace_back(); }

  // False: a script runs. Waits a little for one that has just begun: most are short.
  bool Enter(Door& door) {
    if (TryEnter(door)) return true;
    return EnterSoon(door);
  }

  void Leave(Door& door) {
    door.inside_.exchange(0);
    if (shut_.load()) door.inside_.notify_one();
  }

  // For a script, whose executor is outside: waits for those inside. False: another script runs.
  bool Shut(SteadyTime now);
  void Open();

  // Since when a script has been running, if one is.
  std::optional<SteadyTime> shut_since() const;

  // Notifies the session when the gate opens. False: it is open.
  bool Await(std::weak_ptr<Session> session);

 private:
  bool TryEnter(Door& door) {
    door.inside_.exchange(1);
    if (!shut_.load()) return true;
    Leave(door);
    return false;
  }
  bool EnterSoon(Door& door);

  const Clock& clock_;
  std::list<Door> doors_;          // Constant while the server runs.
  std::atomic<bool> shut_{false};  // Changed under mutex_.

  mutable std::mutex mutex_;
  std::condition_variable opened_;
  SteadyTime since_;  // Guarded by mutex_, as the next one.
  std::vector<std::weak_ptr<Session>> put_off_;
};

// Passes the gate for as long as it lives.
class ScriptGateVisit {
 public:
  ScriptGateVisit(ScriptGate& gate, ScriptGate::Door& door)
      : gate_(gate), door_(door), inside_(gate.Enter(door)) {}
  ~ScriptGateVisit() { Leave(); }
  ScriptGateVisit(const ScriptGateVisit&) = delete;
  ScriptGateVisit& operator=(const ScriptGateVisit&) = delete;

  bool inside() const { return inside_; }
  void Leave() {
    if (inside_) gate_.Leave(door_);
    inside_ = false;
  }

 private:
  ScriptGate& gate_;
  ScriptGate::Door& door_;
  bool inside_;
};

}  // namespace mayfly::server
