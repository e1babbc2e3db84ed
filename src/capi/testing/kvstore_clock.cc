#include "capi/testing/kvstore_clock.h"

#include <atomic>

#include "capi/kvstore_store.h"

namespace mayfly::kvstore {
namespace {

std::atomic<const Clock*> test_clock{nullptr};

}  // namespace

void SetClockForTests(const Clock* clock) { test_clock = clock; }

const Clock& ClockOfStores() {
  const Clock* const clock = test_clock.load();
  return clock != nullptr ? *clock : SystemClock::Process();
}

}  // namespace mayfly::kvstore
