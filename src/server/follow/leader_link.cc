#include "server/follow/leader_link.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "wire/decimal.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kLineBytesMax = std::size_t{64} << 10;
constexpr Millis kSignEvery(1000);
constexpr Millis kConnectWait(5000);

Status SystemError(std::string_view what) {
  return Status::IoError(fmt::format("{}: {}", what, std::strerror(errno)));
}

// The words of a line.
std::vector<std::string> Split(const std::string& line) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < line.size()) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    if (end > begin) words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

LeaderLink::LeaderLink(const Clock& clock)
    : clock_(clock), wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

LeaderLink::~LeaderLink() {
  Close();
  if (wake_ >= 0) ::close(wake_);
}

void LeaderLink::Interrupt() {
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_, &one, sizeof(one)) == sizeof(one));
}

void LeaderLink::Reset() {
  std::uint64_t count = 0;
  static_cast<void>(::read(wake_, &count, sizeof(count)) == sizeof(count));
}

void LeaderLink::Pause(Millis wait) {
  pollfd woken{wake_, POLLIN, 0};
  static_cast<void>(::poll(&woken, 1, static_cast<int>(wait.count())));
}

void LeaderLink::Close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  pending_.clear();
}

Result<bool> LeaderLink::WaitFor(short events, Millis wait) {
  pollfd waits[] = {{socket_, events, 0}, {wake_, POLLIN, 0}};
  const int ready = ::poll(waits, 2, static_cast<int>(wait.count()));
  if (ready < 0 && errno != EINTR) return SystemError("poll");
  if (ready > 0 && waits[1].revents != 0) return Status::Conflict("interrupted");
  return ready > 0 && waits[0].revents != 0;
}

Status LeaderLink::ConnectTo(const LeaderAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (const int error = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found);
      error != 0) {
    return Status::IoError(fmt::format("{}: {}", address.host, ::gai_strerror(error)));
  }
  Status status = Status::IoError("no address");
  for (const addrinfo* one = found; one != nullptr && socket_ < 0; one = one->ai_next) {
    socket_ = ::socket(one->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket_ < 0) continue;
    int failure = 0;
    socklen_t size = sizeof(failure);
    if (::connect(socket_, one->ai_addr, one->ai_addrlen) != 0 && errno != EINPROGRESS) {
      status = SystemError("connect");
      Close();
      continue;
    }
    const auto ready = WaitFor(POLLOUT, kConnectWait);
    if (ready && *ready) ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &failure, &size);
    if (ready && *ready && failure == 0) continue;
    status = !ready    ? ready.error()
             : !*ready ? Status::IoError("connect: no answer")
                       : Status::IoError(fmt::format("connect: {}", std::strerror(failure)));
    Close();
  }
  ::freeaddrinfo(found);
  if (socket_ < 0) return status;
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::setsockopt(socket_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  return {};
}

Status LeaderLink::Connect(const LeaderAddress& address) {
  Close();
  silence_max_ = address.silence_max;
  MAYFLY_RETURN_IF_ERROR(ConnectTo(address));
  last_io_ = last_sign_ = clock_.Steady();
  MAYFLY_TRY(const std::string pong, Ask({"PING"}));
  if (pong.starts_with('-') && !pong.starts_with("-NOAUTH") && !pong.starts_with("-NOPERM")) {
    return Status::Invalid(fmt::format("PING is answered by {}", pong));
  }
  if (!address.password.empty()) {
    std::vector<std::string> words = {"AUTH"};
    if (!address.user.empty()) words.push_back(address.user);
    words.push_back(address.password);
    MAYFLY_TRY(const std::string reply, Ask(words));
    if (reply.starts_with('-')) {
      return Status::Invalid(fmt::format("AUTH is answered by {}; see masterauth", reply));
    }
  }
  // A server that knows none of these is followed as well.
  MAYFLY_RETURN_IF_ERROR(
      Ask({"REPLCONF", "listening-port", std::to_string(address.own_port)}).status());
  return Ask({"REPLCONF", "capa", "eof", "capa", "psync2", "capa", "mayfly"}).status();
}

Status LeaderLink::Send(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EINTR) {
      MAYFLY_TRY(const bool ready, WaitFor(POLLOUT, silence_max_));
      if (!ready) return Status::IoError("the leader takes nothing any more");
    } else {
      return SystemError("send");
    }
  }
  last_sign_ = clock_.Steady();
  return {};
}

