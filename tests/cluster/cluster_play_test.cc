// Goal: whatever becomes of requests, replies, leases and servers, no acknowledged write is lost,
// none is torn, and none of a server that was replaced counts.
// Method: three servers in one process, on objects in memory; threads count pairs of rows up, each
// number on condition of the one before. Meanwhile requests get lost or come late, stores stall
// beyond leases, servers die, leave and come back, as a seed says. Then all numbers that were
// acknowledged are compared with the objects. MAYFLY_SEED repeats the troubles, though not the
// threads; MAYFLY_TROUBLES is their number.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/random.h"
#include "base/testing/environment.h"
#include "engine/cluster/node/testing/node_rig.h"
#include "engine/cluster/shard/shard_layout.h"

namespace mayfly::engine::cluster::suite {
namespace {

using std::chrono::milliseconds;

constexpr int kServers = 3;
constexpr int kThreadsPerServer = 2;  // That write; one more reads.
constexpr std::uint32_t kShards = 8;
constexpr std::uint32_t kKeys = 4;
constexpr std::uint64_t kTroubles = 40;
constexpr std::uint64_t kWritesBetween = 30;
constexpr std::chrono::seconds kWaitMax{60};

NodeOptions OptionsOf(ServerId server, std::uint64_t seed) {
  NodeOptions options;
  options.format.database = "db";
  options.format.shards = kShards;
  OwnershipOptions& ownership = options.format.ownership;
  ownership.lease = milliseconds(200);
  ownership.takeover_wait = milliseconds(210);
  ownership.renew_interval = milliseconds(20);
  ownership.observe_interval = milliseconds(10);
  ownership.early_renew_interval = milliseconds(5);
  ownership.request_timeout = milliseconds(30);
  ownership.request_pause_max = milliseconds(60);
  ownership.counted_gap_max = milliseconds(60);
  ownership.fence_stagger = milliseconds(10);
  ownership.unlisted_grace = milliseconds(50);
  ownership.plan_interval = milliseconds(10);
  ownership.drain_max = milliseconds(20);
  ownership.rejoin_pause_first = milliseconds(20);
  ownership.rejoin_pause_max = milliseconds(80);
  options.server = server;
  options.address = std::to_string(server);
  options.seed = seed;
  options.shard.patience = milliseconds(400);
  options.clock = &SystemClock::Process();
  return options;
}

std::string RowOf(char which, std::uint32_t key) { return fmt::format("{}{}", which, key); }

// The numbers that were acknowledged.
class Ledger {
 public:
  void Add(std::uint32_t shard, std::uint32_t key, std::uint64_t number) {
    {
      const std::lock_guard lock(mutex_);
      if (!numbers_[{shard, key}].insert(number).second) ++twice_;
      ++count_;
    }
    changed_.notify_all();
  }
  // A read did not show what had been acknowledged before it began.
  void AddStaleRead() { ++stale_reads_; }

  bool AwaitMore(std::uint64_t writes) {
    std::unique_lock lock(mutex_);
    const std::uint64_t wanted = count_ + writes;
    return changed_.wait_for(lock, kWaitMax, [&] { return count_ >= wanted; });
  }
  std::uint64_t LargestOf(std::uint32_t shard, std::uint32_t key) const {
    const std::lock_guard lock(mutex_);
    const auto place = numbers_.find({shard, key});
    return place == numbers_.end() ? 0 : *place->second.rbegin();
  }
  std::uint64_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  std::uint64_t stale_reads() const { return stale_reads_; }
  std::uint64_t twice() const {
    const std::lock_guard lock(mutex_);
    return twice_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint64_t>> numbers_;
  std::uint64_t count_ = 0;
  std::uint64_t twice_ = 0;
  std::atomic<std::uint64_t> stale_reads_{0};
};

// A server with the threads that use it.
class BusyServer {
 public:
  BusyServer(ServerId id, std::uint64_t seed, const std::shared_ptr<MemoryObjects>& objects,
             Ledger& ledger)
      : rig_(objects) {
    auto node = ClusterNode::Start(rig_.store, OptionsOf(id, seed), rig_);
    EXPECT_TRUE(node.has_value()) << node.status().ToString();
    rig_.node = std::move(node).value();
    for (int i = 0; i < kThreadsPerServer; ++i) {
      threads_.emplace_back([this, &ledger, seed, i] {
        Random random(seed + static_cast<std::uint64_t>(i));
        while (!stopping_) CountUp(random, ledger);
      });
    }
    threads_.emplace_back([this, &ledger, seed] {
      Random random(seed + kThreadsPerServer);
      while (!stopping_) LookAround(random, ledger);
    });
  }
  ~BusyServer() {
    store().SetFate({});
    store().Resume();
    rig_.node.reset();
    stopping_ = true;
    for (std::thread& thread : threads_) thread.join();
    store().LandLate();  // While its records may still be those in the shards.
  }

