// room_wait.h - how commits that make room wait for it on a full disk.
// They wait for rounds that make room, but not for long, and if that was in vain the next ones do not
// wait for a while. Safe from any thread.
#pragma once

#include <atomic>

#include "base/function_ref.h"
#include "engine/disk/background_rounds.h"
#include "mayfly/clock.h"

namespace mayfly::engine {

class RoomWait {
 public:
  // The clock must outlive it.
  explicit RoomWait(const Clock& clock) : clock_(clock) {}

  // Waits for rounds until `may_go_on`, and no longer than kRoomPatience. Returns what it said last.
  bool Await(BackgroundRounds& rounds, FunctionRef<bool()> may_go_on);

 private:
  const Clock& clock_;
  std::atomic<SteadyTime> waits_again_{SteadyTime::min()};
};

}  // namespace mayfly::engine
