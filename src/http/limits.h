// limits.h - what one HTTP client may send and hold, and for how long.
#pragma once

#include <chrono>
#include <cstddef>

namespace mayfly::http {

inline constexpr std::size_t kHeaderBytesMax = std::size_t{16} * 1024;

// Of a request nobody said more about.
inline constexpr std::size_t kBodyBytesMax = std::size_t{64} * 1024;

inline constexpr std::size_t kConnectionsMax = 4096;

// A connection that asks nothing is closed after so long; so is one whose body, or whose reader,
// takes longer.
inline constexpr std::chrono::seconds kIdleTime{60};
inline constexpr std::chrono::seconds kBodyTime{60};
inline constexpr std::chrono::seconds kWriteTime{60};

// What a client that was refused may still send before the connection goes: without reading it, the
// system would throw the refusal away with the connection.
inline constexpr std::size_t kDrainBytesMax = std::size_t{64} * 1024 * 1024;
inline constexpr std::chrono::seconds kDrainTime{5};

// How long accepting rests when the machine refuses, for example for want of descriptors.
inline constexpr std::chrono::milliseconds kAcceptRest{100};

}  // namespace mayfly::http
