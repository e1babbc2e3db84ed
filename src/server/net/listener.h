// listener.h - accepts clients and hands each to the thread with the fewest.
// One acceptor per address, without SO_REUSEPORT: the kernel would spread clients by a hash, so
// that two busy ones may share a thread while another is idle, and a second server on the same port
// would start without an error.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mayfly/status.h"
#include "server/net/address.h"
#include "server/net/io_thread.h"
#include "server/net/passed_socket.h"
#include "server/net/stream.h"

namespace mayfly::server {

class Listener {
 public:
  // Accepts on `context`; all must outlive it.
  Listener(asio::io_context& context, Server& server,
           std::vector<std::unique_ptr<IoThread>>& threads)
      : context_(context), server_(server), threads_(threads) {}

  // Listens on those of the passed sockets that are not for HTTP, or if there are none, on the
  // addresses of the settings. IoError names the address and the reason.
  Status Open(const std::vector<PassedSocket>& passed = {});

  // Opens the addresses that the settings have now, and closes the others. On failure everything
  // stays as it is. Unsupported with passed sockets. On the thread of `context`.
  Status Reopen();

  // New clients get the certificates and ciphers of the current settings. On the thread of
  // `context`.
  Status RenewTls();

  // Stops accepting, and removes the unix socket.
  void Close();

  int port() const { return port_; }
  int tls_port() const { return tls_port_; }

  // Where clients can connect, as text.
  const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  struct TcpDoor {
    Tcp::acceptor acceptor;
    bool tls;
  };

  Status OpenTcp(int port, bool tls, std::atomic<int>& bound_port);
  Status OpenOne(const Tcp::endpoint& endpoint, bool tls);
  Status OpenUnix(const std::string& path);
  Status OpenDoors();
  Status OpenPassed(const PassedSocket& socket);
  void CloseDoors();
  void Accept(const std::shared_ptr<TcpDoor>& door);
  RequestLimits Limits() const;
  void AcceptUnix();
  void Rest(const ErrorCode& error, std::function<void()> accept);
  void Welcome(const TcpDoor& door, Tcp::socket socket, IoThread& thread);
  void WelcomeUnix(Local::socket socket, IoThread& thread);
  IoThread& Idlest();

  // Empty, or the error line with which a client is refused.
  std::string TurnAway(bool local) const;

  asio::io_context& context_;
  Server& server_;
  std::vector<std::unique_ptr<IoThread>>& threads_;
  std::shared_ptr<asio::ssl::context> tls_;      // Shared with clients that are being adopted.
  std::vector<std::shared_ptr<TcpDoor>> doors_;  // Shared with pending accepts.
  std::unique_ptr<Local::acceptor> unix_door_;
  std::string unix_path_;
  bool unix_is_passed_ = false;  // Its file belongs to the one who passed it.
  bool passed_ = false;
  asio::steady_timer rest_{context_};
  std::vector<std::string> addresses_;
  std::atomic<int> port_{0};
  std::atomic<int> tls_port_{0};
};

}  // namespace mayfly::server