  MemoryObjectStore& store() { return *rig_.store; }
  ClusterNode& node() { return *rig_.node; }

 private:
  void CountUp(Random& random, Ledger& ledger) {
    const auto shard = static_cast<ShardId>(random.Below(kShards));
    const auto key = static_cast<std::uint32_t>(random.Below(kKeys));
    const auto engine = rig_.EngineOf(shard);
    if (engine == nullptr) return std::this_thread::yield();
    PinnedBytes former;
    const Status read = Read(*engine, shard, key, former, ledger);
    if (!read.ok() && !read.IsNotFound()) return std::this_thread::yield();
    const std::uint64_t number = NumberIn(former) + 1;
    Batch batch;
    for (const char which : {'a', 'b'}) {
      const std::string row = RowOf(which, key);
      read.ok() ? batch.Require({}, row, former.view()) : batch.RequireAbsent({}, row);
      batch.Put({}, row, std::to_string(number));
    }
    if (engine->Commit(batch).ok()) ledger.Add(shard, key, number);
  }

  // Reads alone: while the store stalls, writers wait.
  void LookAround(Random& random, Ledger& ledger) {
    const auto shard = static_cast<ShardId>(random.Below(kShards));
    const auto engine = rig_.EngineOf(shard);
    PinnedBytes value;
    if (engine != nullptr) {
      static_cast<void>(
          Read(*engine, shard, static_cast<std::uint32_t>(random.Below(kKeys)), value, ledger));
    }
    std::this_thread::yield();
  }

  static std::uint64_t NumberIn(const PinnedBytes& value) {
    return value.view().empty() ? 0 : std::stoull(std::string(value.view()));
  }

  static Status Read(Engine& engine, ShardId shard, std::uint32_t key, PinnedBytes& value,
                     Ledger& ledger) {
    const std::uint64_t acknowledged = ledger.LargestOf(shard, key);
    const Status status = engine.Get({}, RowOf('a', key), value);
    const bool answered = status.ok() || status.IsNotFound();
    if (answered && NumberIn(value) < acknowledged) ledger.AddStaleRead();
    return status;
  }

  RigServer rig_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

class ClusterPlay : public testing::Test {
 protected:
  void Start(int server) {
    servers_.at(static_cast<std::size_t>(server)) = std::make_unique<BusyServer>(
        static_cast<ServerId>(server) + 1, random_.Next(), objects_, ledger_);
  }

  // One request in a few has another fate than to happen.
  void MakeLossy(MemoryObjectStore& store) {
    const auto random = std::make_shared<Random>(random_.Next());
    store.SetFate([random](Request, const std::string&) {
      switch (random->Below(30)) {
        case 0: return Fate::kReplyIsLost;
        case 1: return Fate::kRequestIsLost;
        case 2: return Fate::kComesLate;
        case 3: return Fate::kRefused;
        default: return Fate::kHappens;
      }
    });
  }

