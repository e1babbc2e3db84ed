#include "server/net/listener.h"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "server/command/limits.h"
#include "server/net/tls.h"

namespace mayfly::server {
namespace {

constexpr std::string_view kProtected =
    "-DENIED Redis is running in protected mode because protected mode is enabled and no password "
    "is set for the default user. In this mode connections are only accepted from the loopback "
    "interface. If you want to connect from external computers to Redis you may adopt one of the "
    "following solutions: 1) Just disable protected mode sending the command 'CONFIG SET "
    "protected-mode no' from the loopback interface by connecting to Redis from the same host the "
    "server is running, however MAKE SURE Redis is not publicly accessible from internet if you do "
    "so. Use CONFIG REWRITE to make this change permanent. 2) Alternatively you can just disable "
    "the protected mode by editing the Redis configuration file, and setting the protected mode "
    "option to 'no', and then restarting the server. 3) If you started the server manually just "
    "for testing, restart it with the '--protected-mode no' option. 4) Set up an authentication "
    "password for the default user. NOTE: You only need to do one of the above things in order for "
    "the server to start accepting connections from the outside.\r\n";

Status CannotListen(std::string_view where, const ErrorCode& error) {
  return Status::IoError(fmt::format("cannot listen on {}: {}", where, error.message()));
}

void SetKeepAlive(Tcp::socket& socket, std::int64_t seconds) {
  ErrorCode ignored;
  socket.set_option(Tcp::no_delay(true), ignored);
  if (seconds <= 0) return;
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  using Idle = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
  using Interval = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
  using Count = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPCNT>;
  const auto idle = static_cast<int>(seconds);
  socket.set_option(Idle(idle), ignored);
  socket.set_option(Interval(std::max(idle / 3, 1)), ignored);
  socket.set_option(Count(3), ignored);
}

// Best effort: a client that does not read is closed as well.
template <typename Socket>
void SayAndClose(Socket& socket, const std::string& line) {
  ErrorCode ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(line), ignored);
  socket.shutdown(asio::socket_base::shutdown_send, ignored);
  socket.close(ignored);
}

}  // namespace

Status Listener::OpenDoors() {
  const Config& config = server_.config();
  MAYFLY_RETURN_IF_ERROR(OpenTcp(static_cast<int>(config.Number(Setting::kPort)), false, port_));
  if (const std::int64_t port = config.Number(Setting::kTlsPort); port != 0) {
    MAYFLY_TRY(tls_, NewTlsContext(config, Setting::kTlsAuthClients));
    MAYFLY_RETURN_IF_ERROR(OpenTcp(static_cast<int>(port), true, tls_port_));
  }
  return {};
}

Status Listener::Open(const std::vector<PassedSocket>& passed) {
  for (const PassedSocket& socket : passed) {
    if (socket.use == PassedSocket::Use::kHttp) continue;
    passed_ = true;
    MAYFLY_RETURN_IF_ERROR(OpenPassed(socket));
  }
  if (!passed_) {
    MAYFLY_RETURN_IF_ERROR(OpenDoors());
    if (const std::string path = server_.config().Text(Setting::kUnixSocket); !path.empty()) {
      MAYFLY_RETURN_IF_ERROR(OpenUnix(path));
    }
  }
  for (const auto& door : doors_) Accept(door);
  if (unix_door_ != nullptr) AcceptUnix();
  return {};
}

Status Listener::OpenPassed(const PassedSocket& socket) {
  MAYFLY_TRY(const ListeningAddress address, AddressOf(socket));
  const bool tls = socket.use == PassedSocket::Use::kTls;
  ErrorCode error;
  if (address.family == AF_UNIX) {
    if (tls || unix_door_ != nullptr) {
      return Status::Unsupported("one unix socket is served, without TLS: " + address.text);
    }
    unix_door_ = std::make_unique<Local::acceptor>(context_);
    unix_door_->assign(Local(), socket.descriptor, error);
    unix_path_ = address.text;
    unix_is_passed_ = true;
  } else {
    if (tls) {
      MAYFLY_TRY(tls_, NewTlsContext(server_.config(), Setting::kTlsAuthClients));
    }
    auto door = std::make_shared<TcpDoor>(TcpDoor{Tcp::acceptor(context_), tls});
    door->acceptor.assign(address.family == AF_INET ? Tcp::v4() : Tcp::v6(), socket.descriptor,
                          error);
    if (!error) (tls ? tls_port_ : port_) = door->acceptor.local_endpoint(error).port();
    doors_.push_back(std::move(door));
  }
  if (error) return CannotListen(address.text, error);
  addresses_.push_back((tls ? "tls " : "") + address.text);
  return {};
}

