// kvstore_clock.h - time that moves when told, for tests of kvstore.h.
// A test that links mayfly_capi_testing_objects has this module's ClockOfStores() and not the
// library's: objects come before archives.
#pragma once

#include "mayfly/clock.h"

namespace mayfly::kvstore {

// The clock of stores opened from now on, and of kvstore_now_ms(). Null: the machine's. Must
// outlive the stores.
void SetClockForTests(const Clock* clock);

}  // namespace mayfly::kvstore
