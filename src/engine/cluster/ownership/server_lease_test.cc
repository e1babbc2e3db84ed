// Goal: a lease runs from the sending of a renewal that arrived, and an incarnation that others have
// ended never comes back.
// Method: a store whose replies the test gives; time by hand, tried in threes.
#include "engine/cluster/ownership/server_lease.h"

#include <gtest/gtest.h>

#include "engine/cluster/ownership/testing/instants.h"
#include "engine/cluster/ownership/testing/recording_store.h"

namespace mayfly::engine::cluster {
namespace {

class ServerLeaseTest : public ::testing::Test {
 protected:
  using Outcome = ServerLease::Outcome;

  Outcome Reply(SteadyTime now, bool done, const ServerRecordPtr& found = nullptr) {
    return lease_.OnSwapped(now, store_.server_swaps.back().request, done, found);
  }
  ServerRecordPtr Wanted() { return store_.server_swaps.back().wanted; }

  void JoinAt(SteadyTime now) {
    lease_.Join(now, nullptr, 99);
    ASSERT_EQ(Reply(now, true), Outcome::kJoined);
  }

  const OwnershipOptions options_{};
  RecordingStore store_;
  RequestIds requests_;
  ServerLease lease_{options_, 7, "here:1", store_, requests_};
};

TEST_F(ServerLeaseTest, BeginsAfterTheIncarnationThatItFinds) {
  auto former = std::make_shared<ServerRecord>();
  former->server = 7;
  former->incarnation = 4;
  former->state = ServerState::kFenced;
  lease_.Join(At(0), former, 99);
  EXPECT_EQ(store_.server_swaps.back().expected, former);
  EXPECT_EQ(Wanted()->incarnation, 5U);
  EXPECT_EQ(Wanted()->address, "here:1");
  EXPECT_EQ(Reply(At(3), true), Outcome::kJoined);
  EXPECT_EQ(lease_.incarnation(), 5U);
}

TEST_F(ServerLeaseTest, RunsFromTheSendingOfTheRenewal) {
  JoinAt(At(0));
  lease_.Renew(At(1000), ServerState::kServing, {});
  EXPECT_EQ(lease_.valid_until(), At(0) + options_.lease);
  EXPECT_EQ(Reply(At(1900), true), Outcome::kRenewed);
  EXPECT_EQ(lease_.valid_until(), At(1000) + options_.lease);
}

TEST_F(ServerLeaseTest, IsRegainedWhenTheReplyComesOnTheInstantOfItsEnd) {
  JoinAt(At(0));
  lease_.Renew(At(3000), ServerState::kServing, {});
  EXPECT_EQ(Reply(At(3999), true), Outcome::kRenewed);
  lease_.Renew(At(4000), ServerState::kServing, {});
  EXPECT_EQ(Reply(At(7000), true), Outcome::kRegained);
  lease_.Renew(At(7001), ServerState::kServing, {});
  EXPECT_EQ(Reply(At(8001), true), Outcome::kRegained);
}

TEST_F(ServerLeaseTest, SendsTheSameAgainUnderTheSameNumberLessAndLessOften) {
  JoinAt(At(0));
  lease_.Renew(At(0), ServerState::kServing, {3});
  const auto first = store_.server_swaps.back();
  std::vector<int> sent;
  for (int ms = 1; ms <= 10'000; ++ms) {
    const std::size_t before = store_.server_swaps.size();
    lease_.Tick(At(ms));
    if (store_.server_swaps.size() > before) sent.push_back(ms);
  }
  EXPECT_EQ(sent, (std::vector<int>{500, 1500, 3500, 5500, 7500, 9500}));
  EXPECT_EQ(store_.server_swaps.back().request, first.request);
  EXPECT_EQ(store_.server_swaps.back().wanted, first.wanted);
  // The lease still runs from the first sending, since that may be the one that arrived.
  EXPECT_EQ(Reply(At(10'001), true), Outcome::kRegained);
  EXPECT_EQ(lease_.valid_until(), At(0) + options_.lease);
}

TEST_F(ServerLeaseTest, TakesItsOwnRecordForASuccessWhenTheFirstReplyWasLost) {
  JoinAt(At(0));
  lease_.Renew(At(500), ServerState::kServing, {});
  lease_.Tick(At(1000));
  EXPECT_EQ(Reply(At(1510), false, std::make_shared<ServerRecord>(*Wanted())), Outcome::kRenewed);
  EXPECT_EQ(lease_.valid_until(), At(500) + options_.lease);
}

TEST_F(ServerLeaseTest, EndsWhenItFindsItselfFenced) {
  JoinAt(At(0));
  lease_.Renew(At(1000), ServerState::kServing, {});
  auto fenced = std::make_shared<ServerRecord>(*lease_.record());
  fenced->state = ServerState::kFenced;
  EXPECT_EQ(Reply(At(1001), false, fenced), Outcome::kEnded);
  EXPECT_EQ(lease_.phase(), ServerLease::Phase::kOut);
  EXPECT_LE(lease_.valid_until(), At(1001));
}

TEST_F(ServerLeaseTest, IsRefusedWhenAnotherProcessHasJoinedUnderItsName) {
  lease_.Join(At(0), nullptr, 99);
  auto other = std::make_shared<ServerRecord>(*Wanted());
  other->nonce = 98;
  EXPECT_EQ(Reply(At(1), false, other), Outcome::kRefused);
}

TEST_F(ServerLeaseTest, IgnoresRepliesToFormerRequests) {
  JoinAt(At(0));
  const RequestId join = store_.server_swaps.back().request;
  lease_.Renew(At(1000), ServerState::kServing, {});
  EXPECT_EQ(lease_.OnSwapped(At(1001), join, false, nullptr), Outcome::kNothing);
  EXPECT_TRUE(lease_.IsWaiting());
}

TEST_F(ServerLeaseTest, LeavesAndMayJoinAgain) {
  JoinAt(At(0));
  lease_.Leave(At(10));
  EXPECT_EQ(Wanted()->state, ServerState::kLeft);
  const ServerRecordPtr left = Wanted();
  EXPECT_EQ(Reply(At(20), true), Outcome::kLeft);
  lease_.Join(At(30), left, 100);
  EXPECT_EQ(Wanted()->incarnation, 2U);
}

}  // namespace
}  // namespace mayfly::engine::cluster
