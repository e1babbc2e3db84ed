// limits.h - bounds on what one HTTP client may send and hold, and for how long.
#pragma once

#include <chrono>
#include <cstddef>

namespace mayfly::http {

// Of a request's line and fields together; and of the data between the chunks of a body.
inline constexpr std::size_t kHeaderBytesMax = std::size_t{16} * 1024;

// Of a body on a route without its own limit.
inline constexpr std::size_t kBodyBytesMax = std::size_t{64} * 1024;

inline constexpr std::size_t kConnectionsMax = 4096;

// Of them, those that have not agreed on TLS yet; how long that may take; and how long while half
// of them are under way.
inline constexpr std::size_t kHandshakesMax = 512;
inline constexpr std::chrono::seconds kHandshakeTime{10};
inline constexpr std::chrono::seconds kHandshakeTimeCrowded{2};
static_assert(kHandshakesMax < kConnectionsMax && kHandshakeTimeCrowded <= kHandshakeTime);

// Responses to requests that arrived together leave together, up to this many bytes.
inline constexpr std::size_t kOutputBytesBeforeSend = std::size_t{256} * 1024;

// So many requests are answered together, of one client and of all clients of a thread; of one
// client also no more than this many bytes, the last one aside.
inline constexpr std::size_t kRequestsTogetherMax = 64;
inline constexpr std::size_t kRequestBytesTogetherMax = std::size_t{256} * 1024;

// Room for one read: of headers and small bodies, and of bodies known to be large. Input is
// answered before more is read, so it bounds the queue.
inline constexpr std::size_t kReadBytesMin = std::size_t{16} * 1024;
inline constexpr std::size_t kReadBytesMax = std::size_t{64} * 1024;
static_assert(kReadBytesMin <= kReadBytesMax);

// The memory that each buffer of a connection keeps from one request to the next.
inline constexpr std::size_t kBytesKept = std::size_t{32} * 1024;

// Of bodies that are incomplete or unanswered: the allowance of each connection, and what all of
// them have together beyond that (body_budget.h).
inline constexpr std::size_t kBodyBytesFree = std::size_t{16} * 1024;
inline constexpr std::size_t kBodiesBytesMax = std::size_t{128} * 1024 * 1024;
static_assert(kConnectionsMax * kBodyBytesFree <= kBodiesBytesMax);

// A connection without a request is closed after so long; so is one whose body, or whose reader,
// takes longer.
inline constexpr std::chrono::seconds kIdleTime{60};
inline constexpr std::chrono::seconds kBodyTime{60};
inline constexpr std::chrono::seconds kWriteTime{60};

// The same for a body, while bodies take more than half of the budget.
inline constexpr std::chrono::seconds kBodyTimeCrowded{5};
static_assert(kBodyTimeCrowded <= kBodyTime);

// What a refused client may still send before the connection is closed: without reading it, the
// system would discard the refusal with the connection.
inline constexpr std::size_t kDrainBytesMax = std::size_t{64} * 1024 * 1024;
inline constexpr std::chrono::seconds kDrainTime{5};

// How often a loop checks for connections past their time: they may take that much longer.
inline constexpr std::chrono::seconds kTick{1};
static_assert(kTick <= kDrainTime);

// How long accepting rests when the machine refuses, for example for want of descriptors.
inline constexpr std::chrono::milliseconds kAcceptRest{100};

}  // namespace mayfly::http
