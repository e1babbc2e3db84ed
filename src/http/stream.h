// stream.h - a client's byte stream: TCP, or TLS over it.
// Over TLS one read and one write may be pending at a time, as over TCP.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <utility>

namespace mayfly::http {

class Stream {
 public:
  // With the loop's executor type: Asio need not look it up for each operation.
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                                  boost::asio::io_context::executor_type>;
  using Tls = boost::asio::ssl::stream<Socket&>;

  // Null: no TLS. The context may be dropped afterwards.
  Stream(Socket socket, boost::asio::ssl::context* context) : socket_(std::move(socket)) {
    if (context != nullptr) tls_ = std::make_unique<Tls>(socket_, *context);
    is_tls_ = tls_ != nullptr;
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Below TLS.
  Socket& socket() { return socket_; }
  Tls& tls() { return *tls_; }
  bool is_tls() const { return is_tls_; }

  // What is sent and received from now on is plain: for a client that does not speak TLS. The
  // object stays, since its handler calls this.
  void DropTls() { is_tls_ = false; }

  template <typename Buffer, typename Handler>
  void AsyncRead(const Buffer& room, Handler handler) {
    if (is_tls_) return tls_->async_read_some(room, std::move(handler));
    socket_.async_read_some(room, std::move(handler));
  }

  // All of it.
  template <typename Buffer, typename Handler>
  void AsyncWrite(const Buffer& bytes, Handler handler) {
    if (is_tls_) return boost::asio::async_write(*tls_, bytes, std::move(handler));
    boost::asio::async_write(socket_, bytes, std::move(handler));
  }

 private:
  Socket socket_;
  std::unique_ptr<Tls> tls_;
  bool is_tls_ = false;
};

}  // namespace mayfly::http
