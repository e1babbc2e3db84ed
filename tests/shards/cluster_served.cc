#include "shards/cluster_served.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "cluster/peer_offers.h"
#include "cluster/shard_databases.h"
#include "cluster/tables/tables_part.h"
#include "dynamo/service.h"
#include "server/net/network.h"
#include "tables/protocol_tables.h"

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
  Member(ShardDirectory* given, std::unique_ptr<cluster::ShardDatabases> leased, const Clock& clock,
         const Served::Settings& settings)
      : own_shards(std::move(leased)),
        database(Must(Database::Open({.clock = &clock}))),
        transactions(*database),
        front(clock, std::size_t{64} << 20) {
    Must(config.SetAtStart("port", "0"));
    Must(config.SetAtStart("http-port", "0"));
    Must(config.SetAtStart("threads", "2"));
    Must(config.SetAtStart("bind", "127.0.0.1"));
    for (const auto& [name, text] : settings) Must(config.SetAtStart(name, text));
    ShardDirectory& directory = own_shards != nullptr ? *own_shards : *given;
    links = std::make_unique<PeerLinks>(config, SystemClock::Process());
    offers = std::make_unique<cluster::PeerOffers>(*links);
    tables = std::make_unique<cluster::TablesPart>(directory, *links, clock, SystemClock::Process(),
                                                   SilentLogger(), cluster::ShardTablesOptions(),
                                                   config.Watched(Setting::kClusterPatience));
    no_tables = Must(tables::ProtocolTables::Open(*database));
    dynamo = std::make_unique<dynamo::Service>(*no_tables, clock, SilentLogger(),
                                               dynamo::ServiceOptions{.runner = &tables->runner()});
    front.Follow(config);
    server = Must(Server::Open({.database = *database,
                                .transactions = transactions,
                                .config = config,
                                .clock = clock,
                                .real_clock = SystemClock::Process(),
                                .logger = SilentLogger(),
                                .table = front.table(),
                                .authorizer = &front.authorizer(),
                                .publisher = &front,
                                .extensions = &front,
                                .shards = &directory,
                                .peers = links.get(),
                                .table_shards = &tables->shards(),
                                .version = "test"}));
    Must(front.LoadUsers(config));
    network = std::make_unique<Network>(*server);
    dynamo->Mount(network->router());
    Must(network->Open());
    thread = std::thread([this] { static_cast<void>(network->Run()); });
  }
  ~Member() { Stop(); }
  void Join() {
    if (own_shards != nullptr) {
      Must(own_shards->Join({"127.0.0.1", network->port()}, offers.get()));
    }
    tables->Start();
  }
  void Stop() {
    network->Stop();
    if (thread.joinable()) thread.join();
  }

  Config config;
  std::unique_ptr<PeerLinks> links;
  std::unique_ptr<cluster::PeerOffers> offers;
  std::unique_ptr<cluster::ShardDatabases> own_shards;  // Null: a test moves the shards.
  std::unique_ptr<Database> database;
  CoreTransactionSource transactions;
  std::unique_ptr<cluster::TablesPart> tables;
  std::unique_ptr<tables::ProtocolTables> no_tables;  // Of the server's own database.
  std::unique_ptr<dynamo::Service> dynamo;
  Assembly front;
  std::unique_ptr<Server> server;
  std::unique_ptr<Network> network;
  std::thread thread;
};

namespace {

std::unique_ptr<cluster::ShardDatabases> OnStore(
    std::shared_ptr<engine::cluster::MemoryObjects> objects, std::size_t server, std::size_t shards,
    const Clock& clock) {
  engine::cluster::NodeOptions node;
  node.format.database = "db";
  node.format.shards = static_cast<std::uint32_t>(shards);
  node.server = server + 1;
  node.seed = server + 1;
  node.clock = &clock;
  return Must(cluster::ShardDatabases::Open(
      std::make_shared<engine::cluster::MemoryObjectStore>(std::move(objects)), std::move(node),
      {.clock = &clock}));
}

}  // namespace

ClusterServed::ClusterServed(Options options)
    : shards_(options.on_store ? 0 : options.shards, options.servers,
              options.clock != nullptr ? *options.clock : clock_),
      objects_(std::make_shared<engine::cluster::MemoryObjects>()) {
  const Clock& clock = options.clock != nullptr ? *options.clock : clock_;
  for (std::size_t i = 0; i < options.servers; ++i) {
    auto leased = options.on_store ? OnStore(objects_, i, options.shards, clock) : nullptr;
    members_.push_back(std::make_unique<Member>(&shards_.directory(i), std::move(leased), clock,
                                                options.settings));
    if (!options.on_store) shards_.SetAddress(i, {"127.0.0.1", port(i)});
    members_.back()->Join();
  }
}

ClusterServed::~ClusterServed() {
  for (const auto& member : members_) {
    if (member != nullptr) member->Stop();
  }
}

int ClusterServed::port(std::size_t server) const { return members_.at(server)->network->port(); }

int ClusterServed::http_port(std::size_t server) const {
  return members_.at(server)->network->http_port();
}

Server& ClusterServed::server(std::size_t server) { return *members_.at(server)->server; }

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

void ClusterServed::Kill(std::size_t server) { members_.at(server).reset(); }

void ClusterServed::AwaitShards() {
  const auto here = [this] {
    std::size_t count = 0;
    for (const auto& member : members_) {
      if (member != nullptr) count += member->own_shards->Here().size();
    }
    return count;
  };
  while (here() < members_.front()->own_shards->shards()) std::this_thread::yield();
}

}  // namespace mayfly::server
