// network.h - a server with its threads and sockets.
//   Open() -> Run(), until Stop(), SIGINT, SIGTERM or SHUTDOWN
// The thread that calls Run() accepts clients and waits for signals; each IoThread serves some; one
// more makes commits durable every second; some answer HTTP. All of them have ended when Run()
// returns, and everything acknowledged is on disk.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/router.h"
#include "http/server.h"
#include "mayfly/status.h"
#include "server/net/eviction_thread.h"
#include "server/net/fsync_thread.h"
#include "server/net/io_thread.h"
#include "server/net/listener.h"
#include "server/net/passed_socket.h"
#include "server/session/server.h"

namespace mayfly::server {

class RequestStatistics;
class WaitingThreads;

struct NetworkOptions {
  bool catch_signals = false;  // SIGINT and SIGTERM stop it. Off in tests.
  // One for HTTP replaces http-bind and http-port; any other replaces bind, port, tls-port and
  // unixsocket.
  std::vector<PassedSocket> sockets = {};
  // Shown in /metrics. Null: none are counted.
  const RequestStatistics* requests = nullptr;
  // Where threads that serve clients say what they do while they wait. Null: they wait. Outlives it.
  WaitingThreads* waiting_threads = nullptr;
  // Called once when it begins to stop, on the thread of Run().
  std::function<void()> on_stop = nullptr;
};

class Network {
 public:
  // The server must outlive it.
  explicit Network(Server& server, NetworkOptions options = {});
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Listens. IoError and Invalid name the address and the reason.
  Status Open();

  // Serves until it is stopped. Returns the Status of the last save.
  Status Run();

  // From any thread.
  void Stop();

  int port() const { return listener_.port(); }
  int tls_port() const { return listener_.tls_port(); }
  int http_port() const { return http_.port(); }
  const std::string& http_address() const { return http_.address(); }
  std::vector<std::string> addresses() const { return listener_.addresses(); }
  http::Router& router() { return router_; }

 private:
  struct Followed;
  static const Followed kFollowed[];

  // CONFIG SET of addresses, ports and TLS: from the threads of clients, on the thread of Run().
  Status Follow(Status (Network::*change)(), std::string_view fault);
  Status Reopen() { return listener_.Reopen(); }
  Status RenewTls();
  Status OpenHttp();

  Server& server_;
  const NetworkOptions options_;
  // Outlive context_: a client that is being accepted has its socket on one of them.
  std::vector<std::unique_ptr<IoThread>> threads_;
  asio::io_context context_{1};
  asio::signal_set signals_;
  Listener listener_;
  http::Router router_;
  http::Server http_;
  FsyncThread fsync_;
  EvictionThread eviction_;
  bool stopping_ = false;  // On the thread of Run().
};

}  // namespace mayfly::server
