// Goal: a plain client is served by any server, as if that had all shards. Method: clients of server
// 0, which has half of the shards in memory; server 1 has the others, or has just lost them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "shards/cluster_served.h"

namespace mayfly::server {
namespace {

namespace asio = boost::asio;

class Forwarding : public testing::Test {
 protected:
  ClusterServed served;
  TestClient client{served.port(0)};
  const std::string here = served.KeyIn(0);
  const std::string there = served.KeyIn(1);
};

TEST_F(Forwarding, RepliesAreThoseOfTheOwner) {
  EXPECT_EQ(client.Text("SET " + there + " 3 EX 100"), "OK");
  EXPECT_EQ(client.Text("GET " + there), "3");
  EXPECT_EQ(client.Text("TTL " + there), "100");
  EXPECT_EQ(client.Text("LPUSH " + there + " x"),
            "WRONGTYPE Operation against a key holding the wrong kind of value");
  EXPECT_EQ(client.Text("HSET " + there + "h a 1"), client.Text("HSET " + there + "i a 1"));
  TestClient owner(served.port(1));
  EXPECT_EQ(owner.Text("GET " + there), "3");
  EXPECT_EQ(owner.Text("GET " + here), "(nil)");
}

TEST_F(Forwarding, APipelineKeepsItsOrder) {
  for (std::size_t i = 0; i < 300; ++i) {
    client.SendLine("INCR " + served.KeyIn(i % 4, "n"));
    client.SendLine("PING " + std::to_string(i));
  }
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(client.ReadText(), std::to_string(i / 4 + 1));
    EXPECT_EQ(client.ReadText(), std::to_string(i));
  }
}

TEST_F(Forwarding, RepliesHaveTheClientsVersionOfTheProtocol) {
  const std::string tag = "{" + there + "}";
  client.Text("HSET " + tag + "h a 1");
  EXPECT_EQ(client.Text("HGETALL " + tag + "h"), "[a, 1]");
  client.Text("HELLO 3");
  EXPECT_EQ(client.Text("HGETALL " + tag + "h"), "{a: 1}");
  EXPECT_EQ(client.Text("HGETALL {" + here + "}h"), "{}");
}

TEST_F(Forwarding, ALargeValuePassesWhole) {
  const std::string value(5'000'000, 'v');
  EXPECT_EQ(client.Text("SET " + there + " " + value), "OK");
  EXPECT_EQ(client.Text("GET " + there), value);
}

TEST_F(Forwarding, RepliesThatAreNotWantedAreLeftOut) {
  client.Send("CLIENT REPLY SKIP\r\n");
  client.SendLine("SET " + there + " 1");
  EXPECT_EQ(client.Text("GET " + there), "1");
  client.Send("CLIENT REPLY OFF\r\n");
  client.SendLine("INCR " + there);
  client.SendLine("INCR " + there);
  EXPECT_EQ(client.Text("CLIENT REPLY ON"), "OK");
  EXPECT_EQ(client.Text("GET " + there), "3");
}

TEST_F(Forwarding, ATransactionIsForwardedWhole) {
  client.Text("MULTI");
  EXPECT_EQ(client.Text("SET " + there + " 1"), "QUEUED");
  EXPECT_EQ(client.Text("INCR " + there), "QUEUED");
  EXPECT_EQ(client.Text("EXEC"), "[OK, 2]");
  EXPECT_EQ(client.Text("GET " + there), "2");

  client.Text("MULTI");
  client.Text("INCR " + here);
  client.Text("INCR " + there);
  EXPECT_EQ(client.Text("EXEC"), "CROSSSLOT Keys in request don't hash to the same slot");
  EXPECT_EQ(client.Text("GET " + there), "2");
}

TEST_F(Forwarding, AWaitEndsAtTheOwner) {
  client.SendLine("BLPOP " + there + " 0");
  served.AwaitBlocked(1, 1);
  TestClient other(served.port(0));
  EXPECT_EQ(other.Text("RPUSH " + there + " a b"), "2");
  EXPECT_EQ(client.ReadText(), "[" + there + ", a]");
  EXPECT_EQ(client.Text("BLPOP " + there + " 0"), "[" + there + ", b]");
  EXPECT_EQ(client.Text("BLPOP " + there + " 0.01"), "(nil array)");
}

// Its value would be lost.
TEST_F(Forwarding, AClientThatLeavesWaitsNoMoreAtTheOwner) {
  {
    TestClient leaver(served.port(0));
    leaver.SendLine("BLPOP " + there + " 0");
    served.AwaitBlocked(1, 1);
  }
  served.AwaitBlocked(1, 0);
  EXPECT_EQ(client.Text("RPUSH " + there + " a"), "1");
  EXPECT_EQ(client.Text("LLEN " + there), "1");
}

TEST_F(Forwarding, AWaitIsForwardedAgainWhenItsShardMoves) {
  client.SendLine("BLPOP " + there + " 0");
  served.AwaitBlocked(1, 1);
  served.shards().Give(1, 0);
  served.AwaitBlocked(0, 2);  // The client, and server 0's own connection for it.
  TestClient other(served.port(1));
  EXPECT_EQ(other.Text("RPUSH " + there + " a"), "1");
  EXPECT_EQ(client.ReadText(), "[" + there + ", a]");
}

TEST_F(Forwarding, NothingIsLostWhileShardsMove) {
  std::atomic<bool> ended{false};
  std::atomic<int> moves{0};
  std::thread mover([&] {
    for (; !ended; ++moves) served.shards().Give(0, static_cast<std::size_t>(moves + 1) % 2);
  });
  for (int i = 1; i <= 2000 || moves < 20; ++i) {
    const std::string reply = client.Text("INCR " + here);
    EXPECT_EQ(reply, std::to_string(i));
    if (reply != std::to_string(i)) break;
  }
  ended = true;
  mover.join();
}

TEST_F(Forwarding, AMessageReachesSubscribersOfAllServers) {
  TestClient here_subscriber(served.port(0));
  TestClient there_subscriber(served.port(1));
  here_subscriber.Text("SUBSCRIBE news");
  there_subscriber.Text("SUBSCRIBE news");
  EXPECT_EQ(client.Text("PUBLISH news a"), "1");
  for (TestClient* one : {&here_subscriber, &there_subscriber}) {
    EXPECT_EQ(one->ReadText(), "[message, news, a]");
  }
  client.Text("MULTI");
  client.Text("PUBLISH news b");
  client.Text("SET {" + here + "}x 1");
  EXPECT_EQ(client.Text("EXEC"), "[1, OK]");
  EXPECT_EQ(client.Text("EVAL \"return redis.call('PUBLISH', 'news', 'c')\" 0"), "1");
  for (TestClient* one : {&here_subscriber, &there_subscriber}) {
    EXPECT_EQ(one->ReadText(), "[message, news, b]");
    EXPECT_EQ(one->ReadText(), "[message, news, c]");
    EXPECT_TRUE(one->Quiet());
  }
}

// Servers have several connections to each other.
TEST_F(Forwarding, MessagesOfOnePublisherArriveInTheirOrder) {
  TestClient subscriber(served.port(1));
  subscriber.Text("SUBSCRIBE news");
  constexpr int kMessages = 500;
  for (int i = 0; i < kMessages; ++i)
    EXPECT_EQ(client.Text(fmt::format("PUBLISH news {}", i)), "0");
  for (int i = 0; i < kMessages; ++i) {
    ASSERT_EQ(subscriber.ReadText(), fmt::format("[message, news, {}]", i));
  }
}

// As Redis 7 does: the client subscribes again, and hears by MOVED where.
TEST_F(Forwarding, SubscribersHearThatTheirShardHasGone) {
  const std::string also_here = "{" + here + "}2";
  const std::string stays = served.KeyIn(2);
  TestClient listener(served.port(0));
  EXPECT_EQ(listener.Text("SSUBSCRIBE " + here + " " + also_here), "[ssubscribe, " + here + ", 1]");
  EXPECT_EQ(listener.ReadText(), "[ssubscribe, " + also_here + ", 2]");
  EXPECT_EQ(listener.Text("SSUBSCRIBE " + stays), "[ssubscribe, " + stays + ", 3]");
  EXPECT_EQ(listener.Text("SUBSCRIBE " + here), "[subscribe, " + here + ", 1]");
  served.shards().Give(0, 1);
  std::multiset<std::string> told = {listener.ReadText(), listener.ReadText()};
  const bool in_order = told.contains("[sunsubscribe, " + here + ", 2]");
  EXPECT_EQ(told, (std::multiset<std::string>{
                      "[sunsubscribe, " + (in_order ? here : also_here) + ", 2]",
                      "[sunsubscribe, " + (in_order ? also_here : here) + ", 1]"}));
  EXPECT_EQ(client.Text("SPUBLISH " + stays + " a"), "1");
  EXPECT_EQ(listener.ReadText(), "[smessage, " + stays + ", a]");
  EXPECT_EQ(client.Text("PUBLISH " + here + " b"), "1");
  EXPECT_EQ(listener.ReadText(), "[message, " + here + ", b]");
  const std::string moved = listener.Text("SSUBSCRIBE " + here);
  EXPECT_TRUE(moved.starts_with("MOVED ")) << moved;
  TestClient there_listener(served.port(1));
  EXPECT_EQ(there_listener.Text("SSUBSCRIBE " + here), "[ssubscribe, " + here + ", 1]");
  EXPECT_EQ(client.Text("SPUBLISH " + here + " c"), "1");
  EXPECT_EQ(there_listener.ReadText(), "[smessage, " + here + ", c]");
  EXPECT_TRUE(listener.Quiet());
}

TEST_F(Forwarding, AShardChannelIsPublishedToAtItsOwner) {
  TestClient listener(served.port(1));
  EXPECT_EQ(listener.Text("SSUBSCRIBE " + there), "[ssubscribe, " + there + ", 1]");
  EXPECT_EQ(client.Text("SPUBLISH " + there + " a"), "1");
  EXPECT_EQ(listener.ReadText(), "[smessage, " + there + ", a]");
  client.Text("MULTI");
  client.Text("SPUBLISH " + there + " b");
  EXPECT_EQ(client.Text("EXEC"), "[1]");
  EXPECT_EQ(listener.ReadText(), "[smessage, " + there + ", b]");
  client.Text("MULTI");
  client.Text("SET " + here + " 1");
  client.Text("SPUBLISH " + there + " c");
  EXPECT_EQ(client.Text("EXEC"), "CROSSSLOT Keys in request don't hash to the same slot");
  TestClient speaker(served.port(0));
  speaker.Text("READONLY");
  EXPECT_TRUE(speaker.Text("SPUBLISH " + there + " d").starts_with("MOVED "));
  EXPECT_TRUE(listener.Quiet());
}

// Whoever subscribes hears messages, or that it is over; never nothing.
TEST_F(Forwarding, NobodyStaysSubscribedWhereNothingIsPublished) {
  std::atomic<bool> ended{false};
  std::thread mover([&] {
    for (std::size_t i = 0; !ended; ++i) served.shards().Give(0, (i + 1) % 2);
    served.shards().Give(0, 1);
  });
  int moved = 0;
  std::vector<std::unique_ptr<TestClient>> listeners;
  while (listeners.size() < 100 || moved == 0) {
    auto listener = std::make_unique<TestClient>(served.port(0));
    const std::string reply = listener->Text("SSUBSCRIBE " + here);
    if (reply.starts_with("MOVED ")) {
      ++moved;
    } else if (reply.starts_with("[ssubscribe, ")) {
      listeners.push_back(std::move(listener));
    }
  }
  ended = true;
  mover.join();
  for (const auto& listener : listeners) {
    EXPECT_EQ(listener->ReadText(), "[sunsubscribe, " + here + ", 0]");
  }
}

TEST_F(Forwarding, AServerThatCannotBeReachedIsNamed) {
  client.Text("SET " + there + " 1");
  served.Stop(1);
  std::string reply = client.Text("GET " + there);
  if (reply.starts_with("ERR the connection")) reply = client.Text("GET " + there);
  EXPECT_NE(reply.find("TRYAGAIN the server " + served.AddressOf(1) + " cannot be reached"),
            std::string::npos)
      << reply;
  EXPECT_EQ(client.Text("GET " + here), "(nil)");
  served.shards().Give(1, 0);
  EXPECT_EQ(client.Text("GET " + there), "1");
}

TEST(ForwardingSettings, RedirectAlwaysAndNeverOverruleWhatClientsSay) {
  ClusterServed always({.settings = {{"cluster-redirect", "always"}}});
  TestClient moved(always.port(0));
  EXPECT_TRUE(moved.Text("GET " + always.KeyIn(1)).starts_with("MOVED "));

  ClusterServed never({.settings = {{"cluster-redirect", "never"}}});
  TestClient served(never.port(0));
  served.Text("CLUSTER SLOTS");
  EXPECT_EQ(served.Text("GET " + never.KeyIn(1)), "(nil)");
}

// They ask one connection for the map, and send commands on others.
TEST(ForwardingSettings, OtherConnectionsOfAClusterClientAreMovedToo) {
  ClusterServed served;
  TestClient before(served.port(0));
  EXPECT_EQ(before.Text("GET " + served.KeyIn(1)), "(nil)");
  TestClient(served.port(0)).Text("CLUSTER SLOTS");
  EXPECT_TRUE(before.Text("GET " + served.KeyIn(1)).starts_with("MOVED "));
  TestClient elsewhere(served.port(1));  // The other server hears of it.
  while (!elsewhere.Text("GET " + served.KeyIn(0)).starts_with("MOVED ")) std::this_thread::yield();
}

TEST(ForwardingSettings, AnotherServerIsLoggedInto) {
  ClusterServed served({.settings = {{"requirepass", "secret"}, {"cluster-password", "secret"}}});
  TestClient client(served.port(0));
  EXPECT_EQ(client.Text("GET " + served.KeyIn(1)), "NOAUTH Authentication required.");
  client.Text("AUTH secret");
  EXPECT_EQ(client.Text("SET " + served.KeyIn(1) + " 1"), "OK");

  ClusterServed other({.settings = {{"requirepass", "secret"}}});
  TestClient refused(other.port(0));
  refused.Text("AUTH secret");
  const std::string reply = refused.Text("GET " + other.KeyIn(1));
  EXPECT_TRUE(reply.starts_with("ERR the server " + other.AddressOf(1) +
                                " refuses this one, as the user 'default': NOAUTH"))
      << reply;
  EXPECT_NE(reply.find("cluster-password"), std::string::npos) << reply;
}

class KeptLines final : public Logger {
 public:
  bool Wants(LogLevel level) const override { return level >= LogLevel::kWarning; }
  void Write(LogLevel, std::string_view line) override {
    const std::lock_guard lock(mutex_);
    lines_.emplace_back(line);
  }
  std::size_t CountWith(const std::string& words) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(
        lines_.begin(), lines_.end(),
        [&](const std::string& line) { return line.find(words) != std::string::npos; }));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

TEST(ForwardingSettings, ARefusedLoginIsLoggedByBothServersOnce) {
  KeptLines log;
  ClusterServed served(
      {.settings = {{"requirepass", "secret"}, {"cluster-password", "wrong"}}, .logger = &log});
  TestClient client(served.port(0));
  client.Text("AUTH secret");
  for (int i = 0; i < 10; ++i) {
    const std::string reply = client.Text("GET " + served.KeyIn(1));
    EXPECT_NE(reply.find("WRONGPASS"), std::string::npos) << reply;
  }
  const std::string there =
      "the server at " + served.AddressOf(0) + " cannot log in here";  // Says server 1.
  while (log.CountWith(there) == 0) std::this_thread::yield();
  EXPECT_EQ(log.CountWith("the server " + served.AddressOf(1) + " refuses this one"), 1u);
  EXPECT_EQ(log.CountWith(there), 1u);
}

// Who is no member is not believed.
TEST(ForwardingSettings, StrangersDoNotFillTheLog) {
  KeptLines log;
  ClusterServed served({.settings = {{"requirepass", "secret"}}, .logger = &log});
  TestClient stranger(served.port(0));
  EXPECT_EQ(stranger.Text("CLUSTER REFUSED 10.0.0.9:1"), "OK");
  EXPECT_EQ(stranger.Text("CLUSTER REFUSED " + served.AddressOf(1)), "OK");
  EXPECT_EQ(stranger.Text("CLUSTER REFUSED " + served.AddressOf(1)), "OK");
  EXPECT_EQ(log.CountWith("cannot log in here"), 1u);
}

// Takes the greeting of one connection after the other, and then reads without a word, as a server that
// stands still does.
class SilentServer {
 public:
  SilentServer() : acceptor_(context_, {asio::ip::address_v4::loopback(), 0}) {
    thread_ = std::thread([this] {
      for (;;) {
        boost::system::error_code error;
        auto& socket = sockets_.emplace_back(acceptor_.accept(context_, error));
        if (error) return;
        std::string got;
        asio::read_until(socket, asio::dynamic_buffer(got), "PEER\r\n", error);
        asio::write(socket, asio::buffer(std::string_view("+OK\r\n")), error);
      }
    });
  }
  ~SilentServer() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    thread_.join();
  }
  int port() const { return acceptor_.local_endpoint().port(); }

