// Goal: messages reach exactly the subscribers of their channel, in the order they were published.
// Method: subscribers that note what they get, on one thread; some that refuse or leave.
#include "server/pubsub/pubsub.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "server/pubsub/outbox.h"
#include "server/pubsub/subscriptions.h"

namespace mayfly::server {
namespace {

class RefusingNotes final : public Subscriber {
 public:
  bool Deliver(const PubSubMessage& message) override {
    if (refuses) return false;
    if (message.left) {
      left.push_back(*message.left);
      return true;
    }
    taken.push_back(fmt::format("{}/{}/{}", message.pattern, message.channel, message.payload));
    return true;
  }
  std::vector<std::string> taken;
  std::vector<std::size_t> left;  // Of subscriptions that were ended.
  bool refuses = false;
};

using Texts = std::vector<std::string>;

TEST(PubSub, ReachesSubscribersOfTheChannelAndOfPatterns) {
  PubSub registry;
  RefusingNotes a, b;
  Subscriptions of_a(registry, a), of_b(registry, b);
  EXPECT_TRUE(of_a.Subscribe(ChannelKind::kChannel, "news"));
  EXPECT_FALSE(of_a.Subscribe(ChannelKind::kChannel, "news"));
  EXPECT_TRUE(of_a.Subscribe(ChannelKind::kPattern, "n*"));
  EXPECT_TRUE(of_b.Subscribe(ChannelKind::kPattern, "new?"));
  EXPECT_EQ(registry.CountReceivers(ChannelKind::kChannel, "news"), 3u);
  EXPECT_EQ(registry.Publish("news", "1"), 3u);
  EXPECT_EQ(registry.Publish("other", "2"), 0u);
  EXPECT_EQ(a.taken, (Texts{"/news/1", "n*/news/1"}));
  EXPECT_EQ(b.taken, (Texts{"new?/news/1"}));
}

TEST(PubSub, KeepsShardChannelsApart) {
  PubSub registry;
  RefusingNotes a;
  Subscriptions mine(registry, a);
  mine.Subscribe(ChannelKind::kShard, "c");
  mine.Subscribe(ChannelKind::kPattern, "*");
  EXPECT_EQ(registry.PublishShard("c", "1"), 1u);
  EXPECT_EQ(registry.Publish("c", "2"), 1u);
  EXPECT_EQ(a.taken, (Texts{"/c/1", "*/c/2"}));
  EXPECT_EQ(mine.count(ChannelKind::kShard), 1u);
  EXPECT_EQ(mine.count(ChannelKind::kChannel), 1u);
}

TEST(PubSub, EndsShardChannelsAndTellsWhatIsLeft) {
  PubSub registry;
  RefusingNotes a, b;
  Subscriptions of_a(registry, a), of_b(registry, b);
  for (const char* const name : {"x1", "x2", "y"}) {
    of_a.Subscribe(ChannelKind::kShard, name);
    of_b.Subscribe(ChannelKind::kShard, name);
  }
  of_a.Subscribe(ChannelKind::kChannel, "x1");
  b.refuses = true;
  registry.EndShardChannels([](Bytes channel) { return channel.starts_with("x"); });
  ASSERT_EQ(a.left.size(), 2u);
  EXPECT_EQ(a.left[0], 2u);
  EXPECT_EQ(a.left[1], 1u);
  EXPECT_EQ(of_a.names(ChannelKind::kShard), (Texts{"y"}));
  EXPECT_EQ(of_a.names(ChannelKind::kChannel), (Texts{"x1"}));
  EXPECT_FALSE(of_b.any()) << "it takes no more messages";
  EXPECT_EQ(registry.CountSubscribers(ChannelKind::kShard, "x1"), 0u);
  EXPECT_EQ(registry.CountSubscribers(ChannelKind::kShard, "y"), 1u);
}

TEST(PubSub, CountsOnlyWhatIsThere) {
  PubSub registry;
  RefusingNotes a, b;
  Subscriptions of_a(registry, a);
  {
    Subscriptions of_b(registry, b);
    of_a.Subscribe(ChannelKind::kChannel, "x");
    of_b.Subscribe(ChannelKind::kChannel, "x");
    of_b.Subscribe(ChannelKind::kChannel, "y");
    of_b.Subscribe(ChannelKind::kPattern, "p");
    EXPECT_EQ(registry.CountSubscribers(ChannelKind::kChannel, "x"), 2u);
    EXPECT_EQ(registry.CountPatterns(), 1u);
    EXPECT_EQ(registry.Names(ChannelKind::kChannel, std::nullopt).size(), 2u);
    EXPECT_EQ(registry.Names(ChannelKind::kChannel, "y*"), (Texts{"y"}));
  }
  EXPECT_EQ(registry.CountSubscribers(ChannelKind::kChannel, "x"), 1u);
  EXPECT_EQ(registry.CountPatterns(), 0u);
  EXPECT_EQ(registry.Names(ChannelKind::kChannel, std::nullopt), (Texts{"x"}));
  EXPECT_TRUE(of_a.Unsubscribe(ChannelKind::kChannel, "x"));
  EXPECT_FALSE(of_a.Unsubscribe(ChannelKind::kChannel, "x"));
  EXPECT_FALSE(of_a.any());
  EXPECT_TRUE(registry.Names(ChannelKind::kChannel, std::nullopt).empty());
}

TEST(PubSub, DropsASubscriberThatRefusesAMessage) {
  PubSub registry;
  RefusingNotes a, b;
  Subscriptions of_a(registry, a), of_b(registry, b);
  for (Subscriptions* const each : {&of_a, &of_b}) {
    each->Subscribe(ChannelKind::kChannel, "x");
    each->Subscribe(ChannelKind::kPattern, "*");
  }
  a.refuses = true;
  EXPECT_EQ(registry.Publish("x", "1"), 2u);
  EXPECT_FALSE(of_a.any());
  EXPECT_FALSE(of_a.Subscribe(ChannelKind::kChannel, "x"));
  a.refuses = false;
  EXPECT_EQ(registry.Publish("x", "2"), 2u);
  EXPECT_TRUE(a.taken.empty());
  EXPECT_EQ(b.taken.size(), 4u);
}

TEST(Outbox, HoldsMessagesUntilTheyMayBeSeen) {
  PubSub registry;
  RefusingNotes a;
  Subscriptions mine(registry, a);
  mine.Subscribe(ChannelKind::kChannel, "x");
  mine.Subscribe(ChannelKind::kShard, "x");
  Outbox outbox(registry);
  EXPECT_EQ(outbox.Add(ChannelKind::kChannel, "x", "1"), 1u);
  EXPECT_EQ(outbox.Add(ChannelKind::kShard, "x", "2"), 1u);
  EXPECT_EQ(outbox.Add(ChannelKind::kChannel, "y", "3"), 0u);
  EXPECT_TRUE(a.taken.empty());
  outbox.Send();
  EXPECT_EQ(a.taken, (Texts{"/x/1", "/x/2"}));
  outbox.Send();
  outbox.Add(ChannelKind::kChannel, "x", "4");
  outbox.Discard();
  outbox.Send();
  EXPECT_EQ(a.taken.size(), 2u);
}

TEST(Message, IsAPushInResp3AndAnArrayInResp2) {
  const auto wire = [](const PubSubMessage& message, ProtocolVersion version) {
    OutputBuffer out;
    ReplyWriter writer(out, version);
    WriteMessage(message, writer);
    return std::string(out.view());
  };
  EXPECT_EQ(wire({ChannelKind::kChannel, "", "c", "p"}, ProtocolVersion::kResp2),
            "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\np\r\n");
  EXPECT_EQ(wire({ChannelKind::kPattern, "c*", "c", "p"}, ProtocolVersion::kResp3),
            ">4\r\n$8\r\npmessage\r\n$2\r\nc*\r\n$1\r\nc\r\n$1\r\np\r\n");
  EXPECT_EQ(wire({ChannelKind::kShard, "", "c", "p"}, ProtocolVersion::kResp3),
            ">3\r\n$8\r\nsmessage\r\n$1\r\nc\r\n$1\r\np\r\n");
}

}  // namespace
}  // namespace mayfly::server
