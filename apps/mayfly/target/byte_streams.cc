#include "apps/mayfly/target/byte_streams.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl.hpp>

#include "apps/mayfly/interrupt.h"

namespace mayfly::app {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr int kTurnMs = 100;

Status Failure(const std::string& where, std::string_view what, const Error& error) {
  if (Interrupted()) return Status::Conflict("interrupted");
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

  Status Write(Bytes bytes) override {
    while (!bytes.empty()) {
      Error error;
      const std::size_t size = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), error);
      bytes.remove_prefix(size);
      if (error == asio::error::would_block) {
        MAYFLY_RETURN_IF_ERROR(Await(POLLOUT));
      } else if (error) {
        return Failure(where_, "cannot send", error);
      }
    }
    return {};
  }

  Status Read(ReplyParser& parser) override {
    while (true) {
      Error error;
      const std::size_t size = socket_.read_some(asio::buffer(buffer_), error);
      if (!error) {
        parser.Feed(Bytes(buffer_.data(), size));
        return {};
      }
      if (error != asio::error::would_block) return Failure(where_, "cannot receive", error);
      MAYFLY_RETURN_IF_ERROR(Await(POLLIN));
    }
  }

  // Once it is connected.
  void EndBlocking() { socket_.lowest_layer().non_blocking(true); }

 private:
  // Waits for the socket, in short turns: a signal may come just before the wait, or be handled by
  // another thread, and would not end it.
  Status Await(short events) {
    pollfd one{.fd = socket_.lowest_layer().native_handle(), .events = events, .revents = 0};
    while (::poll(&one, 1, kTurnMs) <= 0) {
      if (Interrupted()) return Status::Conflict("interrupted");
    }
    return {};
  }

  const std::string where_;
  asio::io_context context_;
  Socket socket_;
  std::array<char, 65536> buffer_;
};

Status ConnectTcp(const ServerUrl& url, asio::io_context& context, Tcp::socket& socket) {
  Error error;
  Tcp::resolver resolver(context);
  const auto addresses = resolver.resolve(url.host, url.port, error);
  if (error) return Failure(url.ToString(), "no such host", error);
  asio::connect(socket, addresses, error);
  if (error) return Failure(url.ToString(), "cannot connect", error);
  socket.set_option(Tcp::no_delay(true), error);
  return {};
}

Result<std::unique_ptr<ByteStream>> OpenTcp(const ServerUrl& url) {
  auto stream = std::make_unique<SocketStream<Tcp::socket>>(url.ToString());
  MAYFLY_RETURN_IF_ERROR(ConnectTcp(url, stream->context(), stream->socket()));
  stream->EndBlocking();
  return std::unique_ptr<ByteStream>(std::move(stream));
}

Result<std::unique_ptr<ByteStream>> OpenUnix(const ServerUrl& url) {
  using Local = asio::local::stream_protocol;
  auto stream = std::make_unique<SocketStream<Local::socket>>(url.ToString());
  Error error;
  stream->socket().connect(Local::endpoint(url.host), error);
  if (error) return Failure(url.ToString(), "cannot connect", error);
  stream->EndBlocking();
  return std::unique_ptr<ByteStream>(std::move(stream));
}

Result<std::unique_ptr<ByteStream>> OpenTls(const ServerUrl& url, const TlsOptions& tls) {
  namespace ssl = asio::ssl;
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
  MAYFLY_RETURN_IF_ERROR(ConnectTcp(url, stream->context(), stream->socket().next_layer()));
  stream->socket().set_verify_mode(tls.insecure ? ssl::verify_none : ssl::verify_peer);
  stream->socket().set_verify_callback(ssl::host_name_verification(url.host));
  // The macro SSL_set_tlsext_host_name() casts away const in the old style.
  std::string host = url.host;
  SSL_ctrl(stream->socket().native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
           TLSEXT_NAMETYPE_host_name, host.data());
  stream->socket().handshake(ssl::stream_base::client, error);
  if (error) return Failure(url.ToString(), "TLS", error);
  stream->EndBlocking();
  return std::unique_ptr<ByteStream>(std::move(stream));
}

}  // namespace

Result<std::unique_ptr<ByteStream>> OpenStream(const ServerUrl& url, const TlsOptions& tls) {
  switch (url.scheme) {
    case ServerUrl::Scheme::kTcp: return OpenTcp(url);
    case ServerUrl::Scheme::kTls: return OpenTls(url, tls);
    case ServerUrl::Scheme::kUnix: return OpenUnix(url);
  }
  return Status::Internal("a scheme of its own");
}

}  // namespace mayfly::app
