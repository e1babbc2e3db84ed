// connection.h - one HTTP client, one request after the other.
//   header -> body, as much as its route takes -> the route's handler -> response -> header ...
// Everything of it runs in its strand, on any of the server's threads.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/router.h"

namespace mayfly::http {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `open` counts connections; the router and it must outlive this one. The socket's executor is a
  // strand.
  Connection(boost::asio::ip::tcp::socket socket, const Router& router,
             std::atomic<std::size_t>& open);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Start();

  // For one too many.
  void TurnAway();

 private:
  using ErrorCode = boost::system::error_code;

  void ReadHeader();
  void OnHeader(const ErrorCode& error);
  void AskForBody();
  void ReadBody();
  void OnBody(const ErrorCode& error);
  void OnFault(const ErrorCode& error);
  void Refuse(int status);
  void Send(Response answer, unsigned version, bool keep_alive, bool without_body);
  void AddField(std::string_view name, std::string_view value);  // To head_.
  void EndRefused();
  void Drain();
  void Close();

  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  std::string head_;  // What is being sent.
  std::string body_;
  boost::beast::http::response<boost::beast::http::empty_body> go_on_;
  const Router& router_;
  std::atomic<std::size_t>& open_;
  const RouteOptions* route_ = nullptr;  // Of the request; null before its header is there.
  bool refused_ = false;
  std::size_t drained_ = 0;
};

}  // namespace mayfly::http