// The open acceptors are closed first: a new address may be a part of an old one, as 127.0.0.1 is
// of 0.0.0.0.
Status Listener::Reopen() {
  if (passed_) return Status::Unsupported("the listening sockets were passed by the supervisor");
  struct Open {
    Tcp::endpoint endpoint;
    bool tls;
  };
  std::vector<Open> before;
  ErrorCode ignored;
  for (const auto& door : doors_) {
    before.push_back({door->acceptor.local_endpoint(ignored), door->tls});
  }
  const auto tls = tls_;
  const int port = port_;
  const int tls_port = tls_port_;
  CloseDoors();
  const Status opened = OpenDoors();
  if (!opened.ok()) {
    CloseDoors();
    tls_ = tls;
    port_ = port;
    tls_port_ = tls_port;
    for (const Open& one : before) {
      const Status again = OpenOne(one.endpoint, one.tls);
      if (!again.ok()) Log(server_.logger(), LogLevel::kError, "{}", again.message());
    }
  }
  for (const auto& door : doors_) Accept(door);
  return opened;
}

Status Listener::RenewTls() {
  const bool passed = passed_ && tls_ != nullptr;
  if (server_.config().Number(Setting::kTlsPort) == 0 && !passed) return {};
  MAYFLY_TRY(tls_, NewTlsContext(server_.config(), Setting::kTlsAuthClients));
  return {};
}

void Listener::CloseDoors() {
  ErrorCode ignored;
  for (const auto& door : doors_) door->acceptor.close(ignored);
  doors_.clear();
  addresses_.clear();
  if (!unix_path_.empty()) addresses_.push_back(unix_path_);
}

Status Listener::OpenTcp(int port, bool tls, std::atomic<int>& bound_port) {
  const std::string bind_text = server_.config().Text(Setting::kBind);
  // With a unix socket to listen on, no address is needed.
  if (bind_text.empty() && !server_.config().Text(Setting::kUnixSocket).empty()) return {};
  MAYFLY_TRY(const auto addresses, ReadBindAddresses(bind_text));
  bound_port = port;
  for (const BindAddress& bind : addresses) {
    const Tcp::endpoint endpoint(bind.address, static_cast<unsigned short>(bound_port));
    const Status opened = OpenOne(endpoint, tls);
    if (opened.ok()) {
      bound_port = doors_.back()->acceptor.local_endpoint().port();
    } else if (!bind.optional) {
      return opened;
    } else {
      Log(server_.logger(), LogLevel::kWarning, "{}", opened.message());
    }
  }
  return {};
}

Status Listener::OpenOne(const Tcp::endpoint& endpoint, bool tls) {
  auto door = std::make_shared<TcpDoor>(TcpDoor{Tcp::acceptor(context_), tls});
  ErrorCode error;
  door->acceptor.open(endpoint.protocol(), error);
  if (!error) door->acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error && endpoint.address().is_v6()) {
    door->acceptor.set_option(asio::ip::v6_only(true), error);
  }
  if (!error) door->acceptor.bind(endpoint, error);
  if (!error) {
    door->acceptor.listen(static_cast<int>(server_.config().Number(Setting::kTcpBacklog)), error);
  }
  if (error) return CannotListen(ToText(endpoint), error);
  addresses_.push_back((tls ? "tls " : "") + ToText(door->acceptor.local_endpoint()));
  doors_.push_back(std::move(door));
  return {};
}

Status Listener::OpenUnix(const std::string& path) {
  struct sockaddr_un limits;
  if (path.size() >= sizeof(limits.sun_path)) {
    return Status::Invalid(fmt::format("unixsocket '{}': the path is too long", path));
  }
  // A socket that no process listens on is left over from one that died.
  ErrorCode error;
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) {
    Local::socket probe(context_);
    probe.connect(Local::endpoint(path), error);
    if (error) ::unlink(path.c_str());
  }
  unix_door_ = std::make_unique<Local::acceptor>(context_);
  unix_door_->open(Local(), error);
  if (!error) unix_door_->bind(Local::endpoint(path), error);
  if (!error) {
    unix_door_->listen(static_cast<int>(server_.config().Number(Setting::kTcpBacklog)), error);
  }
  if (error) return CannotListen(path, error);
  const auto permissions = static_cast<mode_t>(server_.config().Number(Setting::kUnixSocketPerm));
  if (permissions != 0 && ::chmod(path.c_str(), permissions) != 0) {
    return Status::IoError(fmt::format("unixsocketperm of {}: {}", path, std::strerror(errno)));
  }
  unix_path_ = path;
  addresses_.push_back(path);
  return {};
}

