#include "tests/ceph/load_server.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/check.h"
#include "base/random.h"
#include "crash/child_process.h"
#include "engine/cluster/node/cluster_node.h"
#include "engine/cluster/plugin/rados_plugin.h"
#include "tests/ceph/far_host.h"

namespace mayfly::engine::cluster::suite {
namespace {

constexpr int kThreads = 4;
constexpr const char* kFlag = "--load-server";

void Tell(LoadLine line) {
  line.at_ns = SystemClock::Process().Passed().time_since_epoch().count();
  crash::ChildProcess::Write(line);
}

class Shards final : public ShardListener {
 public:
  // Any of those that are here; nothing while there are none.
  std::pair<ShardId, std::shared_ptr<Engine>> Any(Random& random) const {
    const std::lock_guard lock(mutex_);
    if (engines_.empty()) return {};
    auto place = engines_.begin();
    std::advance(place, random.Below(engines_.size()));
    return *place;
  }

 private:
  void OnGained(ShardId shard, std::unique_ptr<Engine> engine, IsClosed) override {
    const std::lock_guard lock(mutex_);
    engines_[shard] = std::move(engine);
    Tell({.kind = LoadLine::Kind::kGained, .shard = shard});
  }
  void OnDraining(ShardId, std::function<void()> done) override { done(); }
  void OnLost(ShardId shard) override {
    const std::lock_guard lock(mutex_);
    engines_.erase(shard);
    Tell({.kind = LoadLine::Kind::kLost, .shard = shard});
  }

  mutable std::mutex mutex_;
  std::map<ShardId, std::shared_ptr<Engine>> engines_;  // Guarded by mutex_.
};

// Errors are expected, since shards come and go; only what was acknowledged is told.
void CountUp(ShardId shard, Engine& engine, std::uint32_t key) {
  PinnedBytes former;
  const std::string a = LoadRow('a', key);
  const std::string b = LoadRow('b', key);
  const Status read = engine.Get({}, a, former);
  if (!read.ok() && !read.IsNotFound()) return std::this_thread::yield();
  const std::uint64_t number = (read.ok() ? std::stoull(std::string(former.view())) : 0) + 1;
  Batch batch;
  for (const std::string& row : {a, b}) {
    read.ok() ? batch.Require({}, row, former.view()) : batch.RequireAbsent({}, row);
    batch.Put({}, row, std::to_string(number));
  }
  if (!engine.Commit(batch).ok()) return;
  Tell({.kind = LoadLine::Kind::kAcknowledged, .shard = shard, .key = key, .number = number});
}

[[noreturn]] void Serve(const std::string& conf_file, const std::string& database, ServerId id) {
  RadosOptions rados;
  rados.conf_file = conf_file;
  rados.pool = "mayfly";
  auto store = OpenRados(rados, MAYFLY_RADOS_PLUGIN);
  MAYFLY_CHECK(store.has_value(), store.status().ToString().c_str());
  NodeOptions options;
  options.format.database = database;
  options.format.shards = kLoadShards;
  options.server = id;
  options.address = fmt::format("server {}", id);
  options.seed = FreshSeed();
  options.clock = &SystemClock::Process();
  Shards shards;
  const auto node = ClusterNode::Start(*store, options, shards);
  MAYFLY_CHECK(node.has_value(), node.status().ToString().c_str());
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&shards, seed = options.seed + static_cast<std::uint64_t>(i)] {
      Random random(seed);
      for (;;) {
        const auto [shard, engine] = shards.Any(random);
        if (engine == nullptr) {
          std::this_thread::yield();
        } else {
          CountUp(shard, *engine, static_cast<std::uint32_t>(random.Below(kKeysPerShard)));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::abort();  // They never end.
}

}  // namespace

std::vector<std::string> LoadServerArguments(const std::string& conf_file,
                                             const std::string& database, int id,
                                             const std::string& host) {
  std::vector<std::string> arguments{kFlag, conf_file, database, std::to_string(id)};
  if (!host.empty()) arguments.push_back(host);
  return arguments;
}

void RunLoadServer(int argc, char** argv) {
  if (argc < 5 || std::string(argv[1]) != kFlag) return;
  if (argc > 5) FarHost::Enter(argv[5]);
  Serve(argv[2], argv[3], std::stoull(argv[4]));
}

std::string LoadRow(char which, std::uint32_t key) { return fmt::format("{}{:04}", which, key); }

}  // namespace mayfly::engine::cluster::suite
