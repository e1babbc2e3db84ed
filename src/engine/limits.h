// limits.h - the bounds of an engine's arguments, the same for every engine.
#pragma once

#include <cstddef>

namespace mayfly::engine {

// Room for two 64 KiB user keys (a collection's key and its member) and core's framing. Keys are
// compared often and kept in file indexes, so longer ones would cost every reader.
inline constexpr std::size_t kKeyBytesMax = std::size_t{192} << 10;

// The largest value Redis' dialect allows.
inline constexpr std::size_t kValueBytesMax = std::size_t{512} << 20;

// Keys and values of one batch together. RocksDB's own limit is 4 GiB.
inline constexpr std::size_t kBatchBytesMax = std::size_t{1} << 30;

// Operations of one batch, conditions included.
inline constexpr std::size_t kBatchOperationsMax = std::size_t{1} << 24;

// Keys of one MultiGet.
inline constexpr std::size_t kLookupsMax = std::size_t{1} << 16;

static_assert(kKeyBytesMax + kValueBytesMax <= kBatchBytesMax, "the largest row must fit a batch");

}  // namespace mayfly::engine