// Retrying at once would only fail again.
void Listener::Rest(const ErrorCode& error, std::function<void()> accept) {
  Log(server_.logger(), LogLevel::kWarning, "cannot accept a client: {}", error.message());
  rest_.expires_after(kAcceptRest);
  rest_.async_wait([accept = std::move(accept)](const ErrorCode& ended) {
    if (!ended) accept();
  });
}

void Listener::Close() {
  ErrorCode ignored;
  rest_.cancel();
  CloseDoors();
  if (unix_door_ == nullptr) return;
  unix_door_->close(ignored);
  if (!unix_path_.empty() && !unix_is_passed_) ::unlink(unix_path_.c_str());
}

IoThread& Listener::Idlest() {
  return **std::min_element(threads_.begin(), threads_.end(), [](const auto& a, const auto& b) {
    return a->connections() < b->connections();
  });
}

RequestLimits Listener::Limits() const {
  const Config& config = server_.config();
  RequestLimits limits;
  limits.bulk_bytes_max = config.Number(Setting::kProtoMaxBulkLen);
  limits.command_bytes_max =
      static_cast<std::size_t>(config.Number(Setting::kClientQueryBufferLimit));
  return limits;
}

std::string Listener::TurnAway(bool local) const {
  const auto clients_max = static_cast<std::size_t>(server_.config().Number(Setting::kMaxClients));
  std::size_t clients = 0;
  for (const auto& thread : threads_) clients += thread->connections();
  if (clients >= clients_max) return "-ERR max number of clients reached\r\n";
  const bool closed =
      server_.config().IsOn(Setting::kProtectedMode) && server_.authorizer().open_to_all();
  return closed && !local ? std::string(kProtected) : "";
}

void Listener::Accept(const std::shared_ptr<TcpDoor>& door) {
  IoThread& thread = Idlest();
  door->acceptor.async_accept(
      thread.context(), [this, door, &thread](const ErrorCode& error, Tcp::socket socket) {
        if (error == asio::error::operation_aborted || !door->acceptor.is_open()) return;
        if (error) return Rest(error, [this, door] { Accept(door); });
        Welcome(*door, std::move(socket), thread);
        Accept(door);
      });
}

void Listener::Welcome(const TcpDoor& door, Tcp::socket socket, IoThread& thread) {
  ErrorCode error;
  const Tcp::endpoint remote = socket.remote_endpoint(error);
  if (error) return;  // Gone already.
  ClientOrigin origin;
  origin.local = IsLoopback(remote.address());
  if (const std::string line = TurnAway(origin.local); !line.empty()) {
    server_.clients().CountRejected();
    return SayAndClose(socket, line);
  }
  origin.id = server_.clients().NewId();
  origin.address = ToText(remote);
  origin.local_address = ToText(socket.local_endpoint(error));
  origin.descriptor = socket.native_handle();
  origin.tls = door.tls;
  SetKeepAlive(socket, server_.config().Number(Setting::kTcpKeepAlive));
  auto shared = std::make_shared<Tcp::socket>(std::move(socket));
  thread.Adopt([shared, origin, tls = tls_, limits = Limits()](IoThread& home) {
    Stream stream = origin.tls ? Stream(std::make_unique<TlsStream>(std::move(*shared), *tls))
                               : Stream(std::move(*shared));
    return std::make_shared<Connection>(home, std::move(stream), origin, limits);
  });
}

void Listener::AcceptUnix() {
  IoThread& thread = Idlest();
  unix_door_->async_accept(thread.context(),
                           [this, &thread](const ErrorCode& error, Local::socket socket) {
                             if (error == asio::error::operation_aborted || !unix_door_->is_open())
                               return;
                             if (error) return Rest(error, [this] { AcceptUnix(); });
                             WelcomeUnix(std::move(socket), thread);
                             AcceptUnix();
                           });
}

void Listener::WelcomeUnix(Local::socket socket, IoThread& thread) {
  if (const std::string line = TurnAway(true); !line.empty()) {
    server_.clients().CountRejected();
    return SayAndClose(socket, line);
  }
  ClientOrigin origin;
  origin.id = server_.clients().NewId();
  origin.address = origin.local_address = unix_path_ + ":0";
  origin.descriptor = socket.native_handle();
  origin.unix_socket = origin.local = true;
  auto shared = std::make_shared<Local::socket>(std::move(socket));
  thread.Adopt([shared, origin, limits = Limits()](IoThread& home) {
    return std::make_shared<Connection>(home, Stream(std::move(*shared)), origin, limits);
  });
}

}  // namespace mayfly::server
