// server.h - HTTP/1.1 on one port, with threads of its own: a slow question there delays no client
// of the Redis protocol, and other questions only when all threads have slow ones.
// Connections are kept alive; requests that arrive together are answered one after the other, in
// their order.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "http/router.h"
#include "mayfly/logger.h"
#include "mayfly/status.h"

namespace mayfly::http {

// Whether only this machine can reach an address. False for what is no IP address.
bool IsLoopback(const std::string& address);

class Server {
 public:
  // Both must outlive it; the router is not changed after Start().
  Server(const Router& router, Logger& logger);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Listens. Port 0 takes a free one. IoError and Invalid say where and why not.
  Status Open(const std::string& address, int port);

  // Nothing when it was not opened.
  void Start(std::size_t threads);

  // Handlers that run are waited for.
  void Stop();

  // 0 before Open().
  int port() const { return port_; }
  const std::string& address() const { return address_; }

 private:
  void Accept();

  const Router& router_;
  Logger& logger_;
  std::atomic<std::size_t> connections_{0};  // Outlives context_, which holds the last of them.
  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer rest_;
  std::vector<std::thread> threads_;
  std::string address_;
  int port_ = 0;
};

}  // namespace mayfly::http
