// across_call.h - a command that other servers run as well, and one reply from theirs and our own.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/executor/peer_commands.h"
#include "wire/reply.h"

namespace mayfly::server {

class AcrossCall : public std::enable_shared_from_this<AcrossCall> {
 public:
  // One reply of those of all servers, in RESP3; on any thread.
  using Combine = std::function<Reply(std::vector<Reply> replies)>;

  struct Order {
    std::vector<ServerAddress> others;  // At least one.
    std::string command;                // WireText() of it.
    Combine combine;
    std::vector<Reply> own;                             // Of the shards here.
    ProtocolVersion version = ProtocolVersion::kResp2;  // Of the merged reply.
  };
  // The reply as the client is to have it. On any thread, once; not after the object is gone.
  using Done = std::function<void(std::string reply)>;

  // `peers` must outlive it.
  static std::shared_ptr<AcrossCall> Start(PeerCalls& peers, Order order, Done done);

  AcrossCall(Order order, Done done) : done_(std::move(done)), order_(std::move(order)) {}

 private:
  void Take(const std::string& bytes);

  const Done done_;
  std::mutex mutex_;
  // Guarded by mutex_.
  Order order_;
  std::size_t missing_ = 0;
  std::vector<std::shared_ptr<PeerCommands>> calls_;
};

}  // namespace mayfly::server
