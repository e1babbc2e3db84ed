// statuses.h - statuses of HTTP, as answers of shards to calls have them.
#pragma once

namespace mayfly::cluster {

inline constexpr int kOk = 200;
inline constexpr int kBadRequest = 400;
inline constexpr int kNotFound = 404;
inline constexpr int kFirstFault = 500;  // Of those that are the server's fault.
inline constexpr int kUnavailable = 503;

// Between servers alone.
inline constexpr int kChangeUnderWay = 409;  // Another change of definitions is not settled.
inline constexpr int kStaleRoute = 421;      // By the shard's definitions it belongs elsewhere.

}  // namespace mayfly::cluster
