// Goal: a client that caches what it reads never keeps a value that was changed or has died. Method:
// clients of RESP3 on a whole server. Time stands still unless a test moves it; nothing is purged,
// so that only the instant can tell of a death. Races: many writers beside a client that caches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "server/front_served.h"

namespace mayfly::server {
namespace {

class Caching : public testing::Test {
 protected:
  Caching() {
    auto database = Database::Open({.purge_on_read = false, .clock = &clock_});
    served_ = std::make_unique<FrontServed>(Served::Settings{}, SilentLogger(),
                                            std::move(*database), clock_);
    writer_ = Connect();
    reader_ = Connect();
    EXPECT_EQ(reader_->Ask("HELLO 3").kind, Reply::Kind::kMap);
  }

  std::unique_ptr<TestClient> Connect() { return std::make_unique<TestClient>(served_->port()); }
  void Track(const std::string& options = "") {
    EXPECT_EQ(reader_->Text("CLIENT TRACKING ON " + options), "OK");
  }

  // What the reader was told so far: a PING's reply comes behind it.
  std::string Told() {
    reader_->SendLine("PING");
    std::string told;
    for (std::string text = reader_->ReadText(); text != "PONG"; text = reader_->ReadText()) {
      told += (told.empty() ? "" : " ") + text;
    }
    return told;
  }
  std::string Write(const std::string& line) {
    writer_->Text(line);
    return Told();
  }

