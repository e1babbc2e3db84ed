// Goal: servers find their shards, give and take them over, and step aside in time.
// Method: two or three real ones over a store that answers at once, and time by hand. What happens to
// a thousand over a bad network and store is tests/cluster.
#include "engine/cluster/ownership/ownership.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>

namespace mayfly::engine::cluster {
namespace {

constexpr std::uint32_t kShards = 64;

// One store, and what each server asks of it, carried out in the order of asking.
class SmallCluster {
 public:
  explicit SmallCluster(std::uint32_t shards_per_group)
      : map_(ShardMap::Make(kShards, shards_per_group).value()), owners_(kShards) {}

  struct Node final : LeaseStore, OwnershipListener {
    Node(SmallCluster& cluster, ServerId id)
        : home(cluster),
          ownership(cluster.options, cluster.map_, {.server = id, .address = "a", .seed = id},
                    *this, *this, cluster.now) {}

    void ReadRosterPage(RequestId request, std::uint32_t page) override {
      home.Later(*this, [this, request, page] {
        RosterPage records;
        for (const auto& [id, record] : home.roster) {
          if (id % home.options.roster_pages == page) records.push_back(record);
        }
        ownership.OnRosterPage(home.now, request, records);
      });
    }
    void SwapServer(RequestId request, ServerRecordPtr expected, ServerRecordPtr wanted) override {
      home.Later(*this, [this, request, expected, wanted] {
        ServerRecordPtr& found = home.roster[wanted->server];
        const bool done =
            expected == nullptr ? found == nullptr : found != nullptr && *found == *expected;
        const ServerRecordPtr former = found;
        if (done) found = wanted;
        ownership.OnServerSwapped(home.now, request, done, former);
      });
    }
    void SwapOwner(RequestId request, ShardId shard, const OwnerRecord& expected,
                   const OwnerRecord& wanted) override {
      home.Later(*this, [this, request, shard, expected, wanted] {
        const OwnerRecord former = home.owners_[shard];
        if (former == expected) home.owners_[shard] = wanted;
        ownership.OnOwnerSwapped(home.now, request, shard, former == expected, former);
      });
    }
    void Offer(ServerId to, ShardId shard, const OwnerRecord& released) override {
      const auto node = home.nodes.find(to);
      if (node == home.nodes.end() || home.loses_offers) return;
      Node& receiver = *node->second;
      home.Later(receiver, [this, &receiver, shard, released] {
        receiver.ownership.OnOffer(home.now, shard, released);
      });
    }
    void OnGained(ShardId, const OwnerRecord&) override {}
    void OnDraining(ShardId shard) override {
      home.Later(*this, [this, shard] { ownership.Drained(home.now, shard); });
    }
    void OnLost(ShardId) override {}

    SmallCluster& home;
    Ownership ownership;
    bool runs = true;
  };

  Node& Start(ServerId id) { return *(nodes[id] = std::make_unique<Node>(*this, id)); }
  void Kill(ServerId id) { nodes[id]->runs = false; }

  void RunFor(Millis length) {
    for (const SteadyTime end = now + length; now < end; now += Millis(1)) {
      for (auto& [id, node] : nodes) {
        if (node->runs) node->ownership.Tick(now);
      }
      while (!work.empty()) {
        const auto next = std::move(work.front());
        work.pop_front();
        if (next.first->runs && !stalled) next.second();
      }
    }
  }

  std::size_t OwnedBy(ServerId id) const {
    std::size_t owned = 0;
    for (const OwnerRecord& owner : owners_) owned += owner.server == id ? 1 : 0;
    return owned;
  }
  std::size_t LeasedBy(ServerId id) {
    std::size_t leased = 0;
    for (std::uint32_t shard = 0; shard < kShards; ++shard) {
      leased += nodes[id]->ownership.RightOver(static_cast<ShardId>(shard), now) == Right::kLeased;
    }
    return leased;
  }

  const ShardMap& map() const { return map_; }
  void Later(Node& node, std::function<void()> what) { work.emplace_back(&node, std::move(what)); }

