// peer_calls.h - sends commands to other servers of the cluster.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "server/shards/cluster_view.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

// A command as it is sent.
std::string WireText(std::span<const Bytes> words);

// Commands that go to one server together, in their order.
struct PeerRequest {
  ServerAddress to;
  ProtocolVersion version = ProtocolVersion::kResp2;  // Of the replies.
  std::string bytes = {};
  std::size_t replies = 0;  // How many there will be.
  bool waits = false;       // It may wait for keys: it gets a connection of its own meanwhile.
  bool in_order = false;    // Behind all others of that kind, on one connection.
  std::chrono::milliseconds pause{0};  // Before it is sent.
};

// The reply of each command, as it was sent. Busy: nothing has been sent; the server cannot be
// reached, or too much waits for it already. IoError: the connection broke, and whether the commands
// ran is unknown.
using PeerReplies = Result<std::vector<std::string>>;

// A call under way. Without it, the replies are dropped and a wait at the peer ends; what does not wait
// runs all the same.
class PeerCall {
 public:
  virtual ~PeerCall() = default;
};

// Safe to call from any thread.
class PeerCalls {
 public:
  virtual ~PeerCalls() = default;

  // `done` is called once, on a thread of the caller's choosing or another, and perhaps before this
  // returns; never after the call's destructor has returned.
  virtual std::unique_ptr<PeerCall> Send(PeerRequest request,
                                         std::function<void(PeerReplies)> done) = 0;
};

}  // namespace mayfly::server
