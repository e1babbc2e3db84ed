// limits.h - the bounds of the C interfaces. Arguments of c.h are bounded by core, except for the
// first two; the others are kvstore.h's.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "mayfly/clock.h"

namespace mayfly::capi {

// Keys of one mayfly_multi_get(): a larger count is taken for an error.
inline constexpr std::size_t kMultiGetKeysMax = std::size_t{1} << 24;

// The value that an update function returns, as core bounds every value. It is copied before core
// sees it, and must not be copied if the size is an error.
inline constexpr std::size_t kUpdatedValueBytesMax = std::size_t{256} << 20;

}  // namespace mayfly::capi

namespace mayfly::kvstore {

inline constexpr std::size_t kKeyBytesMax = std::size_t{64} << 10;
inline constexpr std::size_t kValueBytesMax = std::size_t{10} << 20;
inline constexpr std::size_t kNameBytesMax = 255;

// Bytes of keys born dead that a family remembers until the next purge; more are not counted by it.
inline constexpr std::size_t kBornDeadBytesMax = std::size_t{16} << 20;

// The size of a name file; ours are far smaller.
inline constexpr std::size_t kNameFileBytesMax = 1024;

// What opening a store takes on the disk, beside its logs.
inline constexpr std::uint64_t kOpenBytes = std::uint64_t{1} << 20;

// How often an open retries while another process removes and creates the same file.
inline constexpr int kOpenAttemptsMax = 8;

// The pause between attempts while the store is busy.
inline constexpr Millis kBusyPause{2};

}  // namespace mayfly::kvstore
