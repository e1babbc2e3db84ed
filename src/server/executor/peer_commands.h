// peer_commands.h - commands of a client that run at another server.
// A reply MOVED is followed, up to a bound, and after the first ones with pauses of about two seconds
// in all: the peer may have handed the shard over since, or may be about to get it. Commands
// that were moved are sent again in their order, once all replies have come.
// When the server falls silent and others take its shards, commands that change nothing are sent
// to the new owner, and so are all when nothing had been sent. Whether the others have run is unknown:
// their client hears that, and they are not repeated.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/session/peer_calls.h"

namespace mayfly::server {

// The error of a call that had no replies.
std::string LineOf(const Status& failure);

class PeerCommands : public std::enable_shared_from_this<PeerCommands> {
 public:
  struct Order {
    ServerAddress to;
    ProtocolVersion version = ProtocolVersion::kResp2;
    std::vector<std::string> commands;  // WireText() of each.
    bool waits = false;
    bool is_transaction = false;  // MULTI to EXEC: moved as a whole, and only EXEC's reply counts.
    std::vector<bool> changes_nothing =
        {};  // Of each command; those left out may change something.
    // Where the commands are to go now; without a port: nobody knows. Null: nowhere else.
    std::function<ServerAddress()> find_again = nullptr;
  };
  // The replies, one behind the other as the client is to have them. On any thread, once; not after
  // the object is gone.
  using Done = std::function<void(std::vector<std::string> replies)>;

  // `peers` must outlive it.
  static std::shared_ptr<PeerCommands> Start(PeerCalls& peers, Order order, Done done);

  PeerCommands(PeerCalls& peers, Order order, Done done);

 private:
  void Send();
  void OnReplies(const PeerReplies& replies);
  bool TakeReplies(const std::vector<std::string>& replies);  // False: some were moved.
  bool TakeFailure(const Status& failure);                    // False: some are sent again.

  PeerCalls& peers_;
  const Done done_;
  std::mutex mutex_;
  // Guarded by mutex_.
  Order order_;
  std::vector<std::size_t> waiting_;  // Places of commands without a reply.
  std::vector<std::string> replies_;
  int hops_ = 0;
  std::vector<std::unique_ptr<PeerCall>> calls_;  // The last is under way.
};

}  // namespace mayfly::server
