// server.h - HTTP/1.1 on one port, with threads of its own: a slow request there delays no client
// of the Redis protocol.
//   acceptor, on a thread that does nothing else -> loops, in turn: one thread each, its clients
// A client that comes while a handler runs on the loop whose turn it is goes to one that is free.
// A connection stays in its loop, so it needs no lock. Accepting has its own thread because a slow
// handler beside it would keep all clients out, even if another loop is free.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http/body_budget.h"
#include "http/handshakes.h"
#include "http/limits.h"
#include "http/loop.h"
#include "http/router.h"
#include "mayfly/logger.h"
#include "mayfly/status.h"

namespace mayfly::http {

// Whether an address is reachable from this machine only. False for no IP address.
bool IsLoopback(const std::string& address);

struct ServerOptions {
  std::size_t connections_max = kConnectionsMax;   // One more gets an error and is closed.
  std::size_t bodies_bytes_max = kBodiesBytesMax;  // Of all clients; see body_budget.h.
  std::size_t handshakes_max = kHandshakesMax;     // At a time; see handshakes.h.
  std::chrono::milliseconds tick = kTick;          // Less, in tests: all times pass faster.
};

class Server {
 public:
  // Both must outlive it; the router is not changed after Start().
  Server(const Router& router, Logger& logger, const ServerOptions& options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Listens. Port 0 takes a free one. IoError and Invalid name the address and the reason.
  Status Open(const std::string& address, int port);

  // Instead of Open(): listens on a socket of TCP that listens already.
  Status Adopt(int descriptor, bool is_v6);

  // Clients that come from now on speak TLS, with this certificate, or none when it is null. From
  // any thread, at any time.
  void SetTls(std::shared_ptr<boost::asio::ssl::context> tls);

  // No effect when it was not opened.
  void Start(std::size_t threads);

  // Waits for running handlers.
  void Stop();

  // 0 before Open() and Adopt().
  int port() const { return port_; }
  const std::string& address() const { return address_; }
  std::size_t connections() const { return connections_; }
  std::size_t bodies_bytes() const { return bodies_.used(); }
  std::size_t handshakes() const { return handshakes_.count(); }

 private:
  void Accept();
  void Rest();
  Loop& NextLoop();
  void Welcome(Loop& loop, const boost::asio::ip::tcp& protocol, int descriptor);
  std::shared_ptr<boost::asio::ssl::context> Tls() const;

  const Router& router_;
  Logger& logger_;
  const ServerOptions options_;
  mutable std::mutex mutex_;
  std::shared_ptr<boost::asio::ssl::context> tls_;  // Guarded by mutex_; shared with its owner.
  BodyBudget bodies_;                               // Outlives the connections, as the next two do.
  Handshakes handshakes_;
  std::atomic<std::size_t> connections_{0};   // Outlives the loops, which hold the last of them.
  std::vector<std::unique_ptr<Loop>> loops_;  // Outlive a client that is being accepted.
  std::size_t next_loop_ = 0;                 // On the accepting thread.
  boost::asio::io_context context_{1};        // Of accepting alone.
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer rest_;
  std::thread accepting_;
  std::string address_;
  int port_ = 0;
};

}  // namespace mayfly::http
