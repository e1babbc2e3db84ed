#include "apps/mayfly/serve/activation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

namespace mayfly::app {
namespace {

using server::PassedSocket;

constexpr int kFirst = 3;  // After the three standard streams.
constexpr int kSocketsMax = 64;

// The variable's value, which is gone from the environment afterwards.
std::string Take(const char* name) {
  const char* const value = std::getenv(name);
  const std::string taken = value != nullptr ? value : "";
  ::unsetenv(name);
  return taken;
}

Result<int> NumberOf(std::string_view name, std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    return Status::Invalid(fmt::format("{} is '{}', which is no number", name, text));
  }
  return number;
}

PassedSocket::Use UseOf(std::string_view name) {
  if (name == "http") return PassedSocket::Use::kHttp;
  return name == "tls" ? PassedSocket::Use::kTls : PassedSocket::Use::kRedis;
}

}  // namespace

Result<std::vector<PassedSocket>> TakePassedSockets() {
  const std::string process = Take("LISTEN_PID");
  const std::string count = Take("LISTEN_FDS");
  const std::string names = Take("LISTEN_FDNAMES");
  std::vector<PassedSocket> sockets;
  if (process.empty() || count.empty()) return sockets;
  MAYFLY_TRY(const int process_id, NumberOf("LISTEN_PID", process));
  if (process_id != ::getpid()) return sockets;  // Meant for a parent.
  MAYFLY_TRY(const int passed, NumberOf("LISTEN_FDS", count));
  if (passed > kSocketsMax) {
    return Status::Invalid(
        fmt::format("LISTEN_FDS is {}; at most {} are taken", passed, kSocketsMax));
  }
  std::string_view left = names;
  for (int i = 0; i < passed; ++i) {
    const std::string_view name = left.substr(0, left.find(':'));
    left.remove_prefix(std::min(left.size(), name.size() + 1));
    ::fcntl(kFirst + i, F_SETFD, FD_CLOEXEC);
    sockets.push_back({.descriptor = kFirst + i, .use = UseOf(name)});
  }
  return sockets;
}

}  // namespace mayfly::app