  void Trouble() {
    const int number = static_cast<int>(random_.Below(kServers));
    auto& server = servers_.at(static_cast<std::size_t>(number));
    switch (random_.Below(6)) {
      case 0: MakeLossy(server->store()); break;
      case 1: server->store().SetFate({}); break;
      case 2: server->store().LandLate(); break;
      case 3:  // A short stall, or one in which the others take its shards.
        server->store().Stall();
        EXPECT_TRUE(ledger_.AwaitMore(kWritesBetween));
        if (random_.OneIn(2) && server->node().stats().in) AwaitFence();
        server->store().Resume();
        break;
      case 4:
        Stop(server);
        EXPECT_TRUE(ledger_.AwaitMore(kWritesBetween));
        Start(number);
        break;
      case 5:
        // Busy when a lossy store makes it slow; it goes as it is then.
        static_cast<void>(server->node().Leave(milliseconds(500)));
        Stop(server);
        Start(number);
        break;
    }
  }

  std::uint64_t Fences() const {
    std::uint64_t fences = fences_of_the_dead_;
    for (const auto& server : servers_) {
      if (server != nullptr) fences += server->node().stats().ownership.fences;
    }
    return fences;
  }

  // Until a server has been replaced; not for ever, since the others may have troubles, too.
  void AwaitFence() {
    constexpr int kTriesMax = 200;
    const std::uint64_t before = Fences();
    for (int i = 0; i < kTriesMax && Fences() == before; ++i) {
      EXPECT_TRUE(ledger_.AwaitMore(kWritesBetween));
    }
  }

  void Stop(std::unique_ptr<BusyServer>& server) {
    fences_of_the_dead_ += server->node().stats().ownership.fences;
    server.reset();
  }

  void ExpectNothingLostOrTorn() {
    for (std::uint32_t shard = 0; shard < kShards; ++shard) {
      const auto map = objects_->MapOf(ShardObject("db", static_cast<ShardId>(shard)));
      for (std::uint32_t key = 0; key < kKeys; ++key) {
        const auto a = map.find(RowKey({}, RowOf('a', key)));
        const auto b = map.find(RowKey({}, RowOf('b', key)));
        ASSERT_EQ(a == map.end(), b == map.end()) << "torn: shard " << shard << " key " << key;
        if (a == map.end()) {
          EXPECT_EQ(ledger_.LargestOf(shard, key), 0u) << "lost: shard " << shard;
          continue;
        }
        EXPECT_EQ(a->second, b->second) << "torn: shard " << shard << " key " << key;
        const auto stored = DecodeRowValue(a->second);
        ASSERT_TRUE(stored.has_value());
        EXPECT_GE(std::stoull(std::string(stored->bytes)), ledger_.LargestOf(shard, key))
            << "lost: shard " << shard;
      }
    }
    EXPECT_EQ(ledger_.stale_reads(), 0u);
    EXPECT_EQ(ledger_.twice(), 0u) << "numbers that were acknowledged twice: lost updates";
  }

  const std::uint64_t seed_ = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  Random random_{seed_};
  const std::shared_ptr<MemoryObjects> objects_ = std::make_shared<MemoryObjects>();
  Ledger ledger_;
  std::array<std::unique_ptr<BusyServer>, kServers> servers_;
  std::uint64_t fences_of_the_dead_ = 0;
};

TEST_F(ClusterPlay, LosesAndTearsNothing) {
  fmt::print("MAYFLY_SEED={}\n", seed_);
  const std::uint64_t troubles = NumberFromEnvironment("MAYFLY_TROUBLES", kTroubles);
  for (int server = 0; server < kServers; ++server) Start(server);
  for (std::uint64_t i = 0; i < troubles && !HasFailure(); ++i) {
    ASSERT_TRUE(ledger_.AwaitMore(kWritesBetween)) << "nothing goes on after trouble " << i;
    Trouble();
  }
  for (const auto& server : servers_) server->store().SetFate({});
  EXPECT_TRUE(ledger_.AwaitMore(kWritesBetween));
  const std::uint64_t fences = Fences();
  for (auto& server : servers_) server.reset();
  fmt::print("{} writes acknowledged, {} times a server was replaced\n", ledger_.count(), fences);
  ExpectNothingLostOrTorn();
}

}  // namespace
}  // namespace mayfly::engine::cluster::suite
