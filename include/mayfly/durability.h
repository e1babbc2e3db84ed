// durability.h - what an Ok from a commit promises.
#pragma once

#include <cstdint>

namespace mayfly {

// Each level includes the ones before it; more than was asked may be given, never less.
enum class Durability : std::uint8_t {
  kNone,     // Visible. For bulk loads that are repeated after a crash.
  kProcess,  // In the operating system's hands: survives kill -9, not a power cut.
  kDisk,     // On the device before the call returns. Threads that ask at once share one fsync.
};

}  // namespace mayfly
