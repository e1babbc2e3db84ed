// client_state.h - the state of a client between two commands.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/clock.h"
#include "server/command/authorizer.h"
#include "server/command/command_table.h"
#include "server/session/following.h"
#include "server/session/leading.h"
#include "server/session/watches.h"
#include "server/tracking/tracking_table.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

// A command that waits for EXEC.
struct QueuedCommand {
  const CommandEntry* entry = nullptr;
  std::vector<std::string> args;
};

struct TransactionState {
  bool open = false;    // MULTI was sent.
  bool broken = false;  // A command was refused: EXEC fails, too.
  std::vector<QueuedCommand> commands;
  std::size_t bytes = 0;  // Of memory that the commands take.
};

// CLIENT TRACKING.
struct ClientTracking {
  TrackingMode mode;
  bool redirect_broken = false;  // The client that was to get the messages has gone.

  // What CLIENT CACHING said of the command that comes next, or of the transaction that begins.
  enum class Caching : std::uint8_t { kUnsaid, kYes, kNo } caching = Caching::kUnsaid;

  // Whether keys that are read now are entered in the table.
  bool remembers() const {
    if (mode.broadcast) return false;
    return mode.opt_in ? caching == Caching::kYes : caching != Caching::kNo;
  }
};

// What a connection has shown to be, on a cluster.
enum class ClusterSpeech : std::uint8_t {
  kNone,
  kClient,  // One that goes to the owners of keys by itself.
  kPeer,    // Another server of the cluster, which forwards commands.
};

// CLIENT REPLY.
enum class ReplyMode : std::uint8_t { kOn, kOff, kSkipNext };

// Used on the client's thread alone.
struct ClientState {
  int database = 0;
  ProtocolVersion version = ProtocolVersion::kResp2;
  std::string name;
  std::string library_name;
  std::string library_version;
  std::shared_ptr<Principal> principal;  // Null: it has to AUTH first.
  TransactionState transaction;
  std::vector<std::shared_ptr<Watch>> watches;
  ReplyMode replies = ReplyMode::kOn;
  std::unique_ptr<ClientTracking> tracking;  // Null: off.
  bool monitors = false;
  bool no_evict = false;
  bool no_touch = false;
  bool close_after_reply = false;
  const CommandEntry* last_command = nullptr;
  std::int64_t fed_to = 0;  // The offset in the stream to followers behind its last write.
  FollowerTraits follower;  // As REPLCONF said.
  ClusterSpeech cluster_speech = ClusterSpeech::kNone;
  std::optional<SteadyTime> shard_missed;  // Since when its next command waits for a shard.
  LeaderStream* leader = nullptr;  // Not null: the commands are those of the server it follows.
};

}  // namespace mayfly::server
