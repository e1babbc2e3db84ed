// Goal: shards go from server to server on a real Ceph, with their rows, when one comes and when
// one leaves.
// Method: two nodes in one process, with a connection each, that tell each other their offers. How
// long each shard was nowhere is printed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <map>
#include <mutex>

#include "engine/cluster/node/cluster_node.h"
#include "tests/ceph/lab_environment.h"
#include "tests/engine/cluster_homes.h"

namespace mayfly::engine::cluster::suite {
namespace {

constexpr std::uint32_t kMovedShards = 16;
constexpr std::chrono::seconds kMovedWithin{60};

// Which server has which shard, and how long none had it.
class Moves {
 public:
  void Gained(ShardId shard, ServerId server, std::unique_ptr<Engine> engine) {
    {
      const std::lock_guard lock(mutex_);
      One& one = shards_.at(shard);
      one.server = server;
      one.engine = std::move(engine);
      if (one.gone != SteadyTime()) pauses_.push_back(Now() - one.gone);
    }
    changed_.notify_all();
  }
  void Draining(ShardId shard) {
    const std::lock_guard lock(mutex_);
    shards_.at(shard).gone = Now();
  }
  void Lost(ShardId shard, ServerId server) {
    const std::lock_guard lock(mutex_);
    One& one = shards_.at(shard);
    if (one.server != server) return;
    one.server = kNobody;
    one.engine = nullptr;
  }

  bool AwaitCount(ServerId server, std::uint32_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kMovedWithin, [&] {
      return std::count_if(shards_.begin(), shards_.end(),
                           [&](const One& one) { return one.server == server; }) == count;
    });
  }

  void EachEngine(const std::function<void(ShardId, Engine&)>& call) {
    const std::lock_guard lock(mutex_);
    for (std::uint32_t shard = 0; shard < kMovedShards; ++shard) {
      ASSERT_NE(shards_[shard].engine, nullptr) << shard;
      call(static_cast<ShardId>(shard), *shards_[shard].engine);
    }
  }

  void Report(const char* what) {
    const std::lock_guard lock(mutex_);
    std::sort(pauses_.begin(), pauses_.end());
    if (pauses_.empty()) return;
    const auto ms = [](auto pause) { return std::chrono::duration<double, std::milli>(pause); };
    fmt::print("{}: {} shards, nowhere for {:.1f} ms (median), {:.1f} ms (longest)\n", what,
               pauses_.size(), ms(pauses_[pauses_.size() / 2]).count(), ms(pauses_.back()).count());
    pauses_.clear();
  }

 private:
  static SteadyTime Now() { return SystemClock::Process().Passed(); }

  struct One {
    ServerId server = kNobody;
    std::shared_ptr<Engine> engine;
    SteadyTime gone;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<One, kMovedShards> shards_;          // Guarded by mutex_.
  std::vector<std::chrono::nanoseconds> pauses_;  // Guarded by mutex_.
};

// A server whose offers go straight to the other one.
class TalkingServer final : public ShardListener, public OfferSender {
 public:
  TalkingServer(ServerId id, const std::string& database, Moves& moves) : id_(id), moves_(moves) {
    NodeOptions options;
    options.format.database = database;
    options.format.shards = kMovedShards;
    options.format.ownership = engine::suite::QuickOwnership();
    options.server = id;
    options.address = std::to_string(id);
    options.seed = id;
    options.clock = &SystemClock::Process();
    auto node = ClusterNode::Start(Lab::lab().Connect(), options, *this, this);
    EXPECT_TRUE(node.has_value()) << node.status().ToString();
    node_ = std::move(node).value();
  }

  ClusterNode& node() { return *node_; }

  // Null: offers get lost.
  void TalkTo(TalkingServer* other) {
    const std::lock_guard lock(mutex_);
    other_ = other;
  }

 private:
  void OnGained(ShardId shard, std::unique_ptr<Engine> engine, IsClosed) override {
    moves_.Gained(shard, id_, std::move(engine));
  }
  void OnDraining(ShardId shard, std::function<void()> done) override {
    moves_.Draining(shard);
    done();
  }
  void OnLost(ShardId shard) override { moves_.Lost(shard, id_); }
  void Send(const std::string&, const ShardOffer& offer) override {
    const std::lock_guard lock(mutex_);
    if (other_ != nullptr) other_->node_->OnOffer(offer);
  }

  const ServerId id_;
  Moves& moves_;
  std::mutex mutex_;
  TalkingServer* other_ = nullptr;  // Guarded by mutex_.
  std::unique_ptr<ClusterNode> node_;
};

TEST(CephNode, HandsShardsOverWithTheirRows) {
  const std::string database = FreshDatabase();
  Moves moves;
  TalkingServer first(1, database, moves);
  ASSERT_TRUE(moves.AwaitCount(1, kMovedShards));
  moves.EachEngine([](ShardId shard, Engine& engine) {
    Batch batch;
    batch.Put({}, "key", std::to_string(shard));
    ASSERT_TRUE(engine.Commit(batch).ok());
  });
  const auto expect_rows = [&moves] {
    moves.EachEngine([](ShardId shard, Engine& engine) {
      PinnedBytes value;
      ASSERT_TRUE(engine.Get({}, "key", value).ok());
      EXPECT_EQ(value.view(), std::to_string(shard));
    });
  };
  {
    TalkingServer second(2, database, moves);
    first.TalkTo(&second);
    second.TalkTo(&first);
    ASSERT_TRUE(moves.AwaitCount(2, kMovedShards / 2));
    ASSERT_TRUE(moves.AwaitCount(1, kMovedShards / 2));
    expect_rows();
    moves.Report("a server comes");
    const Status left = second.node().Leave(kMovedWithin);
    EXPECT_TRUE(left.ok()) << left.ToString();
    ASSERT_TRUE(moves.AwaitCount(1, kMovedShards));
    expect_rows();
    moves.Report("it leaves");
    first.TalkTo(nullptr);
    second.TalkTo(nullptr);
  }
  expect_rows();
}

}  // namespace
}  // namespace mayfly::engine::cluster::suite
