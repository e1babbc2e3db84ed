#include "shards/cluster_served.h"

#include <fmt/format.h>

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

struct ClusterServed::Member {
  Member(ShardDirectory& directory, const Clock& clock, const Served::Settings& settings,
         Logger& logger)
      : database(Must(Database::Open({.clock = &clock}))),
        transactions(*database),
        front(clock, std::size_t{64} << 20) {
    Must(config.SetAtStart("port", "0"));
    Must(config.SetAtStart("http-port", "-1"));
    Must(config.SetAtStart("threads", "2"));
    Must(config.SetAtStart("bind", "127.0.0.1"));
    for (const auto& [name, text] : settings) Must(config.SetAtStart(name, text));
    links = std::make_unique<PeerLinks>(config, SystemClock::Process());
    links->Follow(directory, logger);
    front.Follow(config);
    server = Must(Server::Open({.database = *database,
                                .transactions = transactions,
                                .config = config,
                                .clock = clock,
                                .real_clock = SystemClock::Process(),
                                .logger = logger,
                                .table = front.table(),
                                .authorizer = &front.authorizer(),
                                .publisher = &front,
                                .extensions = &front,
                                .shards = &directory,
                                .peers = links.get(),
                                .version = "test"}));
    Must(front.LoadUsers(config));
    network = std::make_unique<Network>(*server);
    Must(network->Open());
    thread = std::thread([this] { static_cast<void>(network->Run()); });
  }
  ~Member() { Stop(); }
  void Stop() {
    network->Stop();
    if (thread.joinable()) thread.join();
  }

  Config config;
  std::unique_ptr<Database> database;
  CoreTransactionSource transactions;
  std::unique_ptr<PeerLinks> links;
  Assembly front;
  std::unique_ptr<Server> server;
  std::unique_ptr<Network> network;
  std::thread thread;
};

ClusterServed::ClusterServed(Options options)
    : shards_(options.shards, options.servers, options.clock != nullptr ? *options.clock : clock_) {
  for (std::size_t i = 0; i < options.servers; ++i) {
    const Clock& rows = options.clock != nullptr ? *options.clock : clock_;
    const Clock& clock = options.server_clocks.empty() ? rows : *options.server_clocks.at(i);
    members_.push_back(
        std::make_unique<Member>(shards_.directory(i), clock, options.settings,
                                 options.logger != nullptr ? *options.logger : SilentLogger()));
    shards_.SetAddress(i, {"127.0.0.1", port(i)});
  }
}

ClusterServed::~ClusterServed() {
  for (const auto& member : members_) member->Stop();
}

int ClusterServed::port(std::size_t server) const { return members_.at(server)->network->port(); }

Server& ClusterServed::server(std::size_t server) { return *members_.at(server)->server; }

PeerLinks& ClusterServed::peers(std::size_t server) { return *members_.at(server)->links; }

std::string ClusterServed::AddressOf(std::size_t server) const {
  return fmt::format("127.0.0.1:{}", port(server));
}

std::string ClusterServed::KeyIn(std::size_t shard, const std::string& name) const {
  for (int i = 0;; ++i) {
    std::string key = fmt::format("{}{}", name, i);
    if (ShardOf(engine::SlotOf(key), shards_.shards()) == shard) return key;
  }
}

void ClusterServed::AwaitBlocked(std::size_t server, std::size_t clients) {
  while (members_.at(server)->server->waiting().size() != clients) std::this_thread::yield();
}

void ClusterServed::Stop(std::size_t server) { members_.at(server)->Stop(); }

}  // namespace mayfly::server
