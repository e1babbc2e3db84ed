// Goal: the commands on channels reply as Redis 7.0 does, in both protocol versions.
// Method: the family on the command tester, with a subscriber that notes what it gets.
#include "server/pubsub/pubsub_commands.h"

#include <gtest/gtest.h>

#include "server/testing/command_tester.h"

namespace mayfly::server {
namespace {

class Notes final : public Subscriber {
 public:
  bool Deliver(const PubSubMessage& message) override {
    taken.emplace_back(message.payload);
    return true;
  }
  std::vector<std::string> taken;
};

class PubSubCommands : public testing::Test {
 protected:
  PubSubCommands() { tester_.SetPubSub(&context_); }

  std::string All(const std::string& line) {
    std::string text;
    for (const Reply& reply : tester_.RunAll(line)) text += TextOf(reply);
    return text;
  }
  std::string Text(const std::string& line) { return tester_.Text(line); }

  PubSub registry_;
  Notes notes_;
  Subscriptions mine_{registry_, notes_};
  PubSubContext context_{registry_, &mine_, nullptr};
  CommandTester tester_{{PubSubFamily()}};
};

TEST_F(PubSubCommands, ConfirmEachNameWithTheCountSoFar) {
  EXPECT_EQ(All("SUBSCRIBE a b a"), "[subscribe, a, 1][subscribe, b, 2][subscribe, a, 2]");
  EXPECT_EQ(All("PSUBSCRIBE p*"), "[psubscribe, p*, 3]");
  EXPECT_EQ(All("SSUBSCRIBE s"), "[ssubscribe, s, 1]");
  EXPECT_EQ(All("UNSUBSCRIBE x"), "[unsubscribe, x, 3]");
  EXPECT_EQ(All("UNSUBSCRIBE"), "[unsubscribe, a, 2][unsubscribe, b, 1]");
  EXPECT_EQ(All("UNSUBSCRIBE"), "[unsubscribe, (nil), 1]");
  EXPECT_EQ(All("PUNSUBSCRIBE"), "[punsubscribe, p*, 0]");
  EXPECT_EQ(All("SUNSUBSCRIBE s"), "[sunsubscribe, s, 0]");
  EXPECT_EQ(All("SUNSUBSCRIBE"), "[sunsubscribe, (nil), 0]");
}

TEST_F(PubSubCommands, ConfirmWithAPushInResp3) {
  EXPECT_EQ(tester_.Run("SUBSCRIBE a").kind, Reply::Kind::kArray);
  tester_.UseProtocol(ProtocolVersion::kResp3);
  EXPECT_EQ(tester_.Run("SUBSCRIBE a").kind, Reply::Kind::kPush);
  EXPECT_EQ(tester_.Run("UNSUBSCRIBE a").kind, Reply::Kind::kPush);
}

TEST_F(PubSubCommands, PublishCountsWhoGotIt) {
  EXPECT_EQ(Text("PUBLISH a 1"), "0");
  All("SUBSCRIBE a");
  All("PSUBSCRIBE ?");
  All("SSUBSCRIBE a");
  EXPECT_EQ(Text("PUBLISH a 2"), "2");
  EXPECT_EQ(Text("SPUBLISH a 3"), "1");
  EXPECT_EQ(notes_.taken, (std::vector<std::string>{"2", "2", "3"}));
}

TEST_F(PubSubCommands, PublishInATransactionWaitsForItsEnd) {
  Outbox outbox(registry_);
  context_.outbox = &outbox;
  All("SUBSCRIBE a");
  EXPECT_EQ(Text("PUBLISH a 1"), "1");
  EXPECT_TRUE(notes_.taken.empty());
  outbox.Send();
  EXPECT_EQ(notes_.taken.size(), 1u);
}

TEST_F(PubSubCommands, PubSubTellsWhoListens) {
  All("SUBSCRIBE aa ab");
  All("PSUBSCRIBE *");
  All("SSUBSCRIBE s");
  EXPECT_EQ(Text("PUBSUB CHANNELS ab"), "[ab]");
  EXPECT_EQ(Text("pubsub channels nope*"), "[]");
  EXPECT_EQ(tester_.Run("PUBSUB CHANNELS").items().size(), 2u);
  EXPECT_EQ(Text("PUBSUB NUMSUB aa zz"), "[aa, 1, zz, 0]");
  EXPECT_EQ(Text("PUBSUB NUMSUB"), "[]");
  EXPECT_EQ(Text("PUBSUB NUMPAT"), "1");
  EXPECT_EQ(Text("PUBSUB SHARDCHANNELS"), "[s]");
  EXPECT_EQ(Text("PUBSUB SHARDNUMSUB s"), "[s, 1]");
  EXPECT_EQ(tester_.Run("PUBSUB HELP").items().size(), 13u);
}

TEST_F(PubSubCommands, RefuseWhatMeansNothing) {
  EXPECT_EQ(Text("SUBSCRIBE"), "ERR wrong number of arguments for 'subscribe' command");
  EXPECT_EQ(Text("PUBLISH a"), "ERR wrong number of arguments for 'publish' command");
  EXPECT_EQ(Text("PUBSUB NUMPAT x"), "ERR wrong number of arguments for 'pubsub|numpat' command");
  EXPECT_EQ(Text("PUBSUB nope"), "ERR unknown subcommand 'nope'. Try PUBSUB HELP.");
  EXPECT_EQ(Text("PUBSUB CHANNELS a b"),
            "ERR unknown subcommand or wrong number of arguments for 'CHANNELS'. Try PUBSUB HELP.");
  context_.mine = nullptr;
  EXPECT_EQ(Text("SUBSCRIBE a"), "ERR publish and subscribe are not offered here");
}

}  // namespace
}  // namespace mayfly::server
