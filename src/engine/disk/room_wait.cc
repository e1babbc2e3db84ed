#include "engine/disk/room_wait.h"

#include "engine/disk/limits.h"

namespace mayfly::engine {

bool RoomWait::Await(BackgroundRounds& rounds, FunctionRef<bool()> may_go_on) {
  if (clock_.Steady() < waits_again_.load()) return false;
  const SteadyTime until = clock_.Steady() + kRoomPatience;
  for (int look = 0; look < kRoomLooksMax && clock_.Steady() < until; ++look) {
    rounds.Await(kRoomPatience);
    if (may_go_on()) return true;
    Waker().WaitFor(kReserveLookPause);  // An engine's threads may be removing files.
  }
  waits_again_ = clock_.Steady() + kVainPause;
  return false;
}

}  // namespace mayfly::engine
