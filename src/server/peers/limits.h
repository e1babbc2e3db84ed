// limits.h - the bounds of connections to other servers of a cluster.
#pragma once

#include <chrono>
#include <cstddef>

namespace mayfly::server {

// Connections to a server that commands of all clients share, for each version of the protocol. More:
// the server has more of its threads answer them.
inline constexpr std::size_t kSharedLinksMax = 4;

// Connections to a server for commands that wait for keys; one command each.
inline constexpr std::size_t kWaitingLinksMax = 1024;

// Such connections that are kept when nothing waits.
inline constexpr std::size_t kIdleLinksKept = 16;

// Bytes that wait to be sent on one connection; then a call is refused.
inline constexpr std::size_t kLinkBytesMax = std::size_t{64} << 20;

// How long a connection may take to be made; and how long a server may be silent while it owes
// replies, other than to commands that wait.
inline constexpr std::chrono::milliseconds kConnectPatience{2000};
inline constexpr std::chrono::milliseconds kReplyPatience{30'000};
inline constexpr std::chrono::milliseconds kSilenceLook{500};

// The same for a server whose shards others have: one that is not in the roster any more.
inline constexpr std::chrono::milliseconds kGonePatience{1000};

static_assert(kGonePatience < kReplyPatience);

}  // namespace mayfly::server
