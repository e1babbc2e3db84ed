// Goal: `maxmemory` bounds what is stored; who leaves is what the policy says; and an eviction is
// seen by transactions, watches, notifications, events and figures as any other removal.
// Method: whole servers with small limits; the count is compared with one made anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "core/upkeep/measured_data.h"
#include "server/command/limits.h"
#include "server/front_served.h"

namespace mayfly::server {
namespace {

using Settings = Served::Settings;

constexpr const char* kOom = "OOM command not allowed when used memory > 'maxmemory'.";
constexpr std::size_t kValueBytes = 1000;

std::string Field(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("\r\n" + name + ":");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 3;
  return text.substr(begin, text.find('\r', begin) - begin);
}

class MaxMemory : public testing::Test {
 protected:
  void Serve(const Settings& settings) {
    served_ = std::make_unique<FrontServed>(settings);
    Connect();
  }
  void Serve(const std::string& policy, std::int64_t max) {
    Serve({{"maxmemory-policy", policy}});
    Limit(max);
  }
  void Connect() { client_ = std::make_unique<TestClient>(served_->port()); }
  void Limit(std::int64_t max) {
    ASSERT_EQ(Text(fmt::format("CONFIG SET maxmemory {}", max)), "OK");
  }
  std::string Text(const std::string& line) { return client_->Text(line); }
  std::string Info(const std::string& name) { return Field(Text("INFO everything"), name); }
  std::int64_t Number(const std::string& name) { return std::stoll("0" + Info(name)); }

  std::string Set(const std::string& key, const std::string& more = "") {
    return Text(fmt::format("SET {} {} {}", key, std::string(kValueBytes, 'v'), more));
  }
  std::int64_t Left(const std::string& prefix, int count) {
    std::string line = "EXISTS";
    for (int i = 0; i < count; ++i) line += fmt::format(" {}{}", prefix, i);
    return std::stoll(Text(line));
  }
  // The count that was kept equals one that is made anew.
  void ExpectExact() {
    const std::int64_t kept = Number("data_bytes");
    const std::int64_t max = Number("maxmemory");
    Limit(0);
    EXPECT_EQ(Number("data_bytes"), 0);
    const core::DataMeter& meter = *core::FindMeter(served_->database());
    while (meter.active()) std::this_thread::yield();  // The thread forgets the count.
    Limit(max);
    EXPECT_EQ(Number("data_counted"), 1);
    EXPECT_EQ(Number("data_bytes"), kept);
  }

