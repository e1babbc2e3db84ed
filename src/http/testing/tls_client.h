// tls_client.h - a client that speaks TLS, and the context of a server for it. For tests.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "http/testing/self_signed.h"

namespace mayfly::http {

inline std::shared_ptr<boost::asio::ssl::context> ServerContext(const SelfSigned& certificate) {
  namespace ssl = boost::asio::ssl;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  context->use_certificate_chain_file(certificate.certificate_file);
  context->use_private_key_file(certificate.key_file, ssl::context::pem);
  return context;
}

class TlsClient {
 public:
  // Trusts this certificate alone.
  TlsClient(int port, const SelfSigned& trusted) : stream_(context_, tls_) {
    tls_.load_verify_file(trusted.certificate_file);
    stream_.set_verify_mode(boost::asio::ssl::verify_peer);
    stream_.lowest_layer().connect(
        {boost::asio::ip::address_v4::loopback(), static_cast<unsigned short>(port)});
    stream_.handshake(boost::asio::ssl::stream_base::client, error_);
  }

  bool connected() const { return !error_; }

  void Send(std::string_view bytes) {
    boost::system::error_code ignored;
    boost::asio::write(stream_, boost::asio::buffer(bytes), ignored);
  }

  // Until `end` was received, or the server closed.
  std::string ReadUntil(std::string_view end) {
    std::string text;
    while (text.find(end) == std::string::npos && ReadPiece(text)) continue;
    return text;
  }
  std::string ReadAll() {
    std::string text;
    while (ReadPiece(text)) continue;
    return text;
  }

  // Whether the server has said the end of TLS, and not only closed.
  bool ended() const { return error_ == boost::asio::error::eof; }

 private:
  bool ReadPiece(std::string& text) {
    char piece[4096];
    const std::size_t bytes = stream_.read_some(boost::asio::buffer(piece), error_);
    text.append(piece, bytes);
    return !error_;
  }

  boost::asio::io_context context_;
  boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_client};
  boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream_;
  boost::system::error_code error_;
};

}  // namespace mayfly::http
