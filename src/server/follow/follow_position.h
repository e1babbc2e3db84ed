// follow_position.h - how far a follower is, as a row of the keyspace "mayfly.server".
//   follow 1 HOST PORT REPLICATION-ID OFFSET DATABASE JUDGED-AT    it follows; the words are text
//   left 1 HOST PORT                                               REPLICAOF NO ONE has ended that
// Invariant: the row is written by the transaction that applies the commands before the offset. So
// a follower that was killed goes on with the first command that is not applied, whenever that was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::server {

inline constexpr Bytes kPositionKey = "follow";

struct FollowPosition {
  std::string host;
  int port = 0;
  bool left = false;

  std::string replication_id;  // Empty: there is no copy yet.
  std::int64_t offset = 0;     // Of the leader's stream: everything before it is applied.
  int database = 0;            // The one that is selected there.
  WallTime judged_at;          // What was living then is living to the leader's commands.

  friend bool operator==(const FollowPosition&, const FollowPosition&) = default;
};

std::string EncodePosition(const FollowPosition& position);

// Corruption when it cannot be read.
Result<FollowPosition> DecodePosition(Bytes text);

}  // namespace mayfly::server
