#include "server/test_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "server/testing/command_tester.h"
#include "wire/inline_command.h"

namespace mayfly::server {
namespace {

constexpr int kPatienceSeconds = 10;

void SetPatience(int socket) {
  const timeval patience{.tv_sec = kPatienceSeconds, .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

}  // namespace

TestClient::TestClient(const std::string& ip, int port)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  SetPatience(socket_);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, ip.c_str(), &address.sin_addr) != 1) {
    throw std::runtime_error("no address: " + ip);
  }
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    throw std::runtime_error(fmt::format("connect: {}", std::strerror(errno)));
  }
}

TestClient::TestClient(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
  SetPatience(socket_);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    throw std::runtime_error(fmt::format("connect: {}", std::strerror(errno)));
  }
}

TestClient::~TestClient() { ::close(socket_); }

void TestClient::Send(const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;  // The server has closed; Read() reports it.
    sent += static_cast<std::size_t>(n);
  }
}

void TestClient::SendLine(const std::string& line) {
  std::string copy = line;
  std::vector<Bytes> args;
  if (!SplitInlineCommand(copy.data(), copy.data() + copy.size(), args)) {
    throw std::runtime_error("unbalanced quotes in " + line);
  }
  std::string bytes = fmt::format("*{}\r\n", args.size());
  for (const Bytes arg : args) bytes += fmt::format("${}\r\n{}\r\n", arg.size(), arg);
  Send(bytes);
}

bool TestClient::Receive() {
  char room[16384];
  const ssize_t n = ::recv(socket_, room, sizeof(room), 0);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    throw std::runtime_error("no reply came");
  }
  if (n <= 0) return false;
  parser_.Feed({room, static_cast<std::size_t>(n)});
  return true;
}

Reply TestClient::Read() {
  while (true) {
    auto reply = parser_.Next();
    if (!reply) throw std::runtime_error(reply.error().ToString());
    if (reply->has_value()) return **std::move(reply);
    if (!Receive()) throw std::runtime_error("the server has closed");
  }
}

std::string TestClient::ReadText() { return TextOf(Read()); }

Reply TestClient::Ask(const std::string& line) {
  SendLine(line);
  return Read();
}

std::string TestClient::Text(const std::string& line) { return TextOf(Ask(line)); }

bool TestClient::Closed() {
  while (Receive()) {
  }
  return true;
}

bool TestClient::Quiet() {
  pollfd wanted{.fd = socket_, .events = POLLIN, .revents = 0};
  return parser_.buffered_bytes() == 0 && ::poll(&wanted, 1, 0) == 0;
}

std::string TestClient::ReadAll() {
  std::string all;
  char room[16384];
  for (ssize_t n = 1; n > 0;) {
    n = ::recv(socket_, room, sizeof(room), 0);
    if (n > 0) all.append(room, static_cast<std::size_t>(n));
  }
  return all;
}

void TestClient::ShutdownSend() { ::shutdown(socket_, SHUT_WR); }

}  // namespace mayfly::server
