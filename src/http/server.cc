#include "http/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/strand.hpp>
#include <memory>
#include <utility>

#include "base/log.h"
#include "http/connection.h"
#include "http/limits.h"

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

Server::Server(const Router& router, Logger& logger)
    : router_(router), logger_(logger), acceptor_(context_), rest_(context_) {}

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

void Server::Start(std::size_t threads) {
  if (port_ == 0) return;
  Accept();
  for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i) {
    threads_.emplace_back([this] { context_.run(); });
  }
}

void Server::Stop() {
  context_.stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Server::Accept() {
  acceptor_.async_accept(
      asio::make_strand(context_), [this](const ErrorCode& error, Tcp::socket socket) {
        if (error == asio::error::operation_aborted) return;
        if (error) {
          Log(logger_, LogLevel::kWarning, "http: cannot accept a client: {}", error.message());
          rest_.expires_after(kAcceptRest);
          rest_.async_wait([this](const ErrorCode& ended) {
            if (!ended) Accept();
          });
          return;
        }
        const auto executor = socket.get_executor();
        auto client = std::make_shared<Connection>(std::move(socket), router_, connections_);
        const bool too_many = connections_ > kConnectionsMax;
        asio::dispatch(executor,
                       [client, too_many] { too_many ? client->TurnAway() : client->Start(); });
        Accept();
      });
}

}  // namespace mayfly::http