  OwnershipOptions options;
  SteadyTime now = SteadyTime(std::chrono::hours(1));
  std::map<ServerId, ServerRecordPtr> roster;
  std::map<ServerId, std::unique_ptr<Node>> nodes;
  std::deque<std::pair<Node*, std::function<void()>>> work;
  bool loses_offers = false;
  bool stalled = false;

 private:
  ShardMap map_;
  std::vector<OwnerRecord> owners_;
};

class OwnershipTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  SmallCluster cluster_{GetParam()};
};

std::string ByGroupSize(const testing::TestParamInfo<std::uint32_t>& info) {
  return "InGroupsOf" + std::to_string(info.param);
}

INSTANTIATE_TEST_SUITE_P(Groups, OwnershipTest, testing::Values(1, 4), ByGroupSize);

TEST_P(OwnershipTest, OneServerTakesAllShards) {
  cluster_.Start(1);
  cluster_.RunFor(Millis(8000));
  EXPECT_EQ(cluster_.OwnedBy(1), kShards);
  EXPECT_EQ(cluster_.LeasedBy(1), kShards);
}

TEST_P(OwnershipTest, ANewServerIsGivenItsShare) {
  cluster_.Start(1);
  cluster_.RunFor(Millis(8000));
  cluster_.Start(2);
  cluster_.RunFor(Millis(8000));
  EXPECT_EQ(cluster_.LeasedBy(1), kShards / 2);
  EXPECT_EQ(cluster_.LeasedBy(2), kShards / 2);
  EXPECT_EQ(cluster_.nodes[1]->ownership.counts().fences, 0U);
}

TEST_P(OwnershipTest, OffersThatAreLostCostTimeOnly) {
  cluster_.Start(1);
  cluster_.RunFor(Millis(8000));
  cluster_.loses_offers = true;
  cluster_.Start(2);
  cluster_.RunFor(Millis(30'000));
  EXPECT_EQ(cluster_.LeasedBy(1), kShards / 2);
  EXPECT_EQ(cluster_.LeasedBy(2), kShards / 2);
}

TEST_P(OwnershipTest, TheShardsOfADeadServerAreTakenWithinTenSeconds) {
  for (const ServerId id : {1U, 2U, 3U}) cluster_.Start(id);
  cluster_.RunFor(Millis(12'000));
  EXPECT_NEAR(static_cast<double>(cluster_.LeasedBy(2)), kShards / 3.0, 4);
  cluster_.Kill(2);
  cluster_.RunFor(Millis(10'000));
  EXPECT_EQ(cluster_.OwnedBy(2), 0U);
  EXPECT_EQ(cluster_.LeasedBy(1) + cluster_.LeasedBy(3), kShards);
}

TEST_P(OwnershipTest, NobodyIsFencedBeforeTheWaitIsOver) {
  for (const ServerId id : {1U, 2U}) cluster_.Start(id);
  cluster_.RunFor(Millis(12'000));
  cluster_.Kill(2);
  // The last renewal is at most one (varied) interval old.
  cluster_.RunFor(std::chrono::duration_cast<Millis>(cluster_.options.takeover_wait) -
                  Millis(1300));
  EXPECT_FALSE(cluster_.roster[2]->HasEnded());
}

TEST_P(OwnershipTest, AServerThatLeavesGivesEverythingAway) {
  for (const ServerId id : {1U, 2U}) cluster_.Start(id);
  cluster_.RunFor(Millis(12'000));
  cluster_.nodes[2]->ownership.Leave();
  cluster_.RunFor(Millis(4000));
  EXPECT_TRUE(cluster_.nodes[2]->ownership.HasLeft());
  EXPECT_EQ(cluster_.LeasedBy(1), kShards);
  EXPECT_EQ(cluster_.roster[2]->state, ServerState::kLeft);
}

TEST_P(OwnershipTest, TheLastServerLeavesItsShardsToTheNext) {
  cluster_.Start(1);
  cluster_.RunFor(Millis(8000));
  cluster_.nodes[1]->ownership.Leave();
  cluster_.RunFor(Millis(4000));
  EXPECT_TRUE(cluster_.nodes[1]->ownership.HasLeft());
  EXPECT_EQ(cluster_.OwnedBy(kNobody), kShards);
  cluster_.nodes[1]->runs = false;
  cluster_.Start(2);
  cluster_.RunFor(Millis(8000));
  EXPECT_EQ(cluster_.LeasedBy(2), kShards);
}

TEST_P(OwnershipTest, AServerThatStandsStillIsOutWhenItGoesOn) {
  for (const ServerId id : {1U, 2U}) cluster_.Start(id);
  cluster_.RunFor(Millis(12'000));
  cluster_.Kill(2);
  cluster_.RunFor(Millis(10'000));
  EXPECT_EQ(cluster_.LeasedBy(2), 0U) << "its lease is over by its own clock";
  cluster_.nodes[2]->runs = true;
  cluster_.RunFor(Millis(1500));
  EXPECT_EQ(cluster_.nodes[2]->ownership.counts().ended, 1U);
  cluster_.RunFor(Millis(15'000));
  EXPECT_EQ(cluster_.LeasedBy(2), kShards / 2) << "it has joined again";
}

TEST_P(OwnershipTest, AStallOfTheStoreEndsLeasesAndNobody) {
  for (const ServerId id : {1U, 2U}) cluster_.Start(id);
  cluster_.RunFor(Millis(12'000));
  cluster_.stalled = true;
  cluster_.RunFor(Millis(60'000));
  EXPECT_EQ(cluster_.LeasedBy(1) + cluster_.LeasedBy(2), 0U);
  EXPECT_EQ(cluster_.nodes[1]->ownership.RightOver(
                static_cast<ShardId>(cluster_.map().FirstShardOf(
                    cluster_.nodes[1]->ownership.shards().groups().front())),
                cluster_.now),
            Right::kConfirm);
  cluster_.stalled = false;
  cluster_.RunFor(Millis(12'000));
  EXPECT_EQ(cluster_.LeasedBy(1) + cluster_.LeasedBy(2), kShards);
  for (const ServerId id : {1U, 2U}) {
    EXPECT_EQ(cluster_.nodes[id]->ownership.counts().ended, 0U);
    EXPECT_EQ(cluster_.nodes[id]->ownership.counts().fences, 0U);
  }
}

TEST_P(OwnershipTest, AProcessThatStartsAgainWaitsForTheLeaseOfItsFormerLife) {
  cluster_.Start(1);
  cluster_.RunFor(Millis(8000));
  cluster_.nodes.clear();
  cluster_.Start(1);
  cluster_.RunFor(Millis(3500));
  EXPECT_EQ(cluster_.roster[1]->incarnation, 1U);
  cluster_.RunFor(Millis(8000));
  EXPECT_EQ(cluster_.roster[1]->incarnation, 2U);
  EXPECT_EQ(cluster_.LeasedBy(1), kShards);
}

TEST(OwnershipOptions, OfAnEmptyConfigurationGoTogether) {
  EXPECT_TRUE(CheckOptions(OwnershipOptions{}).ok());
}

TEST(OwnershipOptions, AreRefusedWhenTheWaitIsTooShortForTheDrift) {
  OwnershipOptions options;
  options.takeover_wait = TakeoverWaitMin(options.lease, options.drift_bound_ppm);
  EXPECT_TRUE(CheckOptions(options).ok());
  options.takeover_wait -= Nanos(1);
  EXPECT_EQ(CheckOptions(options).code(), StatusCode::kInvalid);
  options = OwnershipOptions{};
  options.drift_bound_ppm = 40'000;
  EXPECT_EQ(CheckOptions(options).code(), StatusCode::kInvalid);
}

TEST(OwnershipOptions, WaitLongerThanTheSlowestClockKeepsALease) {
  // Ours runs fast, theirs slow: the lease has passed by theirs when the wait is over by ours.
  const Nanos wait = TakeoverWaitMin(std::chrono::seconds(4), 20'000);
  const double true_wait = static_cast<double>(wait.count()) / 1.02;
  const double true_lease = 4e9 / 0.98;
  EXPECT_GE(true_wait, true_lease);
  EXPECT_LT(true_wait, true_lease * 1.001);
}

}  // namespace
}  // namespace mayfly::engine::cluster
