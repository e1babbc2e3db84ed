// node_rig.h - servers of a cluster in one process, on objects in memory and a clock that the test
// moves.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/cluster/node/cluster_node.h"
#include "engine/cluster/objects/await.h"
#include "engine/cluster/objects/testing/memory_objects.h"

namespace mayfly::engine::cluster {

inline constexpr std::uint32_t kRigShards = 16;

// One server: its connection, its node, and what its listener has heard.
class RigServer final : public ShardListener {
 public:
  explicit RigServer(std::shared_ptr<MemoryObjects> objects)
      : store(std::make_shared<MemoryObjectStore>(std::move(objects))) {}

  std::shared_ptr<Engine> EngineOf(ShardId shard) const {
    const std::lock_guard lock(mutex_);
    const auto place = engines_.find(shard);
    return place == engines_.end() ? nullptr : place->second;
  }
  std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return engines_.size();
  }
  std::vector<std::string> heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

  const std::shared_ptr<MemoryObjectStore> store;
  std::unique_ptr<ClusterNode> node;
  bool cut = false;  // Its store is stalled.

 private:
  void OnGained(ShardId shard, std::unique_ptr<Engine> engine, IsClosed) override {
    const std::lock_guard lock(mutex_);
    heard_.push_back("gained " + std::to_string(shard));
    engines_[shard] = std::move(engine);
  }
  void OnDraining(ShardId shard, std::function<void()> done) override {
    {
      const std::lock_guard lock(mutex_);
      heard_.push_back("draining " + std::to_string(shard));
    }
    done();
  }
  void OnLost(ShardId shard) override {
    const std::lock_guard lock(mutex_);
    heard_.push_back("lost " + std::to_string(shard));
    engines_.erase(shard);
  }

  mutable std::mutex mutex_;
  std::map<ShardId, std::shared_ptr<Engine>> engines_;  // Guarded by mutex_.
  std::vector<std::string> heard_;                      // Guarded by mutex_.
};

class NodeRig : public testing::Test, public OfferSender {
 protected:
  NodeOptions OptionsOf(ServerId server) {
    NodeOptions options;
    options.format.database = "db";
    options.format.shards = kRigShards;
    options.server = server;
    options.address = "server " + std::to_string(server);
    options.seed = server;
    options.clock = &clock_;
    return options;
  }

  RigServer& Start(ServerId server) {
    auto& one = servers_[server] = std::make_unique<RigServer>(objects_);
    auto node = ClusterNode::Start(one->store, OptionsOf(server), *one, this);
    EXPECT_TRUE(node.has_value()) << node.status().ToString();
    const std::lock_guard lock(mutex_);
    one->node = std::move(node).value();
    return *one;
  }

  // As a crash: its connection goes, its record stays.
  void Kill(ServerId server) {
    std::unique_ptr<ClusterNode> node;
    {
      const std::lock_guard lock(mutex_);
      node = std::move(servers_[server]->node);
    }
    node.reset();
    servers_.erase(server);
  }

  // Lets time pass until it is so; false when that takes longer than `wait_max`.
  bool Until(const std::function<bool()>& holds, Millis wait_max = Millis(60'000)) {
    constexpr Millis kStep{5};
    for (Millis passed{0}; passed < wait_max; passed += kStep) {
      if (holds()) return true;
      clock_.Advance(kStep);
      for (int round = 0; round < 2; ++round) Settle();
    }
    return holds();
  }

  // Each node has met the clock, and its requests have replies.
  void Settle() {
    for (auto& [server, one] : servers_) {
      one->node->AwaitStep();
      if (!one->cut) static_cast<void>(AwaitKeys(*one->store, "none", {"none"}));
    }
  }

  void Send(const std::string& address, const ShardOffer& offer) override {
    if (offers_are_lost_) return;
    const std::lock_guard lock(mutex_);
    for (auto& [server, one] : servers_) {
      if (one->node != nullptr && OptionsOf(server).address == address) one->node->OnOffer(offer);
    }
  }

  static Status Put(Engine& engine, Bytes key, Bytes value) {
    Batch batch;
    batch.Put({}, key, value);
    return engine.Commit(batch);
  }
  static std::string Get(Engine& engine, Bytes key) {
    PinnedBytes value;
    const Status status = engine.Get({}, key, value);
    return status.ok() ? std::string(value.view()) : status.ToString();
  }

  // One row in each shard, "key" -> its number, by the server that has it.
  void FillShards() {
    for (ShardId shard = 0; shard < kRigShards; ++shard) {
      for (auto& [server, one] : servers_) {
        const auto engine = one->EngineOf(shard);
        if (engine == nullptr) continue;
        EXPECT_TRUE(Put(*engine, "key", std::to_string(shard)).ok());
      }
    }
  }
  void ExpectShardsAreFilled(const RigServer& server) {
    for (ShardId shard = 0; shard < kRigShards; ++shard) {
      const auto engine = server.EngineOf(shard);
      if (engine != nullptr) {
        EXPECT_EQ(Get(*engine, "key"), std::to_string(shard));
      }
    }
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  const std::shared_ptr<MemoryObjects> objects_ = std::make_shared<MemoryObjects>();
  std::atomic<bool> offers_are_lost_{false};
  std::mutex mutex_;  // Guards the nodes of servers_ against offers.
  std::map<ServerId, std::unique_ptr<RigServer>> servers_;

  void TearDown() override {
    for (auto& [server, one] : servers_) one->store->Resume();
    while (!servers_.empty()) Kill(servers_.begin()->first);
  }
};

}  // namespace mayfly::engine::cluster
