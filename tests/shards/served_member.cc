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

ServedMember::ServedMember(Parts parts)
    : own_shards_(std::move(parts.own_shards)),
      database_(Must(Database::Open({.clock = &parts.clock}))),
      transactions_(*database_),
      front_(parts.clock, std::size_t{64} << 20) {
  Must(config_.SetAtStart("port", "0"));
  Must(config_.SetAtStart("http-port", "0"));
  Must(config_.SetAtStart("threads", "2"));
  Must(config_.SetAtStart("bind", "127.0.0.1"));
  for (const auto& [name, text] : parts.settings) Must(config_.SetAtStart(name, text));
  links_ = std::make_unique<PeerLinks>(config_, SystemClock::Process());
  links_->Follow(parts.directory, parts.logger);
  offers_ = std::make_unique<cluster::PeerOffers>(*links_);
  tables_ = std::make_unique<cluster::TablesPart>(
      parts.directory, *links_, parts.clock, SystemClock::Process(), parts.logger,
      cluster::ShardTablesOptions(), config_.Watched(Setting::kClusterPatience));
  no_tables_ = Must(tables::ProtocolTables::Open(*database_));
  dynamo_ = std::make_unique<dynamo::Service>(*no_tables_, parts.clock, parts.logger,
                                              dynamo::ServiceOptions{.runner = &tables_->runner()});
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
                               .table_shards = &tables_->shards(),
                               .version = "test"}));
  Must(front_.LoadUsers(config_));
  network_ =
      std::make_unique<Network>(*server_, NetworkOptions{.waiting_threads = parts.waiting_threads});
  dynamo_->Mount(network_->router());
  Must(network_->Open());
  thread_ = std::thread([this] { static_cast<void>(network_->Run()); });
}

void ServedMember::Join() {
  if (own_shards_ != nullptr) {
    Must(own_shards_->Join({"127.0.0.1", network_->port()}, offers_.get()));
  }
  tables_->Start();
}

void ServedMember::Stop() {
  network_->Stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace mayfly::server