  // The instant is noticed by another thread.
  std::string ToldAfter(Millis step) {
    clock_.Advance(step);
    std::string told;
    while (told.empty()) told = Told();
    return told;
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  std::unique_ptr<FrontServed> served_;
  std::unique_ptr<TestClient> writer_;
  std::unique_ptr<TestClient> reader_;
};

TEST_F(Caching, EveryKindOfChangeIsTold) {
  Track();
  const auto read = [&] {
    writer_->Text("SET k 1");
    reader_->Text("GET k");
    EXPECT_EQ(Told(), "");
  };
  for (const char* const change :
       {"SET k 2", "DEL k", "EXPIRE k 100", "RENAME k l", "EVAL \"redis.call('del', 'k')\" 0",
        "EVAL \"redis.call('incr', KEYS[1])\" 1 k", "COPY l k REPLACE", "MOVE k 1", "PEXPIRE k -1",
        "GETDEL k", "SETRANGE k 0 x"}) {
    read();
    EXPECT_EQ(Write(change), "[invalidate, [k]]") << change;
    EXPECT_EQ(Write("SET k 3"), "") << "told once";
    writer_->Text("FLUSHDB");
    Told();
    writer_->Text("SET l 1");
  }
  for (const char* const change : {"FLUSHDB", "FLUSHALL", "SWAPDB 0 1"}) {
    read();
    EXPECT_EQ(Write(change), "[invalidate, (nil)]") << change;
  }
  read();
  writer_->Text("MULTI");
  writer_->Text("SET k 5");
  EXPECT_EQ(Told(), "");
  EXPECT_EQ(Write("EXEC"), "[invalidate, [k]]");
  read();
  EXPECT_EQ(Write("GET k"), "");
  EXPECT_EQ(Write("SETNX k 9"), "");
}

TEST_F(Caching, ReadsByEveryPathAreEntered) {
  EXPECT_EQ(
      writer_->Text("FUNCTION LOAD \"#!lua name=f\\nredis.register_function{function_name='f', "
                    "callback=function(keys) return redis.call('get', keys[1]) end, "
                    "flags={'no-writes'}}\""),
      "f");
  Track();
  for (const char* const read :
       {"GET k", "MGET a k", "EXISTS k", "EVAL \"return redis.call('get', KEYS[1])\" 1 k",
        "EVAL_RO \"return redis.call('get', KEYS[1])\" 1 k",
        "EVAL \"return redis.call('get', 'k')\" 0", "FCALL f 1 k", "FCALL_RO f 1 k", "TTL k"}) {
    reader_->Text(read);
    EXPECT_EQ(Write("INCR k"), "[invalidate, [k]]") << read;
  }
  reader_->Text("MULTI");
  reader_->Text("GET k");
  reader_->Text("EXEC");
  EXPECT_EQ(Write("INCR k"), "[invalidate, [k]]");
  reader_->Text("EVAL \"return 1\" 1 k");
  EXPECT_EQ(Write("INCR k"), "");
}

TEST_F(Caching, ADeathIsToldAtItsInstant) {
  Track("NOLOOP");
  reader_->Text("SET k v PX 1000");
  reader_->Text("GET k");
  reader_->Text("HSET h f 1 g 2");
  reader_->Text("HPEXPIRE h 1001 FIELDS 1 f");
  reader_->Text("HGETALL h");
  clock_.Advance(Millis(999));
  EXPECT_EQ(Told(), "");
  EXPECT_EQ(reader_->Text("TTL k"), "0");
  EXPECT_EQ(ToldAfter(Millis(1)), "[invalidate, [k]]");
  EXPECT_EQ(reader_->Text("GET k"), "(nil)");
  EXPECT_EQ(ToldAfter(Millis(1)), "[invalidate, [h]]");
  EXPECT_EQ(reader_->Text("HLEN h"), "1");
  clock_.Advance(Millis(1000));
  EXPECT_EQ(Told(), "");
  // A field that died and is not purged: the next one counts.
  reader_->Text("HSET h f 1");
  reader_->Text("HPEXPIRE h 10 FIELDS 1 f");
  reader_->Text("HPEXPIRE h 30 FIELDS 1 g");
  reader_->Text("HGETALL h");
  EXPECT_EQ(ToldAfter(Millis(10)), "[invalidate, [h]]");
  reader_->Text("HGETALL h");
  clock_.Advance(Millis(19));
  EXPECT_EQ(Told(), "");
  EXPECT_EQ(ToldAfter(Millis(1)), "[invalidate, [h]]");
}

TEST_F(Caching, ADeadlineThatIsMovedCountsAnew) {
  Track();
  writer_->Text("SET k v PX 1000");
  reader_->Text("GET k");
  EXPECT_EQ(Write("PEXPIRE k 5000"), "[invalidate, [k]]");
  reader_->Text("GET k");
  clock_.Advance(Millis(4999));
  EXPECT_EQ(Told(), "");
  EXPECT_EQ(ToldAfter(Millis(1)), "[invalidate, [k]]");
}

TEST_F(Caching, InBroadcastModeADeathIsToldWhenItIsPurged) {
  Track("BCAST PREFIX a: PREFIX b:");
  EXPECT_EQ(Write("MSET a:1 1 c:1 1 b:1 1 a:2 1"), "[invalidate, [a:1, a:2]] [invalidate, [b:1]]");
  EXPECT_EQ(Write("SET a:3 1 PX 10"), "[invalidate, [a:3]]");
  clock_.Advance(Millis(10));
  EXPECT_EQ(Told(), "");
  EXPECT_EQ(Write("TTL.PURGE"), "[invalidate, [a:3]]");
}

TEST_F(Caching, AClientOfResp2IsToldThroughAnother) {
  auto listener = Connect();
  const std::string id = listener->Text("CLIENT ID");
  listener->Ask("SUBSCRIBE __redis__:invalidate");
  auto old = Connect();
  EXPECT_EQ(old->Text("CLIENT TRACKING ON REDIRECT " + id), "OK");
  EXPECT_EQ(old->Text("CLIENT GETREDIR"), id);
  old->Text("GET k");
  writer_->Text("SET k 1");
  EXPECT_EQ(listener->ReadText(), "[message, __redis__:invalidate, [k]]");
  Track("REDIRECT " + id);
  reader_->Text("GET k");
  listener.reset();
  std::string told;
  while (told.empty()) {  // Until the server has seen it go.
    reader_->Text("GET k");
    told = Write("INCR k");
  }
  EXPECT_EQ(told, "[tracking-redir-broken, " + id + "]");
}

TEST_F(Caching, KeysBeyondTheBoundAreGivenUp) {
  writer_->Text("CONFIG SET tracking-table-max-keys 2");
  Track();
  for (const char* const key : {"a", "b", "c"}) reader_->Text(fmt::format("GET {}", key));
  const std::string told = Told();
  EXPECT_TRUE(told == "[invalidate, [a]]" || told == "[invalidate, [b]]") << told;
}

TEST_F(Caching, AnEvictionIsTold) {
  writer_->Text("CONFIG SET maxmemory 20000");
  Track();
  reader_->Text("SETEX volatile 10000 x");
  reader_->Text("GET volatile");
  reader_->Text("SETBIT big 160000 0");
  writer_->Text("CONFIG SET maxmemory-policy volatile-random");
  reader_->SendLine("GETBIT big 0");
  // The command makes room for itself, unless the thread that evicts has been faster: then the
  // message may come behind the reply.
  const std::set<std::string> read = {reader_->ReadText(), reader_->ReadText()};
  EXPECT_EQ(read, (std::set<std::string>{"0", "[invalidate, [volatile]]"}));
}

TEST_F(Caching, EndsWithTheClientWithResetAndWithOff) {
  Track();
  for (const char* const end : {"CLIENT TRACKING OFF", "RESET"}) {
    reader_->Text("GET k");
    EXPECT_EQ(reader_->Text(end).find("ERR"), std::string::npos);
    reader_->Ask("HELLO 3");
    EXPECT_EQ(Write("SET k 1"), "");
    Track();
  }
  EXPECT_EQ(served_->server().tracking().figures().clients, 1u);
  reader_.reset();
  while (served_->server().tracking().figures().clients != 0) std::this_thread::yield();
  EXPECT_FALSE(served_->server().tracking().any());
}

// A client reads a key, keeps the value until it is told, and reads again. In the end what it keeps
// is what is stored. A read that is entered after its latches are released can miss a change.
TEST_F(Caching, NoChangeIsLostInARace) {
  constexpr int kWriters = 3;
  constexpr int kChanges = 400;
  constexpr int kKeys = 3;
  Track();
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> left = kWriters;
    std::vector<std::thread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&, i] {
        TestClient client(served_->port());
        for (int change = 0; change < kChanges; ++change) {
          client.Text(fmt::format("INCR k{}", (change + i) % kKeys));
        }
        --left;
      });
    }
    std::map<std::string, std::string> cache;
    const auto take = [&](const Reply& reply) {
      if (reply.kind != Reply::Kind::kPush) return false;
      for (const Reply& key : reply.items()[1].items()) cache.erase(std::string(key.text()));
      return true;
    };
    const auto ask = [&](const std::string& line) {
      reader_->SendLine(line);
      Reply reply = reader_->Read();
      while (take(reply)) reply = reader_->Read();
      return reply;
    };
    while (left > 0) {
      for (int key = 0; key < kKeys; ++key) {
        const std::string name = fmt::format("k{}", key);
        if (cache.contains(name)) continue;
        const Reply value = ask("GET " + name);
        cache[name] = value.is_null() ? "" : std::string(value.text());
      }
      ask("PING");
    }
    for (std::thread& writer : writers) writer.join();
    ask("PING");
    for (const auto& [name, value] : cache) {
      EXPECT_EQ(value, writer_->Text("GET " + name)) << name << " in round " << round;
    }
  }
}

}  // namespace
}  // namespace mayfly::server
