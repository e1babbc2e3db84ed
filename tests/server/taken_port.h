// taken_port.h - ports of the loopback interface for tests.
#pragma once

#include <boost/asio.hpp>

namespace mayfly::server {

// Holds a port without accepting.
class TakenPort {
 public:
  int number() const { return acceptor_.local_endpoint().port(); }

 private:
  using Tcp = boost::asio::ip::tcp;

  boost::asio::io_context context_;
  Tcp::acceptor acceptor_{context_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
};

// An unused port, for a setting that does not take 0.
inline int FreePort() { return TakenPort().number(); }

}  // namespace mayfly::server