 private:
  asio::io_context context_;
  asio::ip::tcp::acceptor acceptor_;
  std::deque<asio::ip::tcp::socket> sockets_;  // Of the thread.
  std::thread thread_;
};

TEST_F(Forwarding, ASilentServerIsGivenUpOnceOthersHaveItsShards) {
  client.Text("SET " + there + " 1");
  SilentServer silent;
  served.shards().SetAddress(1, {"127.0.0.1", silent.port()});
  TestClient writer(served.port(0));
  TestClient waiter(served.port(0));
  TestClient reader(served.port(0));
  reader.SendLine("GET " + there);
  writer.SendLine("INCR " + there);
  waiter.SendLine("BLPOP {" + there + "}list 0");
  served.AwaitBlocked(0, 3);
  const auto begin = std::chrono::steady_clock::now();
  served.shards().Give(1, 0);
  served.shards().Give(3, 0);
  served.shards().SetState(1, ClusterMember::State::kGone);
  // A read is repeated at the new owner, which is the server that was asked. What may have changed
  // something is not.
  EXPECT_EQ(reader.ReadText(), "1");
  const std::string unknown = writer.ReadText();
  EXPECT_TRUE(unknown.starts_with("ERR the connection to the server 127.0.0.1:" +
                                  std::to_string(silent.port())))
      << unknown;
  EXPECT_NE(unknown.find("others have its shards"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("the command may have run"), std::string::npos) << unknown;
  EXPECT_NE(waiter.ReadText().find("the command may have run"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(client.Text("GET " + there), "1");
}

}  // namespace
}  // namespace mayfly::server
