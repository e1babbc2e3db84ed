// Goal: a shard is ours only while its record says so, whatever replies are lost, late or repeated.
// Method: a store whose replies the test gives.
#include "engine/cluster/ownership/held_shards.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/cluster/ownership/testing/instants.h"
#include "engine/cluster/ownership/testing/recording_store.h"

namespace mayfly::engine::cluster {
namespace {

constexpr OwnerRecord kNoOwner{};
constexpr OwnerRecord kOtherOwner{.server = 8, .incarnation = 3, .epoch = 41};

class HeldShardsTest : public ::testing::Test {
 protected:
  using Outcome = HeldShards::Outcome;

  HeldShardsTest() { held_.Begin(5); }

  Outcome Reply(SteadyTime now, bool done, const OwnerRecord& found = {}) {
    const auto& swap = store_.owner_swaps.back();
    return held_.OnSwapped(now, swap.request, swap.shard, done, found);
  }
  const RecordingStore::OwnerSwap& Last() { return store_.owner_swaps.back(); }

  void Own(ShardId shard) {
    held_.Claim(At(0), shard, kNoOwner, false);
    ASSERT_EQ(Reply(At(0), true), Outcome::kTaken);
  }

  std::set<std::pair<ServerId, std::uint64_t>> ended_;
  const OwnershipOptions options_;
  RecordingStore store_;
  RequestIds requests_;
  HeldShards held_{options_,
                   ShardMap::Make(64, 4).value(),
                   7,
                   store_,
                   store_,
                   requests_,
                   [this](ServerId server, std::uint64_t incarnation) {
                     return ended_.contains({server, incarnation});
                   }};
};

TEST_F(HeldShardsTest, AreOwnedOnceTheReplyHasCome) {
  held_.Claim(At(0), 9, kNoOwner, false);
  EXPECT_EQ(held_.RecordOf(9), nullptr);
  EXPECT_TRUE(held_.HoldsGroup(2));
  EXPECT_EQ(Reply(At(1), true), Outcome::kTaken);
  ASSERT_NE(held_.RecordOf(9), nullptr);
  EXPECT_EQ(*held_.RecordOf(9), (OwnerRecord{.server = 7, .incarnation = 5, .epoch = 1}));
  EXPECT_EQ(store_.gained, std::vector<ShardId>{9});
}

TEST_F(HeldShardsTest, AreTakenFromAnOwnerThatHasEndedWithTheNextEpoch) {
  ended_ = {{8, 3}};
  held_.Claim(At(0), 9, kNoOwner, false);
  EXPECT_EQ(Reply(At(1), false, kOtherOwner), Outcome::kNothing);
  EXPECT_EQ(Last().expected, kOtherOwner);
  EXPECT_EQ(Last().wanted.epoch, 42U);
  EXPECT_EQ(Reply(At(2), true), Outcome::kTaken);
}

TEST_F(HeldShardsTest, AreNotTakenFromAnOwnerThatLives) {
  held_.Claim(At(0), 9, kNoOwner, false);
  EXPECT_EQ(Reply(At(1), false, kOtherOwner), Outcome::kRefused);
  EXPECT_FALSE(held_.Holds(9));
  EXPECT_FALSE(held_.HoldsGroup(2));
  EXPECT_EQ(store_.owner_swaps.size(), 1U);
  EXPECT_TRUE(store_.gained.empty());
}

TEST_F(HeldShardsTest, AreTakenFromAFormerLifeOfOurs) {
  ended_ = {{7, 4}};
  held_.Claim(At(0), 9, kNoOwner, false);
  const OwnerRecord former{.server = 7, .incarnation = 4, .epoch = 10};
  EXPECT_EQ(Reply(At(1), false, former), Outcome::kNothing);
  EXPECT_EQ(Last().wanted, (OwnerRecord{.server = 7, .incarnation = 5, .epoch = 11}));
}

TEST_F(HeldShardsTest, AreOursWhenTheReplyWasLostAndTheClaimIsSentAgain) {
  held_.Claim(At(0), 9, kNoOwner, false);
  const OwnerRecord wanted = Last().wanted;
  held_.Tick(At(499));
  EXPECT_EQ(store_.owner_swaps.size(), 1U);
  held_.Tick(At(500));
  EXPECT_EQ(store_.owner_swaps.size(), 2U);
  EXPECT_EQ(Reply(At(501), false, wanted), Outcome::kTaken);
}

TEST_F(HeldShardsTest, AreReleasedWhenDrainedAndThenOffered) {
  Own(9);
  held_.Give(At(10), 9, 8);
  EXPECT_FALSE(held_.IsOwned(9));
  EXPECT_NE(held_.RecordOf(9), nullptr) << "what is in flight still carries the record";
  EXPECT_EQ(store_.draining, std::vector<ShardId>{9});
  held_.Drained(At(11), 9);
  EXPECT_EQ(held_.RecordOf(9), nullptr);
  EXPECT_EQ(store_.lost, std::vector<ShardId>{9});
  EXPECT_EQ(Last().wanted, (OwnerRecord{.server = kNobody, .incarnation = 0, .epoch = 1}));
  EXPECT_TRUE(store_.offers.empty());
  EXPECT_EQ(Reply(At(12), true), Outcome::kReleased);
  ASSERT_EQ(store_.offers.size(), 1U);
  EXPECT_EQ(store_.offers[0].to, 8U);
  EXPECT_FALSE(held_.Holds(9));
}

TEST_F(HeldShardsTest, AreReleasedUndrainedAfterTheBound) {
  Own(9);
  held_.Give(At(10), 9, 8);
  held_.Tick(At(209));
  EXPECT_NE(held_.RecordOf(9), nullptr);
  held_.Tick(At(210));
  EXPECT_EQ(held_.RecordOf(9), nullptr);
}

TEST_F(HeldShardsTest, AreNotOfferedWhenOthersTookThemDuringTheRelease) {
  Own(9);
  held_.Give(At(10), 9, 8);
  held_.Drained(At(11), 9);
  EXPECT_EQ(Reply(At(12), false, kOtherOwner), Outcome::kReleased);
  EXPECT_TRUE(store_.offers.empty());
}

TEST_F(HeldShardsTest, ListAGroupWhileAnyOfItsShardsIsHeld) {
  Own(9);
  Own(11);
  EXPECT_EQ(held_.groups(), std::vector<GroupId>{2});
  held_.Give(At(10), 9, 8);
  held_.Drained(At(11), 9);
  EXPECT_EQ(Reply(At(12), true), Outcome::kReleased);
  EXPECT_EQ(held_.groups(), std::vector<GroupId>{2});
  held_.Give(At(13), 11, 8);
  held_.Drained(At(14), 11);
  EXPECT_EQ(Reply(At(15), true), Outcome::kReleased);
  EXPECT_TRUE(held_.groups().empty());
}

TEST_F(HeldShardsTest, AreAllGoneWhenTheIncarnationHasEnded) {
  Own(9);
  Own(20);
  held_.Claim(At(1), 30, kNoOwner, false);
  const auto claim = Last();
  held_.DropAll();
  EXPECT_EQ(store_.lost, (std::vector<ShardId>{9, 20}));
  held_.Begin(6);
  EXPECT_EQ(held_.OnSwapped(At(2), claim.request, 30, true, kNoOwner), Outcome::kNothing);
  EXPECT_EQ(held_.RecordOf(30), nullptr);
  EXPECT_EQ(held_.owned() + held_.claiming() + held_.leaving(), 0U);
}

TEST_F(HeldShardsTest, CountAnOfferedShardAsReceived) {
  held_.Claim(At(0), 9, {.server = kNobody, .incarnation = 0, .epoch = 6}, true);
  EXPECT_EQ(Last().wanted.epoch, 7U);
  EXPECT_EQ(Reply(At(1), true), Outcome::kReceived);
}

}  // namespace
}  // namespace mayfly::engine::cluster