  std::unique_ptr<FrontServed> served_;
  std::unique_ptr<TestClient> client_;
};

TEST_F(MaxMemory, WithoutEvictionRefusesWhatAddsAndTakesWhatRemoves) {
  Serve("noeviction", 20'000);
  int stored = 0;
  while (Set(fmt::format("k{}", stored)) == "OK") ++stored;
  EXPECT_NEAR(stored, 20, 2);
  EXPECT_EQ(Set("more"), kOom);
  for (const char* line : {"LPUSH l a", "HSET h f v", "ZADD z 1 a", "XADD s * f v", "APPEND k0 x",
                           "SETRANGE k0 2000 x", "COPY k0 k1 REPLACE"}) {
    EXPECT_EQ(Text(line), kOom) << line;
  }
  EXPECT_EQ(Text("GET none"), "(nil)");
  EXPECT_EQ(Text("EXPIRE k0 100"), "1");
  EXPECT_EQ(Text("EVAL \"return redis.call('set', KEYS[1], 'v')\" 1 k0").substr(0, 3), "OOM");
  EXPECT_EQ(Text("EVAL \"return redis.call('del', KEYS[1])\" 1 none"), "0");
  EXPECT_EQ(Text("MULTI"), "OK");
  EXPECT_EQ(Set("more"), kOom);
  EXPECT_EQ(Text("EXEC"), "EXECABORT Transaction discarded because of previous errors.");
  EXPECT_EQ(Text("DEL k0"), "1");
  EXPECT_EQ(Text("DEL k1"), "1");
  EXPECT_EQ(Set("more"), "OK");
  EXPECT_EQ(Info("evicted_keys"), "0");
  Limit(0);
  EXPECT_EQ(Set("even-more"), "OK");
  Limit(20'000);
  ExpectExact();
}

// Tests of clients set it to see the error.
TEST_F(MaxMemory, ALimitOfAByteIsPassedByAnEmptyDatabase) {
  Serve("noeviction", 1);
  EXPECT_EQ(Set("k"), kOom);
  EXPECT_EQ(Text("EVAL \"return redis.call('set','x','y')\" 1 x").substr(0, 3), "OOM");
  EXPECT_EQ(Text("CONFIG SET maxmemory-policy allkeys-lru"), "OK");
  EXPECT_EQ(Set("k"), kOom);
  Limit(0);
  EXPECT_EQ(Set("k"), "OK");
  Limit(1);
  for (int i = 0; i < 10'000 && Text("DBSIZE") != "0"; ++i) std::this_thread::yield();
  EXPECT_EQ(Text("DBSIZE"), "0");
}

TEST_F(MaxMemory, ExecIsRefusedIfTheRoomWentMeanwhile) {
  Serve("noeviction", 20'000);
  EXPECT_EQ(Text("MULTI"), "OK");
  EXPECT_EQ(Text("SET a 1"), "QUEUED");
  TestClient other(served_->port());
  while (other.Text(fmt::format("SET {} {}", other.Text("DBSIZE"), std::string(1000, 'v'))) ==
         "OK") {
  }
  EXPECT_EQ(Text("EXEC"), std::string("EXECABORT Transaction discarded because of: ") + kOom);
  EXPECT_EQ(Text("GET a"), "(nil)");
}

TEST_F(MaxMemory, VolatileTtlTakesWhatWouldDieFirstOfAllDatabases) {
  Serve("volatile-ttl", 40'000);
  // In two databases, deadlines not in the order of keys; k29 dies first, then k28 and so on.
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(Text(fmt::format("SELECT {}", i % 2)), "OK");
    EXPECT_EQ(Set(fmt::format("k{}", i), fmt::format("EX {}", 10'000 - i)), "OK");
  }
  EXPECT_EQ(Text("SELECT 0"), "OK");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Set(fmt::format("for-ever{}", i)), "OK");
  EXPECT_LE(Number("data_bytes"), 40'000 + 1100);
  const std::int64_t evicted = Number("evicted_keys");
  EXPECT_GE(evicted, 10);
  EXPECT_LE(evicted, 14);
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(Text(fmt::format("SELECT {}", i % 2)), "OK");
    EXPECT_EQ(Text(fmt::format("EXISTS k{}", i)), i < 30 - evicted ? "1" : "0") << i;
  }
  EXPECT_EQ(Text("SELECT 0"), "OK");
  EXPECT_EQ(Left("for-ever", 20), 20);
  ExpectExact();
}

TEST_F(MaxMemory, VolatilePoliciesLeaveRowsWithoutADeadlineAlone) {
  for (const char* policy : {"volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"}) {
    SCOPED_TRACE(policy);
    Serve(policy, 20'000);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(Set(fmt::format("mortal{}", i), "EX 1000"), "OK");
    int stored = 0;
    while (Set(fmt::format("k{}", stored)) == "OK" && stored < 100) ++stored;
    EXPECT_NEAR(stored, 20, 2);
    EXPECT_EQ(Left("k", stored), stored);
    EXPECT_EQ(Left("mortal", 10), 0);
    EXPECT_EQ(Info("evicted_keys"), "10");
    EXPECT_EQ(Set("more"), kOom) << "nothing is left to evict";
    ExpectExact();
  }
}

TEST_F(MaxMemory, AllKeysPoliciesKeepTheBound) {
  for (const char* policy : {"allkeys-lru", "allkeys-lfu", "allkeys-random"}) {
    SCOPED_TRACE(policy);
    Serve(policy, 50'000);
    for (int i = 0; i < 300; ++i) {
      EXPECT_EQ(Set(fmt::format("k{}", i), i % 2 == 0 ? "EX 1000" : ""), "OK");
      if (i % 10 == 0) {
        EXPECT_LE(Number("data_bytes"), 50'000 + 1100);
      }
    }
    EXPECT_GE(Number("data_bytes"), 45'000) << "more left than had to";
    EXPECT_EQ(Number("evicted_keys"), 300 - std::stoll(Text("DBSIZE")));
    ExpectExact();
  }
}

TEST_F(MaxMemory, LfuTakesWhatIsUsedLeast) {
  Serve({{"maxmemory-policy", "allkeys-lfu"}, {"lfu-log-factor", "0"}});
  Limit(100'000);
  for (int i = 0; i < 80; ++i) Set(fmt::format("k{}", i));
  for (int use = 0; use < 10; ++use) {
    for (int i = 0; i < 20; ++i) Text(fmt::format("GET k{}", i));
  }
  EXPECT_EQ(Text("OBJECT FREQ k0"), "15");
  EXPECT_EQ(Text("OBJECT FREQ k50"), "5");
  EXPECT_EQ(Text("TTL k0"), "-1");
  EXPECT_EQ(Text("OBJECT FREQ k0"), "15") << "to look at a key is not to use it";
  for (int i = 0; i < 200; ++i) Set(fmt::format("fresh{}", i));
  EXPECT_EQ(Left("k", 20), 20);
  EXPECT_LE(Left("k", 80), 60);
}

TEST_F(MaxMemory, ObjectTellsUsesUnderItsPolicy) {
  Serve(Settings{});
  Set("k");
  EXPECT_TRUE(Text("OBJECT FREQ k").starts_with("ERR An LFU maxmemory policy is not selected"));
  EXPECT_TRUE(Text("OBJECT IDLETIME k").starts_with("ERR An LRU maxmemory policy is not selected"));
  EXPECT_EQ(Text("CONFIG SET maxmemory-policy allkeys-lru"), "OK");
  EXPECT_EQ(Text("GET k").size(), kValueBytes);
  EXPECT_EQ(Text("OBJECT IDLETIME k"), "0");
  EXPECT_TRUE(Text("OBJECT FREQ k").starts_with("ERR An LFU maxmemory policy is not selected"));
  const std::string dump = "SET other v";
  EXPECT_EQ(Text(dump), "OK");
  EXPECT_EQ(Text("CONFIG SET maxmemory-policy volatile-lfu"), "OK");
  EXPECT_EQ(Text("OBJECT FREQ k"), "0") << "the table begins anew";
  EXPECT_EQ(Text("GET k").size(), kValueBytes);
  EXPECT_EQ(Text("OBJECT FREQ k"), "5");
  EXPECT_TRUE(Text("OBJECT IDLETIME k").starts_with("ERR An LFU maxmemory policy is selected"));
  EXPECT_EQ(Text("OBJECT FREQ none"), "(nil)");
}

// A collection leaves as a whole, and what leaves for it is it alone: its members are removed
// before anything else is chosen.
TEST_F(MaxMemory, ABigCollectionMakesRoomForAllThatItTook) {
  Serve("volatile-ttl", 0);
  for (int i = 0; i < 1000; ++i) {
    Text(fmt::format("HSET big f{} {}", i, std::string(100, 'v')));
  }
  EXPECT_EQ(Text("EXPIRE big 10"), "1");
  for (int i = 0; i < 20; ++i) Set(fmt::format("k{}", i), "EX 1000");
  Limit(60'000);
  for (int i = 0; i < 20; ++i) Set(fmt::format("more{}", i), "EX 1000");
  EXPECT_EQ(Text("EXISTS big"), "0");
  EXPECT_EQ(Left("k", 20) + Left("more", 20), 40);
  EXPECT_EQ(Info("evicted_keys"), "1");
  EXPECT_LE(Number("data_bytes"), 60'000);
  ExpectExact();
}

TEST_F(MaxMemory, ALowerLimitIsReachedWithoutCommands) {
  Serve("allkeys-random", 0);
  for (int i = 0; i < 100; ++i) Set(fmt::format("k{}", i));
  Limit(30'000);
  // INFO makes no room by itself: it needs no rows. The thread of evictions does.
  for (int i = 0; i < 1000 && Number("data_bytes") > 30'000; ++i) std::this_thread::yield();
  EXPECT_LE(Number("data_bytes"), 30'000);
  EXPECT_GE(Number("data_bytes"), 25'000);
}

TEST_F(MaxMemory, AnEvictedKeyIsAChangeToThoseWhoWatchIt) {
  Serve("volatile-ttl", 0);
  Set("watched", "EX 10");
  Set("later", "EX 1000");
  EXPECT_EQ(Text("WATCH watched"), "OK");
  TestClient other(served_->port());
  EXPECT_EQ(other.Text("CONFIG SET maxmemory 1500"), "OK");
  for (int i = 0; i < 1000 && other.Text("EXISTS watched") == "1"; ++i) std::this_thread::yield();
  EXPECT_EQ(Text("CONFIG SET maxmemory 0"), "OK");
  EXPECT_EQ(Text("MULTI"), "OK");
  EXPECT_EQ(Text("SET later 1"), "QUEUED");
  EXPECT_EQ(Text("EXEC"), "(nil array)");
}

TEST_F(MaxMemory, EvictionsAreToldAsNotificationsEventsAndFigures) {
  Serve({{"maxmemory-policy", "volatile-ttl"}, {"notify-keyspace-events", "Eex"}});
  EXPECT_EQ(Text("TTL.POLICY SET events key"), "OK");
  TestClient listener(served_->port());
  listener.Text("PSUBSCRIBE __keyevent*");
  Set("first", "EX 10");
  Set("second", "EX 1000");
  Limit(16 * kDatabaseBytes + 1500);  // Notifications make all databases.
  Set("second", "EX 1000");
  EXPECT_EQ(listener.ReadText(), "[pmessage, __keyevent*, __keyevent@0__:evicted, first]");
  EXPECT_TRUE(listener.Quiet()) << "it did not expire";
  const std::string events = Text("TTL.EVENTS AFTER 0");
  EXPECT_NE(events.find("evicted"), std::string::npos) << events;
  EXPECT_NE(events.find("first"), std::string::npos) << events;
  EXPECT_EQ(Info("evicted_keys"), "1");
  EXPECT_EQ(Text("CONFIG RESETSTAT"), "OK");
  EXPECT_EQ(Info("evicted_keys"), "0");
}

// A row that a transaction holds is not evicted under it: what it wrote, it reads.
TEST_F(MaxMemory, NoRowLeavesATransactionThatIsUnderWay) {
  Serve("allkeys-random", 30'000);
  std::atomic<bool> done{false};
  std::thread others([&] {
    TestClient client(served_->port());
    for (int i = 0; !done; ++i) {
      client.Text(fmt::format("SET other{} {}", i % 500, std::string(500, 'v')));
    }
  });
  const std::string expected = "[OK, OK, [1, 2]]";
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(Text("MULTI"), "OK");
    Text("SET a 1");
    Text("SET b 2");
    Text("MGET a b");
    const std::string reply = Text("EXEC");
    EXPECT_EQ(reply, expected);
    EXPECT_EQ(
        Text("EVAL \"redis.call('set', KEYS[1], 'x') return redis.call('get', KEYS[1])\" 1 c"),
        "x");
  }
  done = true;
  others.join();
  EXPECT_GT(Number("evicted_keys"), 0);
  ExpectExact();
}

TEST_F(MaxMemory, AFollowerLeavesItToItsLeader) {
  Serve("allkeys-random", 10'000);
  served_->server().follows = true;
  EXPECT_EQ(Text("CONFIG SET replica-read-only no"), "OK");
  for (int i = 0; i < 30; ++i) EXPECT_EQ(Set(fmt::format("k{}", i)), "OK");
  EXPECT_EQ(Left("k", 30), 30);
  EXPECT_EQ(Text("CONFIG SET replica-ignore-maxmemory no"), "OK");
  EXPECT_EQ(Set("more"), "OK");
  EXPECT_LT(Left("k", 30), 30);
  served_->server().follows = false;
}

TEST_F(MaxMemory, UsedMemoryIsWhatTheLimitIsComparedWith) {
  Serve("noeviction", 0);
  Set("k");
  EXPECT_GT(Number("used_memory"), 10 * static_cast<std::int64_t>(kValueBytes)) << "the process'";
  Limit(20'000);
  EXPECT_EQ(Number("used_memory"), Number("data_bytes"));
  EXPECT_EQ(Number("used_memory"),
            kDatabaseBytes + static_cast<std::int64_t>(kValueBytes + sizeof "k" - 1 +
                                                       sizeof(std::uint32_t) + 1));
  EXPECT_EQ(Info("maxmemory_policy"), "noeviction");
}

TEST_F(MaxMemory, ALimitWithinATransactionIsCountedAfterIt) {
  Serve("noeviction", 0);
  Set("k");
  EXPECT_EQ(Text("MULTI"), "OK");
  EXPECT_EQ(Text("CONFIG SET maxmemory 100kb"), "QUEUED");
  EXPECT_EQ(Text("SET k v"), "QUEUED");
  EXPECT_EQ(Text("EXEC"), "[OK, OK]");
  for (int i = 0; i < 10'000 && Number("data_counted") != 1; ++i) std::this_thread::yield();
  ExpectExact();
}

}  // namespace
}  // namespace mayfly::server