Status LeaderLink::SendCommand(const std::vector<std::string>& words) {
  std::string bytes = fmt::format("*{}\r\n", words.size());
  for (const std::string& word : words) bytes += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return Send(bytes);
}

Result<std::string> LeaderLink::Ask(const std::vector<std::string>& words) {
  MAYFLY_RETURN_IF_ERROR(SendCommand(words));
  return ReadLine();
}

Result<std::string> LeaderLink::ReadLine() {
  while (true) {
    const std::size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) return line;  // Empty ones say that the leader is alive.
      continue;
    }
    if (pending_.size() > kLineBytesMax) return Status::Invalid("the leader speaks otherwise");
    char bytes[4096];
    std::string before = std::move(pending_);
    pending_.clear();
    const auto count = Receive(bytes, sizeof(bytes), Millis(1000));
    pending_ = std::move(before);
    MAYFLY_RETURN_IF_ERROR(count.status());
    if (*count) pending_.append(bytes, **count);
  }
}

Result<SyncStart> LeaderLink::Sync(const std::string& replication_id, std::int64_t offset) {
  const bool knows = !replication_id.empty();
  MAYFLY_TRY(const std::string reply, Ask({"PSYNC", knows ? replication_id : "?",
                                           knows ? std::to_string(offset + 1) : "-1"}));
  const std::vector<std::string> words = Split(reply);
  SyncStart start;
  if (words[0] == "+CONTINUE" && knows) {
    if (words.size() > 1) start.replication_id = words[1];
    return start;
  }
  if (words[0] != "+FULLRESYNC" || words.size() < 3 || !ReadInteger(words[2], start.offset)) {
    return Status::Invalid(fmt::format("PSYNC is answered by {}", reply));
  }
  start.full = true;
  start.replication_id = words[1];
  MAYFLY_TRY(const std::string head, ReadLine());
  constexpr std::string_view kMark = "$EOF:";
  std::int64_t bytes = 0;
  if (head.starts_with(kMark)) {
    start.mark = head.substr(kMark.size());
  } else if (head.starts_with('$') && ReadInteger(Bytes(head).substr(1), bytes) && bytes >= 0) {
    start.bytes = static_cast<std::uint64_t>(bytes);
  } else {
    return Status::Invalid(fmt::format("the leader sends {} in the place of a copy", head));
  }
  return start;
}

Status LeaderLink::Acknowledge(std::int64_t offset) {
  return SendCommand({"REPLCONF", "ACK", std::to_string(offset)});
}

std::size_t LeaderLink::Waiting() const {
  int bytes = 0;
  if (socket_ < 0 || ::ioctl(socket_, FIONREAD, &bytes) != 0) bytes = 0;
  return pending_.size() + static_cast<std::size_t>(std::max(bytes, 0));
}

Result<std::optional<std::size_t>> LeaderLink::Receive(char* to, std::size_t bytes_max,
                                                       Millis wait) {
  if (!pending_.empty()) {
    const std::size_t count = std::min(bytes_max, pending_.size());
    std::memcpy(to, pending_.data(), count);
    pending_.erase(0, count);
    return std::optional(count);
  }
  while (true) {
    const ssize_t count = ::recv(socket_, to, bytes_max, 0);
    if (count > 0) {
      last_io_ = clock_.Steady();
      return std::optional(static_cast<std::size_t>(count));
    }
    if (count == 0) return Status::IoError("the leader has closed the connection");
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return SystemError("receive");
    if (clock_.Steady() - last_io_ > silence_max_) {
      return Status::IoError("the leader is silent for longer than repl-timeout");
    }
    MAYFLY_TRY(const bool ready, WaitFor(POLLIN, wait));
    if (!ready) return std::optional<std::size_t>();
  }
}

Result<std::size_t> LeaderLink::Read(char* to, std::size_t bytes_max) {
  while (true) {
    // An empty line is no command, and the leader counts it as a sign of life.
    if (clock_.Steady() - last_sign_ >= kSignEvery) MAYFLY_RETURN_IF_ERROR(Send("\n"));
    MAYFLY_TRY(const auto count, Receive(to, bytes_max, kSignEvery));
    if (count) return *count;
  }
}

}  // namespace mayfly::server
