// peer_link.h - one connection to another server of a cluster.
//   connect -> [HELLO 3] [AUTH] CLUSTER PEER -> requests, pipelined, and their replies in order
// Used on the thread of PeerLinks alone.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mayfly/clock.h"
#include "server/session/peer_calls.h"
#include "wire/reply_extent.h"

namespace mayfly::server {

struct PeerLogin {
  std::string user;      // Empty: the default one.
  std::string password;  // Empty: none.
};

class PeerLink : public std::enable_shared_from_this<PeerLink> {
 public:
  using Done = std::function<void(PeerReplies)>;

  PeerLink(boost::asio::io_context& context, const Clock& clock, ServerAddress to,
           ProtocolVersion version, PeerLogin login);

  void Start();

  // Busy, by `done`, when too much waits to be sent.
  void Send(const PeerRequest& request, Done done);

  // Closes; calls under way fail.
  void Close(const Status& reason);

  bool closed() const { return closed_; }
  bool idle() const { return pending_.empty(); }

  // Since when the server owes a reply to a command that does not wait.
  bool IsSilent(SteadyTime now) const;

 private:
  struct Pending {
    std::size_t replies_left = 0;
    std::vector<std::string> replies = {};
    bool waits = false;
    bool handshake = false;
    Done done = nullptr;
  };

  void Connected();
  void Write();
  void Read();
  void OnRead(std::size_t bytes);
  void TakeReply(std::string reply);
  std::string Greeting(std::size_t& replies) const;

  const Clock& clock_;
  const ServerAddress to_;
  const ProtocolVersion version_;
  const PeerLogin login_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::ip::tcp::socket socket_;
  std::string queued_;   // Behind the greeting.
  std::string sending_;  // Of the write under way.
  std::string arrived_;
  std::vector<char> room_;
  ReplyExtent extent_;
  std::deque<Pending> pending_;
  bool greeted_ = false;  // Requests may be sent.
  bool writing_ = false;
  bool closed_ = false;
  SteadyTime last_sign_;  // When bytes came, or the oldest request was made.
};

}  // namespace mayfly::server
