// limits.h - the bounds of the core.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "engine/limits.h"
#include "mayfly/clock.h"

namespace mayfly::core {

inline constexpr std::size_t kKeyBytesMax = std::size_t{64} << 10;
inline constexpr std::size_t kValueBytesMax = std::size_t{256} << 20;
inline constexpr std::size_t kKeyspaceNameBytesMax = 255;

// Keys are latched, and counted, by stripe. More stripes let more writers through at once and cost
// a counter row per keyspace and stripe.
inline constexpr std::size_t kStripes = 256;

// Rows one purge batch removes; their latches are held for one commit.
inline constexpr std::size_t kPurgeBatchRowsMax = 64;

// Entries a purge reads ahead, to make one cursor serve several batches.
inline constexpr std::size_t kPurgeAheadRowsMax = 1024;

// Keys one transaction may touch.
inline constexpr std::size_t kTransactionKeysMax = 1'000'000;

inline constexpr std::size_t kForecastBucketsMax = 10'000;
inline constexpr std::size_t kScanRowsMax = 1'000'000;

// How far the stored time may lag behind the clock while commits go on.
inline constexpr Millis kHighWaterStep = std::chrono::seconds(1);

// How long a write may take between reading the clock and committing, at the outside. Purges that
// never find a moment without writers keep their watermark this far behind.
inline constexpr Millis kWatermarkSlack = std::chrono::seconds(60);

// How long a reaper that could not purge, on a full disk say, waits before it tries again.
inline constexpr Millis kReaperRetryPause = std::chrono::seconds(1);

// Instants outside are taken for another unit: 1973 in milliseconds is a date of today in seconds,
// and the year 5138 in milliseconds a date of today in microseconds.
inline constexpr WallTime kPlausibleFirst = WallTimeFromMs(100'000'000'000);
inline constexpr WallTime kPlausibleLast = WallTimeFromMs(100'000'000'000'000);

// What a row's key and tag cost around the user's bytes.
static_assert(kKeyBytesMax + 64 <= engine::kKeyBytesMax);
static_assert(kValueBytesMax + 64 <= engine::kValueBytesMax);

}  // namespace mayfly::core
