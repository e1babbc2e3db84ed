#include "apps/mayfly/serve/cluster_part.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "base/log.h"
#include "cluster/cluster_map.h"
#include "cluster/limits.h"
#include "engine/cluster/plugin/rados_plugin.h"

namespace mayfly::app {
namespace {

using server::Config;
using server::Setting;

// What would be promised and not kept, if it were ignored.
Status CheckSettings(const Config& config, bool manual_clock) {
  if (manual_clock)
    return Status::Invalid("--manual-clock is for a server alone: leases take time");
  if (config.Number(Setting::kClusterServer) == 0) {
    return Status::Invalid(
        "cluster-server is missing: give each server of the cluster a number of its own, above 0");
  }
  if (!config.Text(Setting::kEncryptionKeyFile).empty()) {
    return Status::Invalid(
        "encryption-key-file is for a database in a folder; on a cluster, Ceph encrypts its disks");
  }
  if (!config.Text(Setting::kReplicaOf).empty()) {
    return Status::Invalid("a server of a cluster cannot follow another one (replicaof)");
  }
  return {};
}

engine::cluster::NodeOptions NodeOptionsOf(const Config& config, Logger& logger) {
  engine::cluster::NodeOptions node;
  node.format.database = config.Text(Setting::kClusterName);
  node.format.shards = static_cast<std::uint32_t>(config.Number(Setting::kClusterShards));
  node.server = static_cast<engine::cluster::ServerId>(config.Number(Setting::kClusterServer));
  std::random_device device;
  node.seed = std::uint64_t{device()} << 32 | device();
  node.clock = &SystemClock::Process();
  node.logger = &logger;
  return node;
}

}  // namespace

Result<std::unique_ptr<ClusterPart>> ClusterPart::Open(Config& config, bool manual_clock,
                                                       Logger& logger) {
  const std::string conf = config.Text(Setting::kCluster);
  if (conf.empty()) return std::unique_ptr<ClusterPart>();
  MAYFLY_RETURN_IF_ERROR(CheckSettings(config, manual_clock));
  MAYFLY_TRY(auto store, engine::cluster::OpenRados({.conf_file = conf,
                                                     .user = config.Text(Setting::kClusterCephUser),
                                                     .pool = config.Text(Setting::kClusterPool)}));
  MAYFLY_TRY(auto shards, cluster::ShardDatabases::Open(
                              std::move(store), NodeOptionsOf(config, logger),
                              {.clock_jump_max = Millis(config.Number(Setting::kClockJumpMax)),
                               .reap = config.IsOn(Setting::kReaper),
                               .clock = &SystemClock::Process(),
                               .logger = &logger}));
  return std::unique_ptr<ClusterPart>(new ClusterPart(config, logger, std::move(shards)));
}

ClusterPart::ClusterPart(Config& config, Logger& logger,
                         std::unique_ptr<cluster::ShardDatabases> shards)
    : config_(config),
      logger_(logger),
      links_(config, SystemClock::Process()),
      shards_(std::move(shards)) {}

std::unique_ptr<cluster::TablesPart> ClusterPart::NewTables(const Clock& clock,
                                                            const std::string& region) {
  return std::make_unique<cluster::TablesPart>(
      *shards_, links_, clock, SystemClock::Process(), logger_,
      cluster::ShardTablesOptions{.region = region}, config_.Watched(Setting::kClusterPatience));
}

Status ClusterPart::Join(int port) {
  server::ServerAddress address{.host = "127.0.0.1", .port = port};
  if (const std::string announced = config_.Text(Setting::kClusterAnnounce); !announced.empty()) {
    address = cluster::AddressOf(announced);
    if (address.port == 0) {
      return Status::Invalid(fmt::format("cluster-announce is '{}', and not HOST:PORT", announced));
    }
  }
  MAYFLY_RETURN_IF_ERROR(shards_->Join(address, &offers_));
  Log(logger_, LogLevel::kInfo, "server {} of the cluster's database {}, at {}",
      config_.Number(Setting::kClusterServer), config_.Text(Setting::kClusterName),
      server::ToText(address));
  return {};
}

void ClusterPart::Leave() {
  const Status left = shards_->Leave(cluster::kLeaveWait);
  if (!left.ok()) Log(logger_, LogLevel::kWarning, "cluster: {}", left.message());
}

}  // namespace mayfly::app
