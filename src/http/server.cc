#include "http/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <memory>
#include <utility>

#include "base/log.h"
#include "http/connection.h"

namespace mayfly::http {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;

}  // namespace

bool IsLoopback(const std::string& address) {
  ErrorCode error;
  const auto ip = asio::ip::make_address(address, error);
  return !error && ip.is_loopback();
}

Server::Server(const Router& router, Logger& logger, const ServerOptions& options)
    : router_(router),
      logger_(logger),
      options_(options),
      bodies_(options.bodies_bytes_max),
      handshakes_(options.handshakes_max),
      acceptor_(context_),
      rest_(context_) {}

Server::~Server() { Stop(); }

Status Server::Open(const std::string& address, int port) {
  ErrorCode error;
  const auto ip = asio::ip::make_address(address, error);
  if (error) return Status::Invalid(fmt::format("http-bind '{}' is no IP address", address));
  const Tcp::endpoint endpoint(ip, static_cast<unsigned short>(port));
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return Status::IoError(
        fmt::format("cannot listen on {}:{} (http): {}", address, port, error.message()));
  }
  port_ = acceptor_.local_endpoint().port();
  address_ = address;
  return {};
}

Status Server::Adopt(int descriptor, bool is_v6) {
  ErrorCode error;
  acceptor_.assign(is_v6 ? Tcp::v6() : Tcp::v4(), descriptor, error);
  Tcp::endpoint endpoint;
  if (!error) endpoint = acceptor_.local_endpoint(error);
  if (error) {
    return Status::IoError(fmt::format("cannot listen on a passed socket: {}", error.message()));
  }
  port_ = endpoint.port();
  address_ = endpoint.address().to_string();
  return {};
}

void Server::SetTls(std::shared_ptr<asio::ssl::context> tls) {
  const std::lock_guard lock(mutex_);
  tls_ = std::move(tls);
}

std::shared_ptr<asio::ssl::context> Server::Tls() const {
  const std::lock_guard lock(mutex_);
  return tls_;
}

void Server::Start(std::size_t threads) {
  if (port_ == 0) return;
  for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i) {
    loops_.push_back(std::make_unique<Loop>(router_, bodies_, handshakes_, options_.tick));
    loops_.back()->Start();
  }
  Accept();
  accepting_ = std::thread([this] { context_.run(); });
}

void Server::Stop() {
  context_.stop();
  if (accepting_.joinable()) accepting_.join();
  for (const auto& loop : loops_) loop->Stop();
}

Loop& Server::NextLoop() {
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    Loop& loop = *loops_[next_loop_++ % loops_.size()];
    if (!loop.is_busy()) return loop;
  }
  return *loops_[next_loop_++ % loops_.size()];
}

// The loop is chosen when the client has come, so its socket is made anew there.
void Server::Accept() {
  acceptor_.async_accept(context_, [this](ErrorCode error, Tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      const Tcp protocol = socket.local_endpoint(error).protocol();
      const int descriptor = error ? -1 : socket.release(error);
      if (!error) Welcome(NextLoop(), protocol, descriptor);
      return Accept();  // A client that has gone already is none.
    }
    Log(logger_, LogLevel::kWarning, "http: cannot accept a client: {}", error.message());
    Rest();
  });
}

void Server::Welcome(Loop& loop, const Tcp& protocol, int descriptor) {
  Stream::Socket socket(loop.context(), protocol, descriptor);
  auto client = std::make_shared<Connection>(loop, std::move(socket), Tls().get(), connections_);
  const bool too_many = connections_ > options_.connections_max;
  // Moved: the last reference must be held by its loop.
  asio::post(loop.context(), [client = std::move(client), too_many] {
    too_many ? client->TurnAway() : client->Start();
  });
}

void Server::Rest() {
  rest_.expires_after(kAcceptRest);
  rest_.async_wait([this](const ErrorCode& ended) {
    if (!ended) Accept();
  });
}

}  // namespace mayfly::http
