#include "apps/mayfly/target/resp_client.h"

#include <fmt/format.h>

#include <charconv>

#include "apps/mayfly/target/byte_streams.h"

namespace mayfly::app {
namespace {

void AppendRequest(std::string& out, const Request& request) {
  out += fmt::format("*{}\r\n", request.size());
  for (const std::string& arg : request) {
    out += fmt::format("${}\r\n", arg.size());
    out += arg;
    out += "\r\n";
  }
}

bool IsAuthError(std::string_view text) {
  return text.starts_with("WRONGPASS") || text.starts_with("NOAUTH") ||
         text.starts_with("ERR AUTH") || text.starts_with("ERR invalid password");
}

}  // namespace

Status StatusOf(const Reply& error) {
  const std::string& text = error.text();
  if (IsAuthError(text)) {
    return Status::WrongPassword(
        fmt::format("{}; put user:password@ into the URL, or the password into the environment as "
                    "MAYFLY_PASSWORD",
                    text));
  }
  if (text.starts_with("WRONGTYPE")) return Status::WrongType(text);
  if (text.starts_with("READONLY")) return Status::ReadOnly(text);
  if (text.starts_with("BUSY")) return Status::Busy(text);
  return Status::Invalid(text.starts_with("ERR ") ? text.substr(4) : text);
}

Result<std::unique_ptr<RespClient>> RespClient::Connect(const ServerUrl& url, const TlsOptions& tls,
                                                        Millis timeout) {
  MAYFLY_TRY(auto stream, OpenStream(url, tls, timeout));
  std::unique_ptr<RespClient> client(new RespClient(std::move(stream), timeout));
  Request hello = {"HELLO", "3"};
  if (!url.password.empty() || !url.user.empty()) {
    hello.insert(hello.end(), {"AUTH", url.user.empty() ? "default" : url.user, url.password});
  }
  hello.insert(hello.end(), {"SETNAME", "mayfly-cli"});
  MAYFLY_RETURN_IF_ERROR(client->Ask(hello).status());
  if (url.database != 0) {
    MAYFLY_RETURN_IF_ERROR(client->Ask({"SELECT", std::to_string(url.database)}).status());
  }
  return client;
}

Result<Reply> RespClient::Run(const Request& request) {
  MAYFLY_TRY(std::vector<Reply> replies, RunAll({request}));
  return std::move(replies.front());
}

Result<Reply> RespClient::RunPatiently(const Request& request) {
  MAYFLY_RETURN_IF_ERROR(Send({request}));
  return Receive();
}

Result<std::vector<Reply>> RespClient::RunAll(const std::vector<Request>& requests) {
  MAYFLY_RETURN_IF_ERROR(Send(requests));
  std::vector<Reply> replies;
  while (replies.size() < requests.size()) {
    MAYFLY_TRY(Reply reply, Next(timeout_));
    replies.push_back(std::move(reply));
  }
  return replies;
}

Status RespClient::Send(const std::vector<Request>& requests) {
  std::string bytes;
  for (const Request& request : requests) AppendRequest(bytes, request);
  return stream_->Write(bytes, timeout_);
}

Result<Reply> RespClient::Ask(const Request& request) {
  MAYFLY_TRY(Reply reply, Run(request));
  if (reply.is_error()) return StatusOf(reply);
  return reply;
}

Result<Reply> RespClient::Next(Millis timeout) {
  while (true) {
    MAYFLY_TRY(std::optional<Reply> reply, parser_.Next());
    if (reply) return *std::move(reply);
    MAYFLY_RETURN_IF_ERROR(stream_->Read(parser_, timeout));
  }
}

const Reply* ReplyFields::Find(std::string_view name) const {
  if (map_.kind != Reply::Kind::kMap && map_.kind != Reply::Kind::kArray) return nullptr;
  const Reply::Items& items = map_.items();
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].kind == Reply::Kind::kBulk && items[i].text() == name) return &items[i + 1];
  }
  return nullptr;
}

std::string ReplyFields::Text(std::string_view name) const {
  const Reply* const found = Find(name);
  const bool is_text = found != nullptr && std::holds_alternative<std::string>(found->value);
  return is_text ? found->text() : std::string();
}

std::uint64_t ReplyFields::Number(std::string_view name) const {
  const Reply* const found = Find(name);
  if (found == nullptr) return 0;
  if (found->kind == Reply::Kind::kBoolean) return found->boolean() ? 1 : 0;
  if (found->kind == Reply::Kind::kInteger) return static_cast<std::uint64_t>(found->integer());
  return 0;
}

WallTime ReplyFields::Instant(std::string_view name) const {
  return WallTimeFromMs(static_cast<std::int64_t>(Number(name)));
}

const Reply::Items& ReplyFields::Items(std::string_view name) const {
  static const Reply::Items kNone;
  const Reply* const found = Find(name);
  return found != nullptr && std::holds_alternative<Reply::Items>(found->value) ? found->items()
                                                                                : kNone;
}

}  // namespace mayfly::app
