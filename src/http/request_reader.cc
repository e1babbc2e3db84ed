#include "http/request_reader.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <string>

#include "base/text.h"
#include "http/limits.h"

namespace mayfly::http {
namespace {

namespace beast_http = boost::beast::http;

constexpr int kBadRequest = 400;
constexpr int kBodyTooLarge = 413;
constexpr int kHeaderTooLarge = 431;

constexpr std::size_t kFieldPunctuation = 4;  // Colon, space, end of line.

// Whether a line of the header goes on in the next one: an old form, which other servers read as a
// field of its own. The bytes begin with a line.
bool HasFoldedLine(std::string_view bytes) {
  std::size_t at = bytes.find('\n');
  while (at != std::string_view::npos && at + 1 < bytes.size()) {
    const char next = bytes[at + 1];
    if (next == '\r') return false;  // The end of the header.
    if (next == ' ' || next == '\t') return true;
    at = bytes.find('\n', at + 1);
  }
  return false;
}

}  // namespace

void RequestReader::Parser::on_request_impl(beast_http::verb, Text method, Text target, int version,
                                            ErrorCode&) {
  request_.method.assign(method.data(), method.size());
  const std::size_t mark = std::min(target.find('?'), target.size());
  request_.path.assign(target.data(), mark);
  const std::size_t query = std::min(mark + 1, target.size());
  request_.query.assign(target.data() + query, target.size() - query);
  header_bytes_ = method.size() + target.size();
  version_ = static_cast<unsigned>(version);
}

// Counted here: Beast bounds the missing part of a header, not the part it has read.
void RequestReader::Parser::on_field_impl(Field field, Text name, Text value, ErrorCode& error) {
  if (is_header_done()) return;  // Trailer fields are ignored.
  header_bytes_ += name.size() + value.size() + kFieldPunctuation;
  if (header_bytes_ > kHeaderBytesMax) {
    error = beast_http::error::header_limit;
    return;
  }
  // The end of such a body, and the begin of the next request, would be unknown.
  if (field == Field::transfer_encoding && !chunked()) {
    error = beast_http::error::bad_transfer_encoding;
    return;
  }
  std::string& ours = request_.headers[ToLower({name.data(), name.size()})];
  if (!ours.empty()) ours += ',';  // A repeated field is joined by a comma, as the standard says.
  ours.append(value.data(), value.size());
}

// Doubles the capacity, up to the body's final size.
void RequestReader::Parser::AppendBody(Text piece) {
  std::string& body = request_.body;
  const std::size_t needed = body.size() + piece.size();
  if (needed > body.capacity()) {
    const std::size_t expected = static_cast<std::size_t>(length_.value_or(2 * needed));
    std::string larger;  // reserve() on a string that is not empty rounds up.
    larger.reserve(std::max(needed, std::min(2 * body.capacity(), expected)));
    larger += body;
    body.swap(larger);
  }
  body.append(piece.data(), piece.size());
}

std::size_t RequestReader::Parser::on_body_impl(Text piece, ErrorCode&) {
  AppendBody(piece);
  return piece.size();
}

std::size_t RequestReader::Parser::on_chunk_body_impl(std::uint64_t, Text piece, ErrorCode&) {
  AppendBody(piece);
  return piece.size();
}

RequestReader::Outcome RequestReader::Read(std::string_view& bytes) {
  boost::beast::error_code error;
  if (!has_header() && HasFoldedLine(bytes)) return Fault(beast_http::error::bad_field);
  if (!parser_->is_done() && !bytes.empty()) {
    bytes.remove_prefix(parser_->put(boost::asio::buffer(bytes), error));
  }
  const std::size_t begun = has_header() ? 0 : parser_->header_bytes();
  if (error == beast_http::error::need_more && begun + bytes.size() > kHeaderBytesMax) {
    error = beast_http::error::header_limit;
  }
  if (error && error != beast_http::error::need_more) return Fault(error);
  if (has_header() && !told_header_) {
    told_header_ = true;
    return Outcome::kHeader;
  }
  return parser_->is_done() ? Outcome::kWhole : Outcome::kNeedsMore;
}

RequestReader::Outcome RequestReader::Fault(const boost::beast::error_code& error) {
  fault_status_ = kBadRequest;
  if (error == beast_http::error::body_limit) fault_status_ = kBodyTooLarge;
  if (error == beast_http::error::header_limit) fault_status_ = kHeaderTooLarge;
  return Outcome::kFault;
}

bool RequestReader::TakeBody(std::size_t bytes_max) {
  const auto length = parser_->content_length();
  if (length && *length > bytes_max) return false;
  parser_->body_limit(bytes_max);
  parser_->eager(true);
  return true;
}

void RequestReader::Next() {
  request_.headers.Clear();
  request_.body.clear();
  if (request_.body.capacity() > kBytesKept) request_.body.shrink_to_fit();
  parser_.emplace(request_);
  parser_->header_limit(kHeaderBytesMax);
  parser_->body_limit(boost::none);  // Until the route is known.
  told_header_ = false;
}

// Clients of HTTP/1.0 do not wait for it.
bool RequestReader::asks_before_body() const {
  if (parser_->is_done() || version() < 11) return false;
  return EqualsIgnoringCase(request_.Header("expect"), "100-continue");
}

std::size_t RequestReader::body_memory() const {
  const std::size_t capacity = request_.body.capacity();
  return capacity > kBytesKept ? capacity : request_.body.size();
}

std::size_t RequestReader::body_bytes_ahead() const {
  if (!has_header()) return 0;
  return static_cast<std::size_t>(parser_->content_length_remaining().value_or(0));
}

}  // namespace mayfly::http
