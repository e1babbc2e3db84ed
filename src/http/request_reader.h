// request_reader.h - parses bytes into requests, one after the other.
//   Read() -> kHeader, TakeBody() -> Read() -> kWhole, Next() -> Read() ...
// It takes the bytes of a request from the front and nothing behind it, wherever the input was
// split. Beast's parser knows the grammar; its output goes directly into our Request, whose memory
// is reused for the next.
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "http/router.h"

namespace mayfly::http {

class RequestReader {
 public:
  enum class Outcome : std::uint8_t {
    kNeedsMore,  // All usable input is consumed.
    kHeader,     // Once for each request: everything but the body is complete.
    kWhole,
    kFault,  // See fault_status(). Nothing can be read after it.
  };

  RequestReader() { Next(); }

  // Advances `bytes` past what it took. Pass the rest again the next time.
  Outcome Read(std::string_view& bytes);

  // Call it after kHeader. False when the announced body is larger.
  bool TakeBody(std::size_t bytes_max);

  // Drops the request and begins the next.
  void Next();

  // Approximate memory of the whole request.
  std::size_t request_bytes() const { return parser_->header_bytes() + request_.body.size(); }

  // Memory of its body, including spare capacity above what is kept anyway.
  std::size_t body_memory() const;

  // Call it after kWhole. The memory of `to` is reused for the next request.
  void SwapRequest(Request& to) { std::swap(request_, to); }

  const Request& request() const { return request_; }
  int fault_status() const { return fault_status_; }

  // Valid after kHeader.
  bool has_header() const { return parser_->is_header_done(); }
  unsigned version() const { return parser_->version(); }  // 10 or 11.
  bool keep_alive() const { return parser_->keep_alive(); }
  bool asks_before_body() const;  // Expect: 100-continue.

  // The bytes known to be missing of the body.
  std::size_t body_bytes_ahead() const;

 private:
  class Parser final : public boost::beast::http::basic_parser<true> {
   public:
    explicit Parser(Request& request) : request_(request) {}
    unsigned version() const { return version_; }
    std::size_t header_bytes() const { return header_bytes_; }  // Read so far.

   private:
    using ErrorCode = boost::beast::error_code;
    using Text = boost::beast::string_view;
    using Field = boost::beast::http::field;
    using Length = boost::optional<std::uint64_t>;

    void on_request_impl(boost::beast::http::verb verb, Text method, Text target, int version,
                         ErrorCode& error) override;
    void on_response_impl(int, Text, int, ErrorCode&) override {}
    void on_field_impl(Field field, Text name, Text value, ErrorCode& error) override;
    void on_header_impl(ErrorCode&) override {}
    void on_body_init_impl(const Length& length, ErrorCode&) override { length_ = length; }
    std::size_t on_body_impl(Text piece, ErrorCode&) override;
    void on_chunk_header_impl(std::uint64_t, Text, ErrorCode&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, Text piece, ErrorCode&) override;
    void on_finish_impl(ErrorCode&) override {}

    void AppendBody(Text piece);

    Request& request_;
    Length length_;  // Of the body, if it is known.
    std::size_t header_bytes_ = 0;
    unsigned version_ = 0;
  };

  Outcome Fault(const boost::beast::error_code& error);

  Request request_;
  std::optional<Parser> parser_;  // A new one for each request: Beast's cannot be reset.
  bool told_header_ = false;
  int fault_status_ = 0;
};

}  // namespace mayfly::http
