// kvstore_testing.h - a clock for tests of kvstore.h.
#pragma once

#include "mayfly/clock.h"

namespace mayfly::kvstore {

// The clock of stores opened from now on, and of kvstore_now_ms(). Null: the machine's. Must
// outlive the stores.
void SetClockForTests(const Clock* clock);

}  // namespace mayfly::kvstore
