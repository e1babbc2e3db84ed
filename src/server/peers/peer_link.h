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
  std::string user;       // Empty: the default one.
  std::string password;   // Empty: none.
  std::string self = {};  // The address of this server; empty: it is not known yet.
};

class PeerLink : public std::enable_shared_from_this<PeerLink> {
 public:
  using Done = std::function<void(PeerReplies)>;

  // Called with the reason when the other server refuses the login.
  using OnRefused = std::function<void(const Status&)>;

  PeerLink(boost::asio::io_context& context, const Clock& clock, ServerAddress to,
           ProtocolVersion version, PeerLogin login, OnRefused on_refused);

  void Start();

  // Busy, by `done`, when too much waits to be sent.
  void Send(const PeerRequest& request, Done done);

  // Closes; calls under way fail.
  void Close(const Status& reason);

  bool closed() const { return closed_; }
  bool idle() const { return pending_.empty(); }

  // Whether the server has owed a reply to a command that does not wait for too long.
  bool IsSilent(SteadyTime now) const;

  // Whether it has owed one to any command for so long.
  bool OwesFor(std::chrono::milliseconds length, SteadyTime now) const {
    return !pending_.empty() && now - last_sign_ > length;
  }

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
  void EndRefused(const std::string& line);
  std::string Greeting(std::size_t& replies) const;

  const Clock& clock_;
  const ServerAddress to_;
  const ProtocolVersion version_;
  const PeerLogin login_;
  const OnRefused on_refused_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::ip::tcp::socket socket_;
  std::string queued_;   // Behind the greeting.
  std::string sending_;  // Of the write under way.
  std::string arrived_;
  std::vector<char> room_;
  ReplyExtent extent_;
  std::deque<Pending> pending_;
  bool greeted_ = false;  // Requests may be sent.
  bool refused_ = false;  // Nothing is read any more.
  bool writing_ = false;
  bool closed_ = false;
  SteadyTime last_sign_;  // When bytes came, or the oldest request was made.
};

}  // namespace mayfly::server
