// raw_client.h - a client that sends and reads bytes, and a few requests as bytes. For tests.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace mayfly::http {

class RawClient {
 public:
  explicit RawClient(int port) : socket_(context_) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), static_cast<unsigned short>(port)});
    socket_.set_option(boost::asio::ip::tcp::no_delay(true));
  }

  void Send(std::string_view bytes) {
    boost::system::error_code ignored;  // The server may have closed: what it sent before counts.
    boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
  }

  // Until `end` was received so many times, or the server closed.
  std::string ReadUntil(std::string_view end, std::size_t times = 1) {
    std::string text;
    std::size_t from = 0;
    do {
      for (auto at = text.find(end, from); at != std::string::npos; at = text.find(end, from)) {
        from = at + end.size();
        if (--times == 0) return text;
      }
    } while (ReadPiece(text));
    return text;
  }

  // Until the server closed.
  std::string ReadAll() {
    std::string text;
    while (ReadPiece(text)) continue;
    return text;
  }

 private:
  // A server that neither answers nor closes fails the test instead of hanging it.
  static constexpr int kPatienceMs = 20'000;

  bool ReadPiece(std::string& text) {
    pollfd readable = {.fd = socket_.native_handle(), .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, kPatienceMs) != 1) {
      ADD_FAILURE() << "the server says nothing more, after " << text.size() << " bytes";
      return false;
    }
    char piece[4096];
    boost::system::error_code error;
    const std::size_t bytes = socket_.read_some(boost::asio::buffer(piece), error);
    text.append(piece, bytes);
    return !error;
  }

  boost::asio::io_context context_;
  boost::asio::ip::tcp::socket socket_;
};

inline std::string Get(const std::string& path, const std::string& method = "GET") {
  return method + " " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
}

inline std::string Post(const std::string& path, const std::string& body,
                        const std::string& more = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + more +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline std::size_t Count(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace mayfly::http
