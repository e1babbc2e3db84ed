#include "server/http/http_server.h"

#include <fmt/format.h>

#include <boost/asio/dispatch.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <cctype>
#include <memory>
#include <optional>
#include <utility>

#include "server/limits.h"

namespace mayfly::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

HttpRequest ToOurs(const http::request<http::string_body>& request) {
  HttpRequest ours;
  ours.method = std::string(request.method_string());
  const std::string target(request.target());
  const std::size_t mark = std::min(target.find('?'), target.size());
  ours.path = target.substr(0, mark);
  if (mark < target.size()) ours.query = target.substr(mark + 1);
  ours.body = request.body();
  for (const auto& field : request) {
    ours.headers[Lower(std::string(field.name_string()))] = std::string(field.value());
  }
  return ours;
}

// One client, one request after the other.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(Tcp::socket socket, const HttpRouter& router)
      : stream_(std::move(socket)), router_(router) {}

  void Read() {
    parser_.emplace();
    parser_->header_limit(kHttpHeaderBytesMax);
    parser_->body_limit(kHttpBodyBytesMax);
    stream_.expires_after(kHttpIdleTime);
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](const ErrorCode& error, std::size_t) { self->OnRead(error); });
  }

 private:
  void OnRead(const ErrorCode& error) {
    if (error == http::error::body_limit) return Refuse(http::status::payload_too_large);
    if (error == http::error::header_limit) {
      return Refuse(http::status::request_header_fields_too_large);
    }
    if (error == http::error::end_of_stream || error == beast::error::timeout) return Close();
    if (error && error.category() == http::make_error_code(http::error::bad_method).category()) {
      return Refuse(http::status::bad_request);
    }
    if (error) return Close();
    const http::request<http::string_body>& request = parser_->get();
    const HttpResponse answer = router_.Answer(ToOurs(request));
    response_ = {static_cast<http::status>(answer.status), request.version()};
    response_.set(http::field::server, "mayfly");
    response_.set(http::field::content_type, answer.content_type);
    for (const auto& [name, value] : answer.headers) response_.set(name, value);
    response_.keep_alive(request.keep_alive());
    response_.body() = answer.body;
    response_.prepare_payload();
    if (request.method() == http::verb::head) response_.body().clear();
    Write();
  }

  void Refuse(http::status status) {
    response_ = {status, 11};
    response_.keep_alive(false);
    response_.prepare_payload();
    Write();
  }

  void Write() {
    stream_.expires_after(kHttpIdleTime);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                        if (error || !self->response_.keep_alive()) return self->Close();
                        self->Read();
                      });
  }

  void Close() {
    ErrorCode ignored;
    stream_.socket().shutdown(Tcp::socket::shutdown_both, ignored);
    stream_.close();
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  const HttpRouter& router_;
};

}  // namespace

HttpServer::HttpServer(const HttpRouter& router, Logger& logger)
    : router_(router), logger_(logger), acceptor_(context_) {}

HttpServer::~HttpServer() { Stop(); }

Status HttpServer::Open(const std::string& address, int port) {
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

void HttpServer::Start() {
  if (port_ == 0) return;
  Accept();
  thread_ = std::thread([this] { context_.run(); });
}

void HttpServer::Stop() {
  context_.stop();
  if (thread_.joinable()) thread_.join();
}

void HttpServer::Accept() {
  acceptor_.async_accept([this](const ErrorCode& error, Tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) std::make_shared<HttpConnection>(std::move(socket), router_)->Read();
    Accept();
  });
}

}  // namespace mayfly::server
