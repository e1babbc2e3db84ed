#include "server/served.h"

#include <stdexcept>
#include <utility>

#include "server/net/network.h"
#include "server/test_commands.h"

namespace mayfly::server {
namespace {

template <typename T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().ToString());
  return std::move(*result);
}

void Must(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

}  // namespace

Served::Served(const Settings& settings, Publisher* publisher, const Clock& real_clock)
    : database_(std::make_unique<CountingDatabase>(Must(Database::Open({.clock = &clock_})))) {
  Must(config_.SetAtStart("port", "0"));
  Must(config_.SetAtStart("http-port", "0"));
  Must(config_.SetAtStart("threads", "2"));
  Must(config_.SetAtStart("bind", "127.0.0.1"));
  for (const auto& [name, text] : settings) Must(config_.SetAtStart(name, text));
  server_ = Must(Server::Open({.database = *database_,
                               .transactions = transactions_,
                               .config = config_,
                               .clock = clock_,
                               .real_clock = real_clock,
                               .logger = SilentLogger(),
                               .table = TestTable(),
                               .publisher = publisher,
                               .manual_clock = &clock_,
                               .version = "test"}));
  network_ = std::make_unique<Network>(*server_);
  Must(network_->Open());
  thread_ = std::thread([this] { ended_ = network_->Run(); });
}

Served::~Served() {
  network_->Stop();
  if (thread_.joinable()) thread_.join();
}

int Served::port() const { return network_->port(); }

int Served::http_port() const { return network_->http_port(); }

Status Served::Join() {
  thread_.join();
  return ended_;
}

void Served::AwaitBlocked(std::size_t clients) {
  while (server_->waiting().size() != clients) std::this_thread::yield();
}

}  // namespace mayfly::server
