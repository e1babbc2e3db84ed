#include "shards/served_member.h"

#include <stdexcept>
#include <utility>

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

ServedMember::ServedMember(const Parts& parts)
    : database_(Must(Database::Open({.clock = &parts.clock}))),
      transactions_(*database_),
      front_(parts.clock, std::size_t{64} << 20) {
  Must(config_.SetAtStart("port", "0"));
  Must(config_.SetAtStart("http-port", "-1"));
  Must(config_.SetAtStart("threads", "2"));
  Must(config_.SetAtStart("bind", "127.0.0.1"));
  for (const auto& [name, text] : parts.settings) Must(config_.SetAtStart(name, text));
  links_ = std::make_unique<PeerLinks>(config_, SystemClock::Process());
  links_->Follow(parts.directory, parts.logger);
  front_.Follow(config_);
  server_ = Must(Server::Open({.database = *database_,
                               .transactions = transactions_,
                               .config = config_,
                               .clock = parts.clock,
                               .real_clock = SystemClock::Process(),
                               .logger = parts.logger,
                               .table = front_.table(),
                               .authorizer = &front_.authorizer(),
                               .publisher = &front_,
                               .extensions = &front_,
                               .shards = &parts.directory,
                               .peers = links_.get(),
                               .version = "test"}));
  Must(front_.LoadUsers(config_));
  network_ =
      std::make_unique<Network>(*server_, NetworkOptions{.waiting_threads = parts.waiting_threads});
  Must(network_->Open());
  thread_ = std::thread([this] { static_cast<void>(network_->Run()); });
}

void ServedMember::Stop() {
  network_->Stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace mayfly::server
