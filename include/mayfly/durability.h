// durability.h - what an Ok from a commit promises.
#pragma once

#include <cstdint>

namespace mayfly {

// Each level includes the ones before it. An engine may give a higher level, never a lower one.
enum class Durability : std::uint8_t {
  kNone,     // Visible. For bulk loads that are repeated after a crash.
  kProcess,  // In the operating system's hands: survives kill -9, not a power cut.
  kDisk,     // On the device before the call returns. Concurrent commits share one fsync.
};

}  // namespace mayfly
