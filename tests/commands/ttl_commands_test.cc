// Goal: mayfly's own commands show the state of the database, and change what they should.
// Method: rows put into a database in memory through the library, on a manual clock.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "small_collections.h"
#include "types/hash.h"

namespace mayfly::server {
namespace {

class TtlCommands : public testing::Test {
 protected:
  std::string Text(const std::string& line) { return tester_->Text(line); }
  Keyspace& keyspace() { return *tester_->keyspace(0); }
  Database& database() { return *tester_->database_handle(); }
  std::int64_t now() const { return ToMs(tester_->clock().Now()); }
  void Put(const std::string& key, std::int64_t ttl_ms) {
    ASSERT_TRUE(keyspace().Put(key, "value", Lifetime::For(Millis(ttl_ms))).ok());
  }
  // The value of a field in a reply that is a map.
  std::string FieldOf(const Reply& map, const std::string& field) {
    for (std::size_t i = 0; i + 1 < map.items().size(); i += 2) {
      if (map.items()[i].text() == field) return TextOf(map.items()[i + 1]);
    }
    return "no field " + field;
  }

  const std::unique_ptr<CommandTester> tester_ = NewDataTester();
};

TEST_F(TtlCommands, ForecastTellsWhatDiesInWhichBucket) {
  EXPECT_EQ(Text("TTL.FORECAST"), "[0, []]");
  Put("a", 1);
  Put("b", 999);
  Put("c", 1000);
  Put("d", 5000);
  ASSERT_TRUE(keyspace().Put("e", "value").ok());
  const std::int64_t t = now();
  EXPECT_EQ(Text("TTL.FORECAST BUCKET 1000 BUCKETS 3"),
            fmt::format("[0, [[begin, {}, end, {}, keys, 2, bytes, 12], [begin, {}, end, {}, keys, "
                        "1, bytes, 6]]]",
                        t, t + 1000, t + 1000, t + 2000));
  tester_->UseProtocol(ProtocolVersion::kResp3);
  EXPECT_EQ(Text("TTL.FORECAST BUCKET 10000 BUCKETS 1"),
            fmt::format("[0, [{{begin: {}, end: {}, keys: 4, bytes: 24}}]]", t, t + 10000));
}

TEST_F(TtlCommands, ForecastGoesOnAtItsCursor) {
  for (int i = 0; i < 25; ++i) Put(fmt::format("key{:02}", i), std::int64_t{100} * (i + 1));
  const std::string all = Text("TTL.FORECAST BUCKET 10000 BUCKETS 1");
  const std::int64_t t = now();
  std::string cursor = "0";
  std::int64_t keys = 0;
  for (int page = 0; page < 3; ++page) {
    const Reply reply =
        tester_->Run("TTL.FORECAST BUCKET 10000 BUCKETS 1 COUNT 10 CURSOR " + cursor);
    cursor = reply.items()[0].text();
    const Reply& bucket = reply.items()[1].items()[0];
    EXPECT_EQ(FieldOf(bucket, "begin"), std::to_string(t));
    keys += std::stoll(FieldOf(bucket, "keys"));
    EXPECT_EQ(keys, page < 2 ? 10 * (page + 1) : 25);
    tester_->clock().Advance(Millis(1));
  }
  EXPECT_EQ(cursor, "0");
  EXPECT_NE(all.find("keys, 25"), std::string::npos) << all;
  for (const char* const wrong : {"77", "at:6", "at:zz", "at:0011"}) {
    EXPECT_EQ(Text(std::string("TTL.FORECAST CURSOR ") + wrong), "ERR invalid cursor");
  }
  EXPECT_EQ(Text("TTL.FORECAST COUNT 10001"), "ERR value is out of range");
}

TEST_F(TtlCommands, ForecastBeginsWhereItIsAskedTo) {
  Put("a", 999);
  Put("b", 1000);
  Put("c", 2500);
  const std::int64_t t = now();
  EXPECT_EQ(Text(fmt::format("TTL.FORECAST FROM {} BUCKET 1000 BUCKETS 2", t + 1000)),
            fmt::format("[0, [[begin, {}, end, {}, keys, 1, bytes, 6], [begin, {}, end, {}, keys, "
                        "1, bytes, 6]]]",
                        t + 1000, t + 2000, t + 2000, t + 3000));
  EXPECT_EQ(Text(fmt::format("TTL.FORECAST FROM {} BUCKET 1000 BUCKETS 1", t + 3000)), "[0, []]");
}

TEST_F(TtlCommands, ForecastCountsWithoutBytesWhenAsked) {
  Put("a", 1);
  Put("b", 5000);
  const std::int64_t t = now();
  const std::string wanted = fmt::format("[0, [[begin, {}, end, {}, keys, 2]]]", t, t + 10'000);
  EXPECT_EQ(Text("TTL.FORECAST NOBYTES BUCKET 10000 BUCKETS 1"), wanted);
  EXPECT_EQ(Text("TTL.FORECAST BUCKET 10000 nobytes BUCKETS 1"), wanted);
  EXPECT_EQ(Text("TTL.FORECAST BUCKET 10000 BUCKETS NOBYTES"),
            "ERR value is not an integer or out of range");
}

TEST_F(TtlCommands, ForecastCountsAKeyspaceByItsName) {
  Put("a", 1000);
  const auto other = *database().CreateKeyspace("other");
  ASSERT_TRUE(other->Put("b", "value", Lifetime::For(Millis(1000))).ok());
  ASSERT_TRUE(other->Put("c", "value", Lifetime::For(Millis(2000))).ok());
  const std::int64_t t = now();
  EXPECT_EQ(Text("TTL.FORECAST KEYSPACE other BUCKET 10000 BUCKETS 1"),
            fmt::format("[0, [[begin, {}, end, {}, keys, 2, bytes, 12]]]", t, t + 10'000));
  const Reply page = tester_->Run("TTL.FORECAST BUCKET 10000 BUCKETS 1 KEYSPACE other COUNT 1");
  const std::string& cursor = page.items()[0].text();
  EXPECT_EQ(FieldOf(page.items()[1].items()[0], "keys"), "1");
  const Reply rest =
      tester_->Run("TTL.FORECAST BUCKET 10000 BUCKETS 1 KEYSPACE other COUNT 1 CURSOR " + cursor);
  EXPECT_EQ(FieldOf(rest.items()[1].items()[0], "keys"), "1");
  EXPECT_EQ(Text("TTL.FORECAST KEYSPACE none").substr(0, 3), "ERR");
  EXPECT_EQ(Text("TTL.FORECAST KEYSPACE"), "ERR syntax error");
  EXPECT_FALSE(database().OpenKeyspace("none").has_value()) << "asking makes none";
}

TEST_F(TtlCommands, ForecastRefusesWhatIsNoForecast) {
  EXPECT_EQ(Text("TTL.FORECAST BUCKET"), "ERR syntax error");
  EXPECT_EQ(Text("TTL.FORECAST FOO 1"), "ERR syntax error");
  EXPECT_EQ(Text("TTL.FORECAST BUCKET 0"), "ERR value is out of range");
  EXPECT_EQ(Text("TTL.FORECAST BUCKET x"), "ERR value is not an integer or out of range");
  EXPECT_TRUE(Text("TTL.FORECAST BUCKETS 10001").starts_with("ERR a forecast has"));
}

TEST_F(TtlCommands, ScanShowsKeysInTheOrderTheyDie) {
  const std::int64_t t = now();
  Put("late", 3000);
  Put("soon", 1000);
  Put("middle", 2000);
  EXPECT_EQ(
      Text(fmt::format("TTL.SCAN FROM {} TO {}", t, t + 3001)),
      fmt::format("[0, [[soon, {}], [middle, {}], [late, {}]]]", t + 1000, t + 2000, t + 3000));
  EXPECT_EQ(Text(fmt::format("TTL.SCAN FROM {} TO {}", t + 1000, t + 2000)),
            fmt::format("[0, [[soon, {}]]]", t + 1000))
      << "from the first instant on, before the last";
  EXPECT_EQ(Text(fmt::format("TTL.SCAN FROM {}", t + 2001)),
            fmt::format("[0, [[late, {}]]]", t + 3000));
  EXPECT_EQ(Text(fmt::format("TTL.SCAN TO {}", t + 1000)), "[0, []]");
}

TEST_F(TtlCommands, ScanGoesOnAtItsCursor) {
  for (int i = 0; i < 10; ++i) Put(fmt::format("key{}", i), 1000);
  std::vector<std::string> seen;
  std::string cursor = "0";
  do {
    const Reply reply = tester_->Run(fmt::format("TTL.SCAN FROM 0 COUNT 3 CURSOR {}", cursor));
    cursor = reply.items()[0].text();
    for (const Reply& entry : reply.items()[1].items()) seen.push_back(entry.items()[0].text());
  } while (cursor != "0");
  ASSERT_EQ(seen.size(), 10u);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(seen[static_cast<std::size_t>(i)], fmt::format("key{}", i));
}

TEST_F(TtlCommands, ScanShowsKeysWithoutADeadline) {
  Put("mortal", 1000);
  for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(keyspace().Put(key, "v").ok());
  EXPECT_EQ(Text("TTL.SCAN NOTTL"), "[0, [a, b, c]]");
  const Reply first = tester_->Run("TTL.SCAN NOTTL COUNT 2");
  EXPECT_EQ(TextOf(first.items()[1]), "[a, b]");
  EXPECT_EQ(Text("TTL.SCAN NOTTL COUNT 2 CURSOR " + first.items()[0].text()), "[0, [c]]");
}

TEST_F(TtlCommands, ScanRefusesWhatIsNoScan) {
  EXPECT_EQ(Text("TTL.SCAN"), "ERR wrong number of arguments for 'ttl.scan' command");
  EXPECT_EQ(Text("TTL.SCAN COUNT 1"), "ERR syntax error");
  EXPECT_EQ(Text("TTL.SCAN NOTTL FROM 1"), "ERR syntax error");
  for (const char* const wrong : {"77", "", "at:6", "at:zz", "AT:61"}) {
    EXPECT_EQ(Text(std::string("TTL.SCAN NOTTL CURSOR '") + wrong + "'"), "ERR invalid cursor");
  }
  // The cursor is the position itself: valid after a restart, too.
  EXPECT_EQ(Text("TTL.SCAN NOTTL CURSOR at:61"), Text("TTL.SCAN NOTTL"));
  EXPECT_EQ(Text("TTL.SCAN FROM 0 COUNT 0"), "ERR value is out of range");
}

TEST_F(TtlCommands, TreeShowsKeysAndPrefixesBelowAPrefix) {
  for (const char* key : {"a", "s:1", "s:2", "s:u:1", "t:1", "s"}) {
    ASSERT_TRUE(keyspace().Put(key, "v").ok());
  }
  Put("z", 1000);
  EXPECT_EQ(Text("TTL.TREE \"\""), fmt::format("[0, [[name, a, kind, key], [name, s, kind, key], "
                                               "[name, s:, kind, folder, keys, 3, more, 0], "
                                               "[name, t:, kind, folder, keys, 1, more, 0], "
                                               "[name, z, kind, key, deadline, {}]]]",
                                               now() + 1000));
  EXPECT_EQ(Text("TTL.TREE s:"),
            "[0, [[name, 1, kind, key], [name, 2, kind, key], "
            "[name, u:, kind, folder, keys, 1, more, 0]]]");
  EXPECT_EQ(Text("TTL.TREE s: DELIMITER u"),
            "[0, [[name, 1, kind, key], [name, 2, kind, key], "
            "[name, u, kind, folder, keys, 1, more, 0]]]");
  EXPECT_EQ(Text("TTL.TREE none:"), "[0, []]");
}

TEST_F(TtlCommands, TreeGoesOnAtItsCursorAndCountsUpToItsBound) {
  for (int folder = 0; folder < 5; ++folder) {
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(keyspace().Put(fmt::format("f{}:{}", folder, i), "v").ok());
    }
  }
  ASSERT_TRUE(keyspace().Put("\xff\xff:1", "v").ok());
  ASSERT_TRUE(keyspace().Put("\xff\xff:2", "v").ok());
  std::string names;
  std::string cursor = "0";
  int pages = 0;
  do {
    const Reply reply = tester_->Run("TTL.TREE \"\" COUNT 2 KEYS 1 CURSOR " + cursor);
    cursor = reply.items()[0].text();
    for (const Reply& child : reply.items()[1].items()) {
      names += FieldOf(child, "name").substr(0, 2);
      EXPECT_EQ(FieldOf(child, "keys"), "1");
      EXPECT_EQ(FieldOf(child, "more"), "1");
    }
    ++pages;
  } while (cursor != "0" && pages < 10);
  EXPECT_EQ(names, "f0f1f2f3f4\xff\xff");
  EXPECT_EQ(pages, 3);
}

TEST_F(TtlCommands, TreeRefusesWhatIsNoTree) {
  EXPECT_EQ(Text("TTL.TREE a COUNT"), "ERR syntax error");
  EXPECT_EQ(Text("TTL.TREE a DELIMITER \"\""), "ERR a delimiter has at least one byte");
  EXPECT_EQ(Text("TTL.TREE a KEYS 20001"), "ERR value is out of range");
  EXPECT_EQ(Text("TTL.TREE a CURSOR at:zz"), "ERR invalid cursor");
}

TEST_F(TtlCommands, PurgeRemovesWhatHasExpired) {
  for (int i = 0; i < 5; ++i) Put(fmt::format("key{}", i), 1000);
  tester_->clock().Advance(Millis(999));
  EXPECT_EQ(Text("TTL.PURGE"), "[rows, 0, more-due, 0, stopped-by-clock, 0]");
  tester_->clock().Advance(Millis(1));
  EXPECT_EQ(Text("TTL.PURGE ROWS 2"), "[rows, 2, more-due, 1, stopped-by-clock, 0]");
  EXPECT_EQ(Text("TTL.PURGE"), "[rows, 3, more-due, 0, stopped-by-clock, 0]");
  EXPECT_EQ(Text("TTL.PURGE ROWS 0"), "ERR value is out of range");
}

TEST_F(TtlCommands, ClockShowsAndSettlesAJump) {
  Put("living", 3'600'000);
  EXPECT_EQ(FieldOf(tester_->Run("TTL.CLOCK"), "state"), "ok");
  const WallTime start = tester_->clock().Now();
  tester_->clock().Set(start + std::chrono::hours(24));
  const Reply jumped = tester_->Run("TTL.CLOCK SHOW");
  EXPECT_EQ(FieldOf(jumped, "state"), "jumped");
  EXPECT_EQ(FieldOf(jumped, "deletion-stopped"), "1");
  EXPECT_EQ(FieldOf(jumped, "last-jump-ms"), "86400000");
  EXPECT_EQ(FieldOf(jumped, "without-jump"), std::to_string(ToMs(start)));
  EXPECT_NE(FieldOf(jumped, "advice").find("TTL.CLOCK CONFIRM"), std::string::npos);
  EXPECT_FALSE(keyspace().Exists("living").value());
  EXPECT_EQ(Text("TTL.PURGE"), "[rows, 0, more-due, 0, stopped-by-clock, 1]");
  EXPECT_EQ(Text("TTL.CLOCK REVERT").substr(0, 41), "ERR the machine's clock still shows the j");

  tester_->clock().Set(start + std::chrono::seconds(1));
  EXPECT_NE(FieldOf(tester_->Run("TTL.CLOCK"), "advice").find("TTL.CLOCK REVERT"),
            std::string::npos);
  EXPECT_EQ(Text("TTL.CLOCK CONFIRM").substr(0, 34), "ERR the machine's clock is 23 h be");
  EXPECT_EQ(Text("TTL.CLOCK REVERT"), "OK");
  EXPECT_TRUE(keyspace().Exists("living").value());
  EXPECT_EQ(FieldOf(tester_->Run("TTL.CLOCK"), "state"), "ok");

  tester_->clock().Set(start + std::chrono::hours(24));
  EXPECT_EQ(Text("TTL.CLOCK confirm"), "OK");
  EXPECT_EQ(Text("TTL.PURGE"), "[rows, 1, more-due, 0, stopped-by-clock, 0]");
  EXPECT_EQ(Text("TTL.CLOCK NOW"), "ERR syntax error");
  EXPECT_EQ(Text("TTL.CLOCK SHOW 1"), "ERR syntax error");
}

TEST_F(TtlCommands, ClockTellsThatInstantsHavePassedAndTakesThemBack) {
  tester_->clock().Set(tester_->clock().Now() - std::chrono::seconds(30));
  const Reply ahead = tester_->Run("TTL.CLOCK");
  EXPECT_EQ(FieldOf(ahead, "state"), "ahead");
  EXPECT_EQ(FieldOf(ahead, "ahead-ms"), "30000");
  EXPECT_NE(FieldOf(ahead, "advice").find("EXAT"), std::string::npos);
  EXPECT_EQ(Text("TTL.CLOCK REVERT"), "OK");
  EXPECT_EQ(FieldOf(tester_->Run("TTL.CLOCK"), "state"), "ok");
}

TEST_F(TtlCommands, EventsTellOfEveryRowThatExpired) {
  EXPECT_EQ(Text("TTL.POLICY SET events value"), "OK");
  Put("a", 1000);
  Put("b", 1000);
  tester_->clock().Advance(Millis(1000));
  EXPECT_EQ(Text("TTL.EVENTS AFTER 0"), "[]") << "nothing is purged yet";
  Text("TTL.PURGE");
  const std::int64_t t = now();
  EXPECT_EQ(Text("TTL.EVENTS AFTER 0 COUNT 1"),
            fmt::format("[[sequence, 1, keyspace, db0, key, a, deadline, {}, purged-at, {}, cause, "
                        "purged, value, value]]",
                        t, t));
  const Reply rest = tester_->Run("TTL.EVENTS AFTER 1");
  ASSERT_EQ(rest.items().size(), 1u);
  EXPECT_EQ(FieldOf(rest.items()[0], "key"), "b");
  EXPECT_EQ(Text("TTL.EVENTS AFTER 2"), "[]");
  EXPECT_EQ(Text("TTL.EVENTS COUNT 1"), "ERR syntax error");
}

TEST_F(TtlCommands, EventsTellThatACursorIsOlderThanWhatIsKept) {
  EXPECT_EQ(Text("TTL.POLICY SET events key"), "OK");
  for (int i = 0; i < 9; ++i) Put(fmt::format("key{}", i), 1000);
  tester_->clock().Advance(Millis(1000));
  Text("TTL.PURGE");
  ASSERT_EQ(database().TrimEvents({.through_sequence = 7}).value(), 7u);
  EXPECT_EQ(Text("TTL.EVENTS AFTER 3"),
            "TRIMMED events 4 to 7 are no longer kept; AFTER 7 goes on behind them");
  EXPECT_EQ(Text("TTL.EVENTS AFTER 6"),
            "TRIMMED events 7 to 7 are no longer kept; AFTER 7 goes on behind them");
  EXPECT_EQ(tester_->Run("TTL.EVENTS AFTER 7").items().size(), 2u);
  EXPECT_EQ(tester_->Run("TTL.EVENTS AFTER 0").items().size(), 2u) << "whoever begins";
  ASSERT_EQ(database().TrimEvents({.keep_newest = 0}).value(), 2u);
  EXPECT_EQ(Text("TTL.EVENTS AFTER 8"),
            "TRIMMED events 9 to 9 are no longer kept; AFTER 9 goes on behind them");
  EXPECT_EQ(Text("TTL.EVENTS AFTER 9"), "[]");
  EXPECT_EQ(Text("TTL.EVENTS AFTER 10"), "[]");
  EXPECT_EQ(Text("TTL.EVENTS AFTER 0"), "[]");
}

TEST_F(TtlCommands, EventsNameTheFieldThatDied) {
  EXPECT_EQ(Text("TTL.POLICY SET events key"), "OK");
  {
    core::KeySet scope;
    scope.keys.push_back({&keyspace(), "hash"});
    const auto transaction = core::BeginLatched(database(), scope).value();
    types::Hash hash = types::Hash::Open(transaction->In(keyspace()), "hash").value();
    const auto lifetime = core::MemberLifetime::Until(transaction->now() + Millis(10));
    ASSERT_TRUE(hash.Put("mortal", "v", lifetime).has_value());
    ASSERT_TRUE(hash.Put("other", "v").has_value());
    ASSERT_TRUE(transaction->Commit().ok());
  }
  tester_->clock().Advance(Millis(10));
  Text("TTL.PURGE");
  const Reply events = tester_->Run("TTL.EVENTS AFTER 0");
  ASSERT_EQ(events.items().size(), 1u);
  EXPECT_EQ(FieldOf(events.items()[0], "key"), "hash");
  EXPECT_EQ(FieldOf(events.items()[0], "field"), "mortal");
}

TEST_F(TtlCommands, StatsCountWhatIsThereAndWhatIsDue) {
  Put("a", 1000);
  ASSERT_TRUE(keyspace().Put("b", "v").ok());
  tester_->clock().Advance(Millis(1500));
  const Reply stats = tester_->Run("TTL.STATS");
  EXPECT_EQ(FieldOf(stats, "now"), std::to_string(now()));
  EXPECT_EQ(FieldOf(stats, "purged-rows"), "0");
  bool found = false;
  for (std::size_t i = 0; i + 1 < stats.items().size(); i += 2) {
    if (stats.items()[i].text() != "keyspaces") continue;
    for (const Reply& one : stats.items()[i + 1].items()) {
      if (FieldOf(one, "name") != "db0") continue;
      found = true;
      EXPECT_EQ(FieldOf(one, "rows"), "2");
      EXPECT_EQ(FieldOf(one, "mortal-rows"), "1");
      EXPECT_EQ(FieldOf(one, "due-rows"), "1");
      EXPECT_EQ(FieldOf(one, "lag-ms"), "500");
    }
  }
  EXPECT_TRUE(found);
}

TEST_F(TtlCommands, PolicyIsShownAndSet) {
  EXPECT_EQ(
      Text("TTL.POLICY"),
      "[default-ttl, none, min-ttl, none, max-ttl, none, require, no, breach, refuse, jitter, "
      "0, events, off, purge-within, none]");
  EXPECT_EQ(
      Text("TTL.POLICY SET default-ttl 5000 max-ttl 10000 require yes breach clamp jitter 100 "
           "events key purge-within 60000"),
      "OK");
  EXPECT_EQ(
      Text("TTL.POLICY GET"),
      "[default-ttl, 5000, min-ttl, none, max-ttl, 10000, require, yes, breach, clamp, jitter, "
      "100, events, key, purge-within, 60000]");
  EXPECT_EQ(keyspace().policy().default_ttl, Millis(5000));
  EXPECT_EQ(Text("TTL.POLICY SET default-ttl none jitter 0"), "OK");
  EXPECT_EQ(keyspace().policy().default_ttl, std::nullopt);
}

TEST_F(TtlCommands, PolicyIsTriedOnTheKeysThatLive) {
  ASSERT_TRUE(keyspace().Put("for-ever", "v").ok());
  Put("long", 5000);
  Put("middle", 2000);
  Put("short", 500);
  const std::int64_t t = now();
  const auto counts = [&](const std::string& policy) {
    const Reply trial = tester_->Run("TTL.POLICY TRY " + policy).items()[1];
    std::string text;
    for (const char* name : {"rows", "unchanged", "given", "shortened", "lengthened", "refused"}) {
      text += FieldOf(trial, name) + " ";
    }
    return text;
  };
  EXPECT_EQ(counts("default-ttl 3000"), "4 3 1 0 0 0 ");
  EXPECT_EQ(counts("max-ttl 3000"), "4 2 0 0 0 2 ") << "a key without a deadline exceeds it";
  EXPECT_EQ(counts("max-ttl 3000 breach clamp"), "4 2 1 1 0 0 ");
  EXPECT_EQ(counts("min-ttl 2000 breach clamp"), "4 3 0 0 1 0 ");
  const Reply first = tester_->Run("TTL.POLICY TRY max-ttl 3000 breach clamp COUNT 2");
  EXPECT_EQ(TextOf(first.items()[1].items()[13]),
            fmt::format("[[key, for-ever, effect, given, would-be, {0}], "
                        "[key, long, effect, shortened, deadline, {1}, would-be, {0}]]",
                        t + 3000, t + 5000));
  const Reply second = tester_->Run("TTL.POLICY TRY max-ttl 3000 breach clamp COUNT 2 CURSOR " +
                                    first.items()[0].text());
  EXPECT_EQ(FieldOf(second.items()[1], "rows"), "2");
  EXPECT_EQ(second.items()[0].text(), "0");
  EXPECT_EQ(Text("TTL.POLICY TRY max-ttl"), "ERR syntax error");
  EXPECT_TRUE(Text("TTL.POLICY TRY nonsense 1").starts_with("ERR a policy has no field"));
  EXPECT_TRUE(Text("TTL.POLICY TRY min-ttl 5 max-ttl 4").starts_with("ERR"));
  EXPECT_EQ(FieldOf(tester_->Run("TTL.POLICY"), "max-ttl"), "none") << "nothing was set";
}

TEST_F(TtlCommands, PolicyThatIsRefusedChangesNothing) {
  const KeyspacePolicy before = keyspace().policy();
  EXPECT_EQ(Text("TTL.POLICY SET"), "ERR syntax error");
  EXPECT_EQ(Text("TTL.POLICY FOO"), "ERR syntax error");
  EXPECT_EQ(Text("TTL.POLICY SET default-ttl"), "ERR syntax error");
  EXPECT_EQ(Text("TTL.POLICY SET colour red"), "ERR a policy has no field 'colour'");
  EXPECT_EQ(Text("TTL.POLICY SET default-ttl 5 jitter 901"),
            "ERR 'jitter' takes thousandths, from 0 to 900");
  EXPECT_EQ(Text("TTL.POLICY SET min-ttl 0"),
            "ERR 'min-ttl' takes a positive number of milliseconds, or none");
  EXPECT_TRUE(Text("TTL.POLICY SET min-ttl 10 max-ttl 5").starts_with("ERR ")) << "contradicts";
  EXPECT_EQ(keyspace().policy(), before);
}

}  // namespace
}  // namespace mayfly::server
