// following.h - a server that follows another one, its leader: what the rest of the server asks.
// The follower itself is in server/follow/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/status.h"

namespace mayfly::server {

// Where a follower is.
enum class LinkState : std::uint8_t {
  kNone,        // It follows nobody.
  kConnecting,  // Also between two tries.
  kCopying,     // Takes a full copy.
  kConnected,   // Applies the leader's commands as they come.
};

struct FollowFigures {
  LinkState state = LinkState::kNone;
  std::string host;
  int port = 0;
  std::string replication_id;         // The leader's; empty: not known yet.
  std::int64_t applied = 0;           // Offsets in the leader's stream: of commands committed here,
  std::int64_t received = 0;          // and of bytes received.
  std::optional<SteadyTime> last_io;  // When something came from the leader.
  std::optional<SteadyTime> down_since;
  std::optional<WallTime> judged_at;   // As of LeaderStream, once there is a copy.
  std::uint64_t copies = 0;            // Full copies that were completed, and
  std::uint64_t resumptions = 0;       // connections that went on where the last one had ended.
  std::uint64_t copy_bytes = 0;        // Of the copy under way.
  std::uint64_t copy_bytes_total = 0;  // 0: the leader does not say.
  std::string left_out;      // Of the last copy: what there is no type for; empty: nothing.
  std::uint64_t failed = 0;  // Commands of the leader that could not be run here,
  std::string last_failure;  // and the last of them.
  std::string last_error;    // Why the link is down; empty: it is not, or never was up.
};

// Safe to call from any thread.
class Following {
 public:
  virtual ~Following() = default;

  // Follows this server from now on, in place of any other, and takes a full copy of it if it has
  // to: what is here goes then. Returns at once.
  virtual Status Follow(const std::string& host, int port) = 0;

  // Applies what was received, and follows nobody. Busy: that takes long; it goes on.
  virtual Status Leave() = 0;

  virtual FollowFigures figures() const = 0;
};

// The leader's side of a session that runs its commands. Used on the session's thread.
class LeaderStream {
 public:
  virtual ~LeaderStream() = default;

  // A row that each transaction of it writes, and the instant at which the transaction judges.
  virtual core::KeySet::Key position_key() const = 0;
  virtual WallTime judged_at() const = 0;

  // Writes the position behind the next `commands` of the pipeline with their effects.
  virtual Status NotePosition(core::LatchedTransaction& transaction, std::size_t commands) = 0;

  // So many commands have left the pipeline.
  virtual void Passed(std::size_t commands) = 0;

  // A command could not be run here: its error.
  virtual void Failed(std::span<const Bytes> args, std::string_view error) = 0;

  // Commands could not be committed: they must be run again.
  virtual void NotCommitted(const Status& status) = 0;
};

}  // namespace mayfly::server
