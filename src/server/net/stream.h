// stream.h - a client's byte stream over TCP, a unix socket or TLS.
#pragma once

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <span>
#include <utility>
#include <variant>

#include "mayfly/bytes.h"

namespace mayfly::server {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Local = asio::local::stream_protocol;
using TlsStream = asio::ssl::stream<Tcp::socket>;
using ErrorCode = boost::system::error_code;

class Stream {
 public:
  explicit Stream(Tcp::socket socket) : socket_(std::move(socket)) {}
  explicit Stream(Local::socket socket) : socket_(std::move(socket)) {}
  explicit Stream(std::unique_ptr<TlsStream> stream) : socket_(std::move(stream)) {}

  // Handlers are called with an ErrorCode and the number of bytes.
  template <typename Handler>
  void AsyncRead(std::span<char> room, Handler handler) {
    Visit([&](auto& socket) {
      socket.async_read_some(asio::buffer(room.data(), room.size()), std::move(handler));
    });
  }
  template <typename Handler>
  void AsyncWrite(Bytes bytes, Handler handler) {
    Visit([&](auto& socket) {
      socket.async_write_some(asio::buffer(bytes.data(), bytes.size()), std::move(handler));
    });
  }

  // Writes what the system takes at once and returns how much: nothing over TLS, or on an error,
  // which AsyncWrite() then reports.
  std::size_t TryWrite(Bytes bytes) {
    if (tls() != nullptr) return 0;
    const int descriptor = socket_.index() == 0 ? std::get<0>(socket_).native_handle()
                                                : std::get<1>(socket_).native_handle();
    const ssize_t sent =
        ::send(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent > 0 ? static_cast<std::size_t>(sent) : 0;
  }

  // Calls the handler with an ErrorCode when there is something to read, or at the end of the
  // stream.
  template <typename Handler>
  void AsyncAwaitBytes(Handler handler) {
    Visit([&](auto& socket) {
      socket.lowest_layer().async_wait(asio::socket_base::wait_read, std::move(handler));
    });
  }

  // Ends pending operations with operation_aborted; no byte that arrived is lost.
  void Cancel() {
    Visit([](auto& socket) {
      ErrorCode ignored;
      socket.lowest_layer().cancel(ignored);
    });
  }

  // Ends all pending operations with an error.
  void Close() {
    Visit([](auto& socket) {
      ErrorCode ignored;
      auto& lowest = socket.lowest_layer();
      lowest.shutdown(asio::socket_base::shutdown_both, ignored);
      lowest.close(ignored);
    });
  }

  TlsStream* tls() {
    auto* const stream = std::get_if<std::unique_ptr<TlsStream>>(&socket_);
    return stream != nullptr ? stream->get() : nullptr;
  }

 private:
  template <typename Function>
  void Visit(Function function) {
    switch (socket_.index()) {
      case 0: return function(std::get<0>(socket_));
      case 1: return function(std::get<1>(socket_));
      default: return function(*std::get<2>(socket_));
    }
  }

  std::variant<Tcp::socket, Local::socket, std::unique_ptr<TlsStream>> socket_;
};

}  // namespace mayfly::server
