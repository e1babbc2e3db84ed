#include "apps/mayfly/target/server_url.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "apps/mayfly/target/target.h"
#include "base/text.h"

namespace mayfly::app {
namespace {

constexpr std::string_view kForm =
    "a server's URL is redis://[user:password@]host[:port][/db], rediss://... for TLS, or "
    "unix:///path";

std::optional<std::string> Unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain.push_back(text[i]);
      continue;
    }
    const auto byte = FromHex(text.substr(i + 1, 2));
    if (!byte || byte->size() != 1) return std::nullopt;
    plain += *byte;
    i += 2;
  }
  return plain;
}

bool ParseInt(std::string_view digits, int max, int& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() && number >= 0 &&
         number <= max;
}

// Takes user and password off the front.
bool TakeUser(std::string_view& rest, ServerUrl& url) {
  const std::size_t at = rest.rfind('@');
  if (at == std::string_view::npos) return true;
  const std::string_view who = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  const std::size_t colon = who.find(':');
  const auto user = Unescaped(who.substr(0, colon));
  const auto password =
      Unescaped(colon == std::string_view::npos ? std::string_view() : who.substr(colon + 1));
  if (!user || !password) return false;
  url.user = *user;
  url.password = *password;
  return true;
}

bool ParseUnix(std::string_view rest, ServerUrl& url) {
  if (const std::size_t query = rest.find("?db="); query != std::string_view::npos) {
    if (!ParseInt(rest.substr(query + 4), 1 << 20, url.database)) return false;
    rest = rest.substr(0, query);
  }
  url.host = rest;
  return rest.starts_with("/");
}

bool ParseTcp(std::string_view rest, ServerUrl& url) {
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view database = rest.substr(slash + 1);
    if (!database.empty() && !ParseInt(database, 1 << 20, url.database)) return false;
    rest = rest.substr(0, slash);
  }
  std::size_t host_end = rest.find(':');
  if (rest.starts_with("[")) {  // An IPv6 address.
    const std::size_t bracket = rest.find(']');
    if (bracket == std::string_view::npos) return false;
    url.host = rest.substr(1, bracket - 1);
    host_end = bracket + 1 < rest.size() ? bracket + 1 : std::string_view::npos;
    if (host_end != std::string_view::npos && rest[host_end] != ':') return false;
  } else {
    url.host = rest.substr(0, host_end);
  }
  if (host_end != std::string_view::npos) url.port = rest.substr(host_end + 1);
  int port = 0;
  return !url.host.empty() && ParseInt(url.port, 65535, port) && port > 0;
}

}  // namespace

std::string ServerUrl::ToString() const {
  if (scheme == Scheme::kUnix) return fmt::format("unix://{}", host);
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}/{}", scheme == Scheme::kTls ? "rediss" : "redis",
                     is_v6 ? "[" : "", host, is_v6 ? "]" : "", port, database);
}

bool IsUrl(const std::string& target) {
  return target.starts_with("redis://") || target.starts_with("rediss://") ||
         target.starts_with("unix://");
}

Result<ServerUrl> ParseServerUrl(const std::string& text) {
  ServerUrl url;
  if (!IsUrl(text)) return Status::Invalid(std::string(kForm));
  const std::size_t colon = text.find("://");
  const std::string scheme = text.substr(0, colon);
  url.scheme = scheme == "unix"
                   ? ServerUrl::Scheme::kUnix
                   : (scheme == "rediss" ? ServerUrl::Scheme::kTls : ServerUrl::Scheme::kTcp);
  std::string_view rest = std::string_view(text).substr(colon + 3);
  if (!TakeUser(rest, url)) return Status::Invalid(std::string(kForm));
  const bool good =
      url.scheme == ServerUrl::Scheme::kUnix ? ParseUnix(rest, url) : ParseTcp(rest, url);
  if (!good) return Status::Invalid(std::string(kForm));
  if (const char* const password = std::getenv("MAYFLY_PASSWORD");
      url.password.empty() && password != nullptr) {
    url.password = password;
  }
  return url;
}

}  // namespace mayfly::app
