// In a file of its own: tests link another definition in its place (testing/kvstore_clock.cc), since
// kvstore.h has no room to pass a clock and no switch for tests is to ship.
#include "capi/kvstore_store.h"

namespace mayfly::kvstore {

const Clock& ClockOfStores() { return SystemClock::Process(); }

}  // namespace mayfly::kvstore
