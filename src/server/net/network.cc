#include "server/net/network.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <future>
#include <utility>

#include "base/log.h"
#include "base/random.h"
#include "server/command/limits.h"
#include "server/config/thread_counts.h"
#include "server/metrics/metrics.h"
#include "server/net/tls.h"

namespace mayfly::server {
namespace {

// Raises the limit of descriptors for all clients, as far as the machine allows; else fewer clients
// are served.
void MakeRoomForClients(Server& server) {
  const auto wanted =
      static_cast<rlim_t>(server.config().Number(Setting::kMaxClients)) + rlim_t{kOwnDescriptors};
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= wanted) return;
  const rlim_t clients =
      limit.rlim_cur > 2 * kOwnDescriptors ? limit.rlim_cur - kOwnDescriptors : limit.rlim_cur / 2;
  Log(server.logger(), LogLevel::kWarning,
      "the machine lets this process have {} descriptors: maxclients is {}", limit.rlim_cur,
      clients);
  static_cast<void>(server.config().SetAtStart(Setting::kMaxClients, std::to_string(clients)));
}

constexpr std::string_view kBindFault = "Failed to bind to specified addresses.";
constexpr std::string_view kPortFault = "Unable to listen on this port. Check server logs.";
constexpr std::string_view kTlsFault = "Unable to update TLS configuration. Check server logs.";

// Null: the HTTP port speaks no TLS.
Result<std::shared_ptr<asio::ssl::context>> HttpTls(const Config& config) {
  if (!config.IsOn(Setting::kHttpTls)) return std::shared_ptr<asio::ssl::context>();
  MAYFLY_TRY(auto context, NewTlsContext(config, Setting::kHttpTlsAuthClients));
  return std::shared_ptr<asio::ssl::context>(std::move(context));
}

}  // namespace

// Settings of addresses and TLS, and the error when they cannot be applied.
struct Network::Followed {
  Setting setting;
  Status (Network::*change)();
  std::string_view fault;
};

// clang-format off
const Network::Followed Network::kFollowed[] = {
    {Setting::kBind,                   &Network::Reopen,   kBindFault},
    {Setting::kPort,                   &Network::Reopen,   kPortFault},
    {Setting::kTlsPort,                &Network::Reopen,   kPortFault},
    {Setting::kTlsCertFile,            &Network::RenewTls, kTlsFault},
    {Setting::kTlsKeyFile,             &Network::RenewTls, kTlsFault},
    {Setting::kTlsKeyFilePass,         &Network::RenewTls, kTlsFault},
    {Setting::kTlsCaCertFile,          &Network::RenewTls, kTlsFault},
    {Setting::kTlsAuthClients,         &Network::RenewTls, kTlsFault},
    {Setting::kTlsProtocols,           &Network::RenewTls, kTlsFault},
    {Setting::kTlsCiphers,             &Network::RenewTls, kTlsFault},
    {Setting::kTlsCipherSuites,        &Network::RenewTls, kTlsFault},
    {Setting::kTlsPreferServerCiphers, &Network::RenewTls, kTlsFault},
    {Setting::kHttpTls,                &Network::RenewTls, kTlsFault},
    {Setting::kHttpTlsAuthClients,     &Network::RenewTls, kTlsFault},
};
// clang-format on

Network::Network(Server& server, NetworkOptions options)
    : server_(server),
      options_(std::move(options)),
      signals_(context_),
      listener_(context_, server, threads_),
      http_(router_, server.logger()),
      fsync_(server),
      eviction_(server, FreshSeed()) {
  if (options_.catch_signals) {
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
  }
  Random seeds(FreshSeed());
  for (std::size_t i = 0; i < ThreadCount(server.config()); ++i) {
    threads_.push_back(std::make_unique<IoThread>(server, seeds.Next(), options_.waiting_threads));
  }
  AddMetrics(router_, server, options_.requests);
}

Network::~Network() {
  server_.OnShutdown(nullptr);
  for (const Followed& one : kFollowed) server_.config().OnChange(one.setting, nullptr);
}

Status Network::Open() {
  MakeRoomForClients(server_);
  MAYFLY_RETURN_IF_ERROR(listener_.Open(options_.sockets));
  server_.port = listener_.port();
  // A free port that was found is the one from now on.
  MAYFLY_RETURN_IF_ERROR(
      server_.config().SetAtStart(Setting::kPort, std::to_string(listener_.port())));
  MAYFLY_RETURN_IF_ERROR(OpenHttp());
  for (const Followed& one : kFollowed) {
    server_.config().OnChange(
        one.setting, [this, &one](const SettingValue&) { return Follow(one.change, one.fault); });
  }
  server_.OnShutdown([this] { Stop(); });
  return {};
}

// Both ports have the new certificate, or neither.
Status Network::RenewTls() {
  MAYFLY_TRY(auto http_tls, HttpTls(server_.config()));
  MAYFLY_RETURN_IF_ERROR(listener_.RenewTls());
  http_.SetTls(std::move(http_tls));
  return {};
}

Status Network::OpenHttp() {
  MAYFLY_TRY(auto tls, HttpTls(server_.config()));
  http_.SetTls(std::move(tls));
  bool passed = false;
  for (const PassedSocket& socket : options_.sockets) {
    if (socket.use != PassedSocket::Use::kHttp) continue;
    MAYFLY_TRY(const ListeningAddress address, AddressOf(socket));
    if (address.family == AF_UNIX || std::exchange(passed, true)) {
      return Status::Unsupported("http is served on one socket of TCP: " + address.text);
    }
    MAYFLY_RETURN_IF_ERROR(http_.Adopt(socket.descriptor, address.family == AF_INET6));
  }
  const auto port = static_cast<int>(server_.config().Number(Setting::kHttpPort));
  if (passed || port < 0) return {};
  return http_.Open(server_.config().Text(Setting::kHttpBind), port);
}

Status Network::Follow(Status (Network::*change)(), std::string_view fault) {
  const auto outcome = std::make_shared<std::promise<Status>>();
  auto followed = outcome->get_future();
  asio::post(context_, [this, outcome, change] { outcome->set_value((this->*change)()); });
  while (followed.wait_for(kReopenLook) != std::future_status::ready) {
    if (server_.stops) return Status::Busy("the server stops");
  }
  const Status status = followed.get();
  server_.port = listener_.port();
  if (status.ok()) return status;
  Log(server_.logger(), LogLevel::kWarning, "{}", status.message());
  return Status::Invalid(std::string(fault));
}

Status Network::Run() {
  signals_.async_wait([this](const ErrorCode& error, int signal) {
    if (error) return;
    Log(server_.logger(), LogLevel::kInfo, "signal {} received, stopping", signal);
    Stop();
  });
  for (const auto& thread : threads_) thread->Start();
  fsync_.Start();
  eviction_.Start();
  http_.Start(HttpThreadCount(server_.config()));
  const auto alive = asio::make_work_guard(context_);
  context_.run();
  for (const auto& thread : threads_) thread->Join();
  http_.Stop();
  eviction_.Stop();
  fsync_.Stop();
  return server_.Save();
}

void Network::Stop() {
  server_.stops = true;
  asio::post(context_, [this] {
    if (std::exchange(stopping_, true)) return;
    if (options_.on_stop) options_.on_stop();
    listener_.Close();
    signals_.cancel();
    for (const auto& thread : threads_) thread->Stop();
    context_.stop();
  });
}

}  // namespace mayfly::server
