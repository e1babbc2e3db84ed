#include "http/response_text.h"

#include <array>
#include <boost/beast/http/status.hpp>
#include <charconv>
#include <string_view>

namespace mayfly::http {
namespace {

namespace beast_http = boost::beast::http;

void AppendField(std::string& out, std::string_view name, std::string_view value) {
  out += "\r\n";
  out += name;
  out += ": ";
  out += value;
}

class Digits {
 public:
  explicit Digits(std::size_t number)
      : end_(std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr) {}
  std::string_view view() const {
    return {text_.data(), static_cast<std::size_t>(end_ - text_.data())};
  }

 private:
  std::array<char, 20> text_;  // As many as 64 bits have.
  const char* end_;
};

void AppendStatus(std::string& out, int status, unsigned version) {
  out += version == 10 ? "HTTP/1.0 " : "HTTP/1.1 ";
  out += Digits(static_cast<std::size_t>(status)).view();
  out += ' ';
  const auto reason = beast_http::obsolete_reason(static_cast<beast_http::status>(status));
  out.append(reason.data(), reason.size());
}

}  // namespace

// Formatted here and not by Beast, whose serializer costs more than the rest of a short response.
void AppendResponse(std::string& out, const Response& response, const AnswerManner& manner) {
  AppendStatus(out, response.status, manner.version);
  AppendField(out, "Server", "mayfly");
  AppendField(out, "Content-Type", response.content_type);
  for (const Header& header : response.headers) AppendField(out, header.name, header.value);
  AppendField(out, "Content-Length", Digits(response.body.size()).view());
  if (!manner.keep_alive) AppendField(out, "Connection", "close");
  if (manner.keep_alive && manner.version == 10) AppendField(out, "Connection", "keep-alive");
  out += "\r\n\r\n";
  if (!manner.without_body) out += response.body;
}

void AppendContinue(std::string& out) { out += "HTTP/1.1 100 Continue\r\n\r\n"; }

}  // namespace mayfly::http
