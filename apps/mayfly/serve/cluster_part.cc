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

}  // namespace

Result<std::unique_ptr<ClusterPart>> ClusterPart::Open(Config& config, bool manual_clock,
                                                       Logger& logger) {
  const std::string conf = config.Text(Setting::kCluster);
  if (conf.empty() && config.Number(Setting::kClusterServer) != 0) {
    return Status::Invalid(
        "cluster-server is set, but cluster is not: name the configuration of the Ceph cluster");
  }
  if (conf.empty()) return std::unique_ptr<ClusterPart>();
  MAYFLY_RETURN_IF_ERROR(CheckSettings(config, manual_clock));
  MAYFLY_TRY(auto store, engine::cluster::OpenRados({.conf_file = conf,
                                                     .user = config.Text(Setting::kClusterCephUser),
                                                     .pool = config.Text(Setting::kClusterPool)}));
  std::unique_ptr<ClusterPart> part(new ClusterPart(config, logger));
  MAYFLY_TRY(part->shards_, cluster::ShardDatabases::Open(
                                std::move(store), part->NodeOptionsOf(),
                                {.clock_jump_max = Millis(config.Number(Setting::kClockJumpMax)),
                                 .reap = config.IsOn(Setting::kReaper),
                                 .clock = &SystemClock::Process(),
                                 .clocks = &part->clocks_,
                                 .on_first_shard = [its = part.get()] { its->FirstShardCame(); },
                                 .logger = &logger}));
  part->links_.Follow(*part->shards_, logger);
  return part;
}

ClusterPart::ClusterPart(Config& config, Logger& logger)
    : config_(config),
      logger_(logger),
      clocks_(SystemClock::Process(), config.Watched(Setting::kClusterClockSkewMax)),
      links_(config, SystemClock::Process()) {}

engine::cluster::NodeOptions ClusterPart::NodeOptionsOf() {
  engine::cluster::NodeOptions node;
  node.format.database = config_.Text(Setting::kClusterName);
  node.format.shards = static_cast<std::uint32_t>(config_.Number(Setting::kClusterShards));
  node.server = static_cast<engine::cluster::ServerId>(config_.Number(Setting::kClusterServer));
  std::random_device device;
  node.seed = std::uint64_t{device()} << 32 | device();
  node.shard.while_waiting = [this] { waiting_threads_.Serve(); };
  node.on_refused = [this](const Status& why) {
    std::function<void()> stop;
    {
      const std::lock_guard lock(mutex_);
      refused_ = why;
      stop = on_refused_;
    }
    if (stop) stop();
  };
  node.clock = &SystemClock::Process();
  node.logger = &logger_;
  return node;
}

Status ClusterPart::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

void ClusterPart::FirstShardCame() {
  Log(logger_, LogLevel::kInfo, "ready on port {}: the first shards are served", port_.load());
}

std::unique_ptr<cluster::TablesPart> ClusterPart::NewTables(const Clock& clock,
                                                            const std::string& region) {
  return std::make_unique<cluster::TablesPart>(
      *shards_, links_, clock, SystemClock::Process(), logger_,
      cluster::ShardTablesOptions{.region = region}, config_.Watched(Setting::kClusterPatience));
}

Status ClusterPart::Join(int port, std::function<void()> on_refused) {
  port_ = port;
  server::ServerAddress address{.host = "127.0.0.1", .port = port};
  if (const std::string announced = config_.Text(Setting::kClusterAnnounce); !announced.empty()) {
    address = cluster::AddressOf(announced);
    if (address.port == 0) {
      return Status::Invalid(fmt::format("cluster-announce is '{}', and not HOST:PORT", announced));
    }
  }
  MAYFLY_RETURN_IF_ERROR(shards_->Join(address, &offers_));
  const Status joined = shards_->AwaitJoined(cluster::kJoinWait);
  MAYFLY_RETURN_IF_ERROR(refused());
  if (!joined.ok()) Log(logger_, LogLevel::kWarning, "cluster: {}", joined.message());
  {
    const std::lock_guard lock(mutex_);
    on_refused_ = std::move(on_refused);
  }
  peer_clocks_ = std::make_unique<cluster::PeerClocks>(*shards_, links_, SystemClock::Process(),
                                                       clocks_, logger_);
  peer_clocks_->Start();
  Log(logger_, LogLevel::kInfo, "server {} of the cluster's database {}, at {}",
      config_.Number(Setting::kClusterServer), config_.Text(Setting::kClusterName),
      server::ToText(address));
  return {};
}

void ClusterPart::Leave() {
  const bool answers = shards_->health().store_answers;
  const Status left = shards_->Leave(answers ? cluster::kLeaveWait : Millis(0));
  if (left.ok()) return;
  Log(logger_, LogLevel::kWarning, "cluster: {}{}", left.message(),
      answers ? "" : "; the store does not answer, and writes that wait for it end now");
  shards_->GiveUp();
}

}  // namespace mayfly::app
