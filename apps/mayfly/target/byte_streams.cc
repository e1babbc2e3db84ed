#include "apps/mayfly/target/byte_streams.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl.hpp>
#include <chrono>
#include <optional>

#include "apps/mayfly/terminal/interrupt.h"
#include "apps/mayfly/terminal/units.h"

namespace mayfly::app {
namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using Error = boost::system::error_code;
using Tcp = asio::ip::tcp;
using Local = asio::local::stream_protocol;

constexpr std::chrono::milliseconds kTurn(100);

Status Failure(const std::string& where, std::string_view what, const Error& error) {
  if (error == asio::error::eof) {
    return Status::IoError(fmt::format("{}: the server closed the connection", where));
  }
  return Status::IoError(fmt::format("{}: {}: {}", where, what, error.message()));
}

// Over a socket, or a socket with TLS on top.
template <typename Socket>
class SocketStream final : public ByteStream {
 public:
  template <typename... Args>
  explicit SocketStream(std::string where, Args&&... args)
      : where_(std::move(where)), socket_(context_, std::forward<Args>(args)...) {}

  asio::io_context& context() { return context_; }
  Socket& socket() { return socket_; }

  Status Write(Bytes bytes, Millis timeout) override {
    while (!bytes.empty()) {
      std::size_t written = 0;
      MAYFLY_RETURN_IF_ERROR(Await("cannot send", timeout, [&](auto done) {
        socket_.async_write_some(asio::buffer(bytes.data(), bytes.size()),
                                 [&written, done](const Error& error, std::size_t size) {
                                   written = size;
                                   done(error);
                                 });
      }));
      bytes.remove_prefix(written);
    }
    return {};
  }

  Status Read(ReplyParser& parser, Millis timeout) override {
    return Await("cannot receive", timeout, [&](auto done) {
      socket_.async_read_some(asio::buffer(buffer_),
                              [this, &parser, done](const Error& error, std::size_t size) {
                                parser.Feed(Bytes(buffer_.data(), size));
                                done(error);
                              });
    });
  }

  // Starts an operation, and waits until it has called back. The wait is in short turns: a signal
  // may come just before one, or be handled by another thread, and would not end it. After an error
  // the connection cannot be used any more: what was sent, or is still to come, is not known.
  template <typename Start>
  Status Await(std::string_view what, Millis timeout, const Start& start) {
    std::optional<Error> ended;
    const auto began = std::chrono::steady_clock::now();
    start([&ended](const Error& error, const auto&... /*more*/) { ended = error; });
    context_.restart();
    while (!ended) {
      context_.run_for(kTurn);
      const bool late = timeout != kForever && std::chrono::steady_clock::now() - began >= timeout;
      if (ended || (!late && !Interrupted())) continue;
      Error ignored;
      socket_.lowest_layer().close(ignored);
      context_.run();  // The operation refers to this frame.
      if (Interrupted()) return Status::Conflict("interrupted");
      return Status::IoError(
          fmt::format("{}: {}: no answer for {}; --timeout changes how long is waited", where_,
                      what, ToText(timeout)));
    }
    return *ended ? Failure(where_, what, *ended) : Status();
  }

 private:
  const std::string where_;
  asio::io_context context_;
  Socket socket_;
  std::array<char, 65536> buffer_;
};

// Of a socket, or of one with TLS on top.
template <typename Socket>
Status ConnectTcp(const ServerUrl& url, Millis timeout, SocketStream<Socket>& stream) {
  Error error;
  Tcp::resolver resolver(stream.context());
  const auto addresses = resolver.resolve(url.host, url.port, error);
  if (error) return Failure(url.ToString(), "no such host", error);
  auto& socket = stream.socket().lowest_layer();
  MAYFLY_RETURN_IF_ERROR(stream.Await(
      "cannot connect", timeout, [&](auto done) { asio::async_connect(socket, addresses, done); }));
  socket.set_option(Tcp::no_delay(true), error);
  return {};
}

Result<std::unique_ptr<ByteStream>> OpenTcp(const ServerUrl& url, Millis timeout) {
  auto stream = std::make_unique<SocketStream<Tcp::socket>>(url.ToString());
  MAYFLY_RETURN_IF_ERROR(ConnectTcp(url, timeout, *stream));
  return std::unique_ptr<ByteStream>(std::move(stream));
}

Result<std::unique_ptr<ByteStream>> OpenUnix(const ServerUrl& url, Millis timeout) {
  auto stream = std::make_unique<SocketStream<Local::socket>>(url.ToString());
  MAYFLY_RETURN_IF_ERROR(stream->Await("cannot connect", timeout, [&](auto done) {
    stream->socket().async_connect(Local::endpoint(url.host), done);
  }));
  return std::unique_ptr<ByteStream>(std::move(stream));
}

// What a handshake's failure probably means. A server without TLS waits for the end of what it
// takes for a command, closes, or answers in plain text.
Status HandshakeFailure(const Status& failure) {
  if (failure.code() != StatusCode::kIoError ||
      failure.message().find("certificate") != std::string_view::npos) {
    return failure;
  }
  return Status::IoError(
      fmt::format("{}. Does the server speak TLS on this port? A URL with redis:// goes without",
                  failure.message()));
}

Result<std::unique_ptr<ByteStream>> OpenTls(const ServerUrl& url, const TlsOptions& tls,
                                            Millis timeout) {
  ssl::context context(ssl::context::tls_client);
  Error error;
  if (tls.ca_file.empty()) {
    context.set_default_verify_paths(error);
  } else {
    context.load_verify_file(tls.ca_file, error);
    if (error) return Failure(tls.ca_file, "no certificates", error);
  }
  // The stream shares the context's state by count; the context itself may go.
  auto stream = std::make_unique<SocketStream<ssl::stream<Tcp::socket>>>(url.ToString(), context);
  MAYFLY_RETURN_IF_ERROR(ConnectTcp(url, timeout, *stream));
  stream->socket().set_verify_mode(tls.insecure ? ssl::verify_none : ssl::verify_peer);
  stream->socket().set_verify_callback(ssl::host_name_verification(url.host));
  // The macro SSL_set_tlsext_host_name() casts away const in the old style.
  std::string host = url.host;
  SSL_ctrl(stream->socket().native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
           TLSEXT_NAMETYPE_host_name, host.data());
  const Status shaken = stream->Await("TLS", timeout, [&](auto done) {
    stream->socket().async_handshake(ssl::stream_base::client, done);
  });
  if (!shaken.ok()) return HandshakeFailure(shaken);
  return std::unique_ptr<ByteStream>(std::move(stream));
}

}  // namespace

Result<std::unique_ptr<ByteStream>> OpenStream(const ServerUrl& url, const TlsOptions& tls,
                                               Millis timeout) {
  switch (url.scheme) {
    case ServerUrl::Scheme::kTcp: return OpenTcp(url, timeout);
    case ServerUrl::Scheme::kTls: return OpenTls(url, tls, timeout);
    case ServerUrl::Scheme::kUnix: return OpenUnix(url, timeout);
  }
  return Status::Internal("a scheme of its own");
}

}  // namespace mayfly::app
