// Goal: each shard is served by one server, by the next one when that dies or leaves, and by none
// that was replaced.
// Method: servers in one process on objects in memory; the test moves the clock, cuts servers off
// and kills them.
#include "engine/cluster/node/cluster_node.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "engine/cluster/node/testing/node_rig.h"
#include "engine/cluster/shard/shard_layout.h"

namespace mayfly::engine::cluster {
namespace {

class ClusterNodeTest : public NodeRig {
 protected:
  RigServer& StartAlone() {
    RigServer& server = Start(1);
    EXPECT_TRUE(Until([&] { return server.count() == kRigShards; }));
    return server;
  }
  void StartTwo() {
    RigServer& first = StartAlone();
    FillShards();
    RigServer& second = Start(2);
    ASSERT_TRUE(
        Until([&] { return first.count() == kRigShards / 2 && second.count() == kRigShards / 2; }));
  }
};

TEST_F(ClusterNodeTest, AServerAloneServesEveryShard) {
  RigServer& server = StartAlone();
  FillShards();
  ExpectShardsAreFilled(server);
  for (const Slot slot : {Slot{0}, Slot{8191}, Slot{16383}}) {
    EXPECT_EQ(server.node->PlaceOf(slot).kind, Place::Kind::kHere);
  }
  Settle();
  const NodeStats stats = server.node->stats();
  EXPECT_TRUE(stats.in);
  EXPECT_EQ(stats.shards_here, kRigShards);
  EXPECT_EQ(stats.loads, kRigShards);
  EXPECT_EQ(stats.shards_loading, 0u);
}

TEST_F(ClusterNodeTest, AServerThatComesGetsItsShareWithItsRows) {
  StartTwo();
  RigServer& first = *servers_[1];
  RigServer& second = *servers_[2];
  ExpectShardsAreFilled(first);
  ExpectShardsAreFilled(second);
  ASSERT_TRUE(Until([&] {
    for (std::uint32_t shard = 0; shard < kRigShards; ++shard) {
      const Slot slot = first.node->map().SlotsOf(static_cast<ShardId>(shard)).first;
      const Place from_first = first.node->PlaceOf(slot);
      const Place from_second = second.node->PlaceOf(slot);
      const bool at_first = first.EngineOf(static_cast<ShardId>(shard)) != nullptr;
      if (from_first.server != from_second.server) return false;
      if (from_first.server != (at_first ? 1u : 2u)) return false;
      if (at_first && from_second.address != "server 1") return false;
    }
    return true;
  }));
  // Each shard that moved was drained first.
  const auto heard = first.heard();
  for (std::size_t i = 0; i < heard.size(); ++i) {
    if (!heard[i].starts_with("lost")) continue;
    const std::string drained = "draining" + heard[i].substr(4);
    EXPECT_TRUE(std::find(heard.begin(), heard.begin() + static_cast<std::ptrdiff_t>(i), drained) !=
                heard.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

TEST_F(ClusterNodeTest, LostOffersCostTimeAndNothingElse) {
  offers_are_lost_ = true;
  StartTwo();
  ExpectShardsAreFilled(*servers_[2]);
}

TEST_F(ClusterNodeTest, TheShardsOfADeadServerAreServedWithinTenSeconds) {
  StartTwo();
  Kill(1);
  RigServer& second = *servers_[2];
  EXPECT_TRUE(Until([&] { return second.count() == kRigShards; }, Millis(10'000)));
  ExpectShardsAreFilled(second);
}

TEST_F(ClusterNodeTest, AServerThatLeavesHandsEverythingOver) {
  StartTwo();
  Status left = Status::Busy("not yet");
  std::atomic<bool> done{false};
  std::thread leaving([&] {
    left = servers_[1]->node->Leave(std::chrono::minutes(1));
    done = true;
  });
  EXPECT_TRUE(Until([&] { return done.load(); }));
  leaving.join();
  EXPECT_TRUE(left.ok()) << left.ToString();
  EXPECT_EQ(servers_[1]->count(), 0u);
  RigServer& second = *servers_[2];
  EXPECT_TRUE(Until([&] { return second.count() == kRigShards; }, Millis(3000)));
  ExpectShardsAreFilled(second);
}

// As with SIGSTOP: a commit is under way when the server is cut off, and others take its shards.
TEST_F(ClusterNodeTest, AServerThatStoodStillWritesNothingAfterItsShardsWereTaken) {
  StartTwo();
  RigServer& first = *servers_[1];
  RigServer& second = *servers_[2];
  ShardId shard = 0;
  while (first.EngineOf(shard) == nullptr) ++shard;
  const auto old_engine = first.EngineOf(shard);
  first.store->Stall();
  first.cut = true;
  Status late;
  std::thread writer([&] { late = Put(*old_engine, "key", "late"); });
  ASSERT_TRUE(Until([&] { return second.count() == kRigShards; }));
  const auto new_engine = second.EngineOf(shard);
  ASSERT_TRUE(Put(*new_engine, "key", "new").ok());
  first.store->Resume();
  first.cut = false;
  writer.join();
  EXPECT_EQ(late.code(), StatusCode::kBusy) << late.ToString();
  EXPECT_EQ(Get(*new_engine, "key"), "new");
  EXPECT_EQ(Put(*old_engine, "key", "later").code(), StatusCode::kBusy);
  PinnedBytes value;
  EXPECT_EQ(old_engine->Get({}, "key", value).code(), StatusCode::kBusy);
  // It joins again, and gets its share.
  EXPECT_TRUE(Until([&] { return first.count() == kRigShards / 2; }));
  EXPECT_EQ(objects_->MapOf(ShardObject("db", shard))[RowKey({}, "key")], EncodeInline("new"));
}

// The lease is over, and nobody has taken the shard: reads ask it.
TEST_F(ClusterNodeTest, AServerThatIsAloneGoesOnAfterAStallOfTheStore) {
  RigServer& server = StartAlone();
  FillShards();
  server.store->Stall();
  server.cut = true;
  ASSERT_TRUE(Until([&] { return !server.node->stats().in; }));
  std::atomic<bool> answered{false};
  std::thread reader([&] {
    EXPECT_EQ(Get(*server.EngineOf(3), "key"), "3");
    answered = true;
  });
  for (int i = 0; i < 100; ++i) Settle();
  EXPECT_FALSE(answered.load());
  server.store->Resume();
  server.cut = false;
  reader.join();
  EXPECT_TRUE(Until([&] { return server.node->stats().in; }));
  EXPECT_EQ(server.count(), kRigShards);
  ExpectShardsAreFilled(server);
}

TEST_F(ClusterNodeTest, AShardWhoseWriteHadAnUnknownOutcomeIsReadAgain) {
  RigServer& server = StartAlone();
  const ShardId shard = 5;
  const auto broken = server.EngineOf(shard);
  const std::string object = ShardObject("db", shard);
  server.store->SetFate([&](Request request, const std::string& name) {
    const bool lost = request == Request::kWriteMap && name == object;
    if (lost) clock_.Advance(ShardOptions().patience);
    return lost ? Fate::kReplyIsLost : Fate::kHappens;
  });
  // Patience is over some milliseconds later, by the clock of Until() or of the fates.
  const Status unknown = Put(*broken, "key", "value");
  EXPECT_EQ(unknown.code(), StatusCode::kIoError) << unknown.ToString();
  server.store->SetFate({});
  ASSERT_TRUE(Until([&] {
    const auto engine = server.EngineOf(shard);
    return engine != nullptr && engine != broken;
  }));
  EXPECT_EQ(Get(*server.EngineOf(shard), "key"), "value");
  PinnedBytes value;
  EXPECT_FALSE(broken->Get({}, "key", value).ok());
}

TEST_F(ClusterNodeTest, AShardThatCannotBeReadIsServedOnceItCan) {
  ASSERT_TRUE(objects_->Write(ShardObject("db", 7), {.sets = {{"\x7f", "?"}}}).ok());
  RigServer& server = Start(1);
  ASSERT_TRUE(Until(
      [&] { return server.count() == kRigShards - 1 && server.node->stats().load_failures > 1; }));
  EXPECT_EQ(server.node->PlaceOf(server.node->map().SlotsOf(7).first).kind, Place::Kind::kNowhere);
  ASSERT_TRUE(objects_->Write(ShardObject("db", 7), {.removals = {"\x7f"}}).ok());
  EXPECT_TRUE(Until([&] { return server.count() == kRigShards; }));
}

TEST_F(ClusterNodeTest, EnginesOutliveTheirNode) {
  RigServer& server = StartAlone();
  const auto engine = server.EngineOf(1);
  Kill(1);
  EXPECT_EQ(Put(*engine, "key", "value").code(), StatusCode::kBusy);
}

TEST_F(ClusterNodeTest, AChildOfForkLeavesItsThreadsAlone) {
  RigServer& server = StartAlone();
  const pid_t child = ::fork();
  if (child == 0) {
    server.node.reset();
    ::_exit(0);
  }
  int outcome = 0;
  ASSERT_EQ(::waitpid(child, &outcome, 0), child);
  EXPECT_TRUE(WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0);
  FillShards();
  ExpectShardsAreFilled(server);
}

// Somebody copied a configuration.
TEST_F(ClusterNodeTest, ASecondServerOfTheSameNumberIsRefusedAndTouchesNothing) {
  RigServer& first = StartAlone();
  FillShards();
  constexpr ServerId kPlaceOfCopy = 77;
  auto& copy = servers_[kPlaceOfCopy] = std::make_unique<RigServer>(objects_);
  NodeOptions options = OptionsOf(1);
  options.address = "copy";
  options.seed = kPlaceOfCopy;
  std::atomic<int> refusals{0};
  options.on_refused = [&](const Status& status) {
    ++refusals;
    EXPECT_NE(status.message().find("number 1"), std::string::npos) << status.ToString();
    EXPECT_NE(status.message().find("server 1"), std::string::npos) << status.ToString();
  };
  auto node = ClusterNode::Start(copy->store, options, *copy, this);
  ASSERT_TRUE(node.has_value());
  copy->node = std::move(node).value();
  EXPECT_EQ(copy->node->AwaitJoined(Millis(0)).code(), StatusCode::kBusy);
  ASSERT_TRUE(Until([&] { return refusals > 0; }, std::chrono::seconds(5)));
  EXPECT_EQ(copy->node->AwaitJoined(Millis(0)).code(), StatusCode::kInvalid);
  ASSERT_FALSE(Until([&] { return copy->count() > 0 || first.count() < kRigShards; },
                     std::chrono::seconds(20)));
  EXPECT_EQ(first.node->stats().ownership.ended, 0u);
  EXPECT_EQ(refusals, 1);
  ExpectShardsAreFilled(first);
}

// The one that was ended while it stood still comes back, and finds that its number is in use.
TEST_F(ClusterNodeTest, OfTwoServersOfOneNumberTheOneThatWasEndedIsRefused) {
  RigServer& first = StartAlone();
  first.store->Stall();
  first.cut = true;
  constexpr ServerId kPlaceOfCopy = 77;
  auto& copy = servers_[kPlaceOfCopy] = std::make_unique<RigServer>(objects_);
  NodeOptions options = OptionsOf(1);
  options.seed = kPlaceOfCopy;
  auto node = ClusterNode::Start(copy->store, options, *copy, this);
  ASSERT_TRUE(node.has_value());
  copy->node = std::move(node).value();
  ASSERT_TRUE(Until([&] { return copy->count() == kRigShards; }));
  EXPECT_TRUE(copy->node->AwaitJoined(Millis(0)).ok());
  first.store->Resume();
  first.cut = false;
  EXPECT_TRUE(
      Until([&] { return first.node->AwaitJoined(Millis(0)).code() == StatusCode::kInvalid; }));
  EXPECT_EQ(first.count(), 0u);
  EXPECT_EQ(copy->count(), kRigShards);
}

TEST_F(ClusterNodeTest, AServerThatStartsAgainAfterACrashIsNotRefused) {
  StartAlone();
  Kill(1);
  RigServer& again = Start(1);
  EXPECT_TRUE(Until([&] { return again.count() == kRigShards; }));
  EXPECT_TRUE(again.node->AwaitJoined(Millis(0)).ok());
}

TEST_F(ClusterNodeTest, BadOptionsAreRefused) {
  RigServer server(objects_);
  NodeOptions options = OptionsOf(1);
  options.server = kNobody;
  EXPECT_EQ(ClusterNode::Start(server.store, options, server).status().code(),
            StatusCode::kInvalid);
  options = OptionsOf(1);
  options.loads_in_flight_max = 0;
  EXPECT_EQ(ClusterNode::Start(server.store, options, server).status().code(),
            StatusCode::kInvalid);
  options = OptionsOf(1);
  options.format.database = "a b";
  EXPECT_EQ(ClusterNode::Start(server.store, options, server).status().code(),
            StatusCode::kInvalid);
}

}  // namespace
}  // namespace mayfly::engine::cluster
