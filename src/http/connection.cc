#include "http/connection.h"

#include <array>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <cctype>
#include <chrono>
#include <utility>

#include "http/limits.h"

namespace mayfly::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// A header given twice is one with a comma, as the standard has it.
Request ToOurs(wire::request<wire::string_body>& request) {
  Request ours;
  ours.method = std::string(request.method_string());
  std::tie(ours.path, ours.query) = SplitTarget(std::string(request.target()));
  ours.body = std::move(request.body());
  for (const auto& field : request) {
    std::string& value = ours.headers[Lower(std::string(field.name_string()))];
    if (!value.empty()) value += ',';
    value += std::string(field.value());
  }
  return ours;
}

bool IsFaultOfRequest(const boost::system::error_code& error) {
  return error.category() == wire::make_error_code(wire::error::bad_method).category();
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, const Router& router,
                       std::atomic<std::size_t>& open)
    : stream_(std::move(socket)), router_(router), open_(open) {
  ++open_;
}

Connection::~Connection() { --open_; }

void Connection::Start() {
  boost::system::error_code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  ReadHeader();
}

void Connection::TurnAway() { Refuse(static_cast<int>(wire::status::service_unavailable)); }

void Connection::ReadHeader() {
  route_ = nullptr;
  parser_.emplace();
  parser_->header_limit(kHeaderBytesMax);
  parser_->body_limit(boost::none);  // Until the route is known.
  stream_.expires_after(kIdleTime);
  wire::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const ErrorCode& error, std::size_t) { self->OnHeader(error); });
}

void Connection::OnHeader(const ErrorCode& error) {
  if (error) return OnFault(error);
  const auto& request = parser_->get();
  const std::string path = SplitTarget(std::string(request.target())).first;
  route_ = &router_.OptionsOf(std::string(request.method_string()), path);
  if (const auto length = parser_->content_length(); length && *length > route_->body_bytes_max) {
    return Refuse(static_cast<int>(wire::status::payload_too_large));
  }
  parser_->body_limit(route_->body_bytes_max);
  if (beast::iequals(request[wire::field::expect], "100-continue")) return AskForBody();
  ReadBody();
}

// The client waits for a word before it sends its body.
void Connection::AskForBody() {
  go_on_ = {wire::status::continue_, 11};
  stream_.expires_after(kWriteTime);
  wire::async_write(stream_, go_on_,
                    [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                      error ? self->Close() : self->ReadBody();
                    });
}

void Connection::ReadBody() {
  stream_.expires_after(kBodyTime);
  wire::async_read(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const ErrorCode& error, std::size_t) { self->OnBody(error); });
}

void Connection::OnBody(const ErrorCode& error) {
  if (error) return OnFault(error);
  auto& request = parser_->get();
  const unsigned version = request.version();
  const bool keep_alive = request.keep_alive();
  const bool is_head = request.method() == wire::verb::head;
  stream_.expires_never();  // The handler's time is not the client's.
  Send(router_.Answer(ToOurs(request)), version, keep_alive, is_head);
}

void Connection::OnFault(const ErrorCode& error) {
  if (error == wire::error::body_limit) {
    return Refuse(static_cast<int>(wire::status::payload_too_large));
  }
  if (error == wire::error::header_limit) {
    return Refuse(static_cast<int>(wire::status::request_header_fields_too_large));
  }
  if (error == wire::error::end_of_stream || error == wire::error::partial_message) return Close();
  if (IsFaultOfRequest(error)) return Refuse(static_cast<int>(wire::status::bad_request));
  Close();
}

// What follows on this connection is not understood any more: it ends with the refusal.
void Connection::Refuse(int status) {
  refused_ = true;
  const bool worded = route_ != nullptr && route_->refuse != nullptr;
  Send(worded ? route_->refuse(status) : Response{.status = status, .body = ""}, 11, false, false);
}

// Put together here and not by Beast, whose serializer costs more than the rest of a short answer.
void Connection::Send(Response answer, unsigned version, bool keep_alive, bool without_body) {
  head_.assign(version == 10 ? "HTTP/1.0 " : "HTTP/1.1 ");
  head_ += std::to_string(answer.status);
  head_ += ' ';
  head_ += wire::obsolete_reason(static_cast<wire::status>(answer.status));
  AddField("Server", "mayfly");
  AddField("Content-Type", answer.content_type);
  for (const auto& [name, value] : answer.headers) AddField(name, value);
  AddField("Content-Length", std::to_string(answer.body.size()));
  if (!keep_alive) AddField("Connection", "close");
  if (keep_alive && version == 10) AddField("Connection", "keep-alive");
  head_ += "\r\n\r\n";
  body_ = std::move(answer.body);
  if (without_body) body_.clear();
  stream_.expires_after(kWriteTime);
  const std::array<asio::const_buffer, 2> both = {asio::buffer(head_), asio::buffer(body_)};
  asio::async_write(stream_, both,
                    [self = shared_from_this(), keep_alive](const ErrorCode& error, std::size_t) {
                      if (error) return self->Close();
                      if (self->refused_) return self->EndRefused();
                      if (!keep_alive) return self->Close();
                      self->ReadHeader();
                    });
}

void Connection::AddField(std::string_view name, std::string_view value) {
  head_ += "\r\n";
  head_ += name;
  head_ += ": ";
  head_ += value;
}

void Connection::EndRefused() {
  boost::system::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  stream_.expires_after(kDrainTime);  // For all of it.
  Drain();
}

void Connection::Drain() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kHeaderBytesMax),
                          [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                            self->drained_ += bytes;
                            if (error || self->drained_ > kDrainBytesMax) return self->Close();
                            self->Drain();
                          });
}

void Connection::Close() {
  boost::system::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  stream_.close();
}

}  // namespace mayfly::http
