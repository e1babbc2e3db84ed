// http_server.h - HTTP/1.1 on one port, with a thread of its own: a slow question there delays no
// client of the Redis protocol.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <thread>

#include "mayfly/logger.h"
#include "mayfly/status.h"
#include "server/http/http_router.h"

namespace mayfly::server {

class HttpServer {
 public:
  // Both must outlive it; the router is not changed after Start().
  HttpServer(const HttpRouter& router, Logger& logger);
  ~HttpServer();

  // Listens. Port 0 takes a free one. IoError and Invalid say where and why not.
  Status Open(const std::string& address, int port);

  // Nothing when it was not opened.
  void Start();
  void Stop();

  // 0 before Open().
  int port() const { return port_; }
  const std::string& address() const { return address_; }

 private:
  void Accept();

  const HttpRouter& router_;
  Logger& logger_;
  boost::asio::io_context context_{1};
  boost::asio::ip::tcp::acceptor acceptor_;
  std::thread thread_;
  std::string address_;
  int port_ = 0;
};

}  // namespace mayfly::server
