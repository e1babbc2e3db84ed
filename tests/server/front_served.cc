#include "server/front_served.h"

#include <stdexcept>
#include <utility>

#include "server/net/network.h"

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

FrontServed::FrontServed(const Served::Settings& settings, Logger& logger,
                         std::unique_ptr<Database> database, const Clock& clock)
    : database_(database != nullptr ? std::move(database) : Must(Database::Open({}))),
      transactions_(std::make_unique<CoreTransactionSource>(*database_)),
      front_(std::make_unique<Assembly>(SystemClock::Process(), std::size_t{64} << 20)) {
  Must(config_.SetAtStart("port", "0"));
  Must(config_.SetAtStart("http-port", "0"));
  Must(config_.SetAtStart("threads", "2"));
  Must(config_.SetAtStart("bind", "127.0.0.1"));
  for (const auto& [name, text] : settings) Must(config_.SetAtStart(name, text));
  front_->Follow(config_);
  server_ = Must(Server::Open({.database = *database_,
                               .transactions = *transactions_,
                               .config = config_,
                               .clock = clock,
                               .real_clock = SystemClock::Process(),
                               .logger = logger,
                               .table = front_->table(),
                               .authorizer = &front_->authorizer(),
                               .publisher = front_.get(),
                               .extensions = front_.get(),
                               .version = "test"}));
  Must(front_->LoadUsers(config_));
  network_ = std::make_unique<Network>(*server_);
  Must(network_->Open());
  thread_ = std::thread([this] { ended_ = network_->Run(); });
}

FrontServed::~FrontServed() {
  network_->Stop();
  if (thread_.joinable()) thread_.join();
}

void FrontServed::AwaitBlocked(std::size_t clients) {
  while (server_->waiting().size() != clients) std::this_thread::yield();
}

void FrontServed::AwaitScript() {
  while (!front_->scripts().running()) std::this_thread::yield();
}

int FrontServed::port() const { return network_->port(); }

Status FrontServed::Join() {
  thread_.join();
  return ended_;
}

}  // namespace mayfly::server
