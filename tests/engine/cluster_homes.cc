#include "tests/engine/cluster_homes.h"

#include <utility>

#include "base/check.h"
#include "engine/cluster/node/cluster_engine.h"
#include "engine/cluster/objects/await.h"
#include "engine/cluster/objects/testing/memory_objects.h"
#include "engine/cluster/shard/shard_engine.h"
#include "engine/cluster/shard/shard_layout.h"
#include "mayfly/clock.h"

namespace mayfly::engine::suite {
namespace {

using cluster::AwaitWrite;
using cluster::MapWrite;
using cluster::OwnerRecord;
using cluster::ShardPlace;

constexpr std::uint32_t kHomeShards = 4;
constexpr std::chrono::seconds kOwnedWithin{60};

// Each opening is a new owner, as after a takeover.
class ShardHome final : public EngineHome {
 public:
  explicit ShardHome(const ObjectSource& source)
      : object_(source.database + ".shard.0"), store_(source.connect()) {
    lease_->SetUntil(SteadyTime::max());
  }

  std::unique_ptr<Engine> Open(std::shared_ptr<const DropPolicy> policy) override {
    const OwnerRecord record{.server = 1, .incarnation = 1, .epoch = ++epoch_};
    const Status claimed = AwaitWrite(*store_, object_,
                                      std::make_shared<const MapWrite>(MapWrite{
                                          .sets = {{cluster::OwnerKey(), Encode(record)}}}));
    MAYFLY_CHECK(claimed.ok(), claimed.ToString().c_str());
    cluster::ShardOptions options;
    options.drop_policy = std::move(policy);
    auto shard = std::make_shared<cluster::Shard>(
        store_, ShardPlace{.object = object_, .name = "shard 0", .record = record}, lease_,
        options);
    const Status loaded = shard->Load();
    MAYFLY_CHECK(loaded.ok(), loaded.ToString().c_str());
    return cluster::NewShardEngine(std::move(shard));
  }
  bool has_files() const override { return false; }
  bool is_persistent() const override { return true; }

 private:
  const std::string object_;
  const std::shared_ptr<cluster::ObjectStore> store_;
  const std::shared_ptr<cluster::ReadLease> lease_ =
      std::make_shared<cluster::ReadLease>(SystemClock::Process());
  std::uint64_t epoch_ = 0;
};

class ClusterHome final : public EngineHome {
 public:
  explicit ClusterHome(ObjectSource source)
      : database_(std::move(source.database)), store_(source.connect()) {}

  std::unique_ptr<Engine> Open(std::shared_ptr<const DropPolicy> policy) override {
    cluster::NodeOptions options;
    options.format.database = database_;
    options.format.shards = kHomeShards;
    options.format.ownership = QuickOwnership();
    options.server = 1;
    options.address = "here";
    options.seed = ++opened_;
    options.clock = &SystemClock::Process();
    options.shard.drop_policy = std::move(policy);
    auto engine = cluster::OpenClusterEngine(store_, options, kOwnedWithin);
    MAYFLY_CHECK(engine.has_value(), engine.status().ToString().c_str());
    return *std::move(engine);
  }
  bool has_files() const override { return false; }
  bool is_persistent() const override { return true; }

 private:
  const std::string database_;
  const std::shared_ptr<cluster::ObjectStore> store_;
  std::uint64_t opened_ = 0;
};

ObjectSource InMemory() {
  return {.connect =
              [objects = std::make_shared<cluster::MemoryObjects>()] {
                return std::make_shared<cluster::MemoryObjectStore>(objects);
              },
          .database = "db"};
}

}  // namespace

cluster::OwnershipOptions QuickOwnership() {
  using std::chrono::milliseconds;
  cluster::OwnershipOptions options;
  options.lease = milliseconds(2000);
  options.takeover_wait = milliseconds(2100);
  options.renew_interval = milliseconds(10);
  options.observe_interval = milliseconds(10);
  options.early_renew_interval = milliseconds(5);
  options.plan_interval = milliseconds(5);
  options.unlisted_grace = milliseconds(20);
  options.request_pause_max = milliseconds(1000);
  return options;
}

std::unique_ptr<EngineHome> NewShardHome(const ObjectSource& source) {
  return std::make_unique<ShardHome>(source);
}

std::unique_ptr<EngineHome> NewClusterHome(ObjectSource source) {
  return std::make_unique<ClusterHome>(std::move(source));
}

EngineKind ShardKind() {
  return {"Shard", [] { return NewShardHome(InMemory()); }};
}

EngineKind ClusterKind() {
  return {"Cluster", [] { return NewClusterHome(InMemory()); }};
}

}  // namespace mayfly::engine::suite
