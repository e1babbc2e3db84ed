// leading.h - a server that is followed: what the rest of the server asks of what serves its
// followers, which is in server/lead/.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/status.h"

namespace mayfly::server {

class Session;
struct Waiter;

// What a follower says of itself with REPLCONF, before it asks to follow.
struct FollowerTraits {
  int port = 0;                  // Where it listens itself.
  std::string address;           // Where it wants to be shown; empty: where it comes from.
  bool ends_by_mark = false;     // Takes a copy without a length: "capa eof".
  bool field_deadlines = false;  // Takes deadlines of a hash's fields: "capa mayfly".
};

struct FollowerFigures {
  std::uint64_t client_id = 0;
  std::string address;
  int port = 0;
  std::string_view state;  // In Redis' words: wait_bgsave, send_bulk, online.
  std::int64_t acknowledged = 0;
  std::int64_t lag_seconds = 0;  // Since it was last heard of.
};

struct LeadFigures {
  bool on = false;  // There is a stream.
  std::string id;
  std::int64_t offset = 0;
  std::int64_t first_offset = 0;  // The oldest that is kept.
  std::size_t backlog_bytes = 0;
  std::uint64_t full_copies = 0;
  std::uint64_t resumptions = 0;
  std::uint64_t refused_resumptions = 0;  // Asked for, and answered by a full copy.
  std::vector<FollowerFigures> followers;
};

// Safe to call from any thread, unless it says otherwise.
class Leading {
 public:
  virtual ~Leading() = default;

  // PSYNC: what the session sends from now on is the stream behind this position, or a full copy
  // and the stream behind it. `offset`: of the first byte that is wanted. On the session's thread,
  // as the next one. Fails when it cannot be served now.
  virtual Status Serve(Session& session, const std::string& id, std::int64_t offset) = 0;

  // REPLCONF ACK.
  virtual void Acknowledged(Session& session, std::int64_t offset) = 0;

  virtual LeadFigures figures() const = 0;

  // How many followers have acknowledged this offset.
  virtual std::size_t CountAt(std::int64_t offset) const = 0;

  // Ends the wait with that number, as soon as it is `count`; asks the followers for it.
  virtual void Await(const std::shared_ptr<Waiter>& waiter, std::int64_t offset,
                     std::size_t count) = 0;
};

}  // namespace mayfly::server
