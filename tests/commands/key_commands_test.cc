// Goal: iterations show all keys, random draws reach all of them, and moved rows stay complete.
// Method: keys of many shapes; scans between which keys come and go; draws counted, from one seed.
#include "server/commands/keys/key_commands.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "server/commands/support/variable_keys.h"
#include "small_collections.h"

namespace mayfly::server {
namespace {

class KeyCommands : public testing::Test {
 protected:
  std::string Text(const std::string& line) { return tester_->Text(line); }

  void PutMany(const std::string& pattern, int count) {
    std::vector<std::string> args = {"MSET"};
    for (int i = 0; i < count; ++i) {
      args.push_back(fmt::format(fmt::runtime(pattern), i));
      args.push_back("v");
    }
    tester_->RunArgs(args);
  }

  // Scans to the end; after each page, `between` may do something.
  std::multiset<std::string> ScanAll(
      const std::string& options, const std::function<void()>& between = [] {}) {
    std::multiset<std::string> seen;
    std::string cursor = "0";
    do {
      const Reply reply = tester_->Run(fmt::format("SCAN {} {}", cursor, options));
      cursor = reply.items()[0].text();
      for (const Reply& key : reply.items()[1].items()) seen.insert(key.text());
      between();
    } while (cursor != "0");
    return seen;
  }

  const std::unique_ptr<CommandTester> tester_ = NewDataTester();
};

TEST_F(KeyCommands, KeysMatchesWhateverThePatternBeginsWith) {
  tester_->RunArgs({"MSET", "user:1", "", "user:22", "", "users", "", "u*r", "", "other", "",
                    std::string("\xff\xff"), ""});
  EXPECT_EQ(Text("KEYS user:*"), "[user:1, user:22]");
  EXPECT_EQ(Text("KEYS user:?"), "[user:1]");
  EXPECT_EQ(Text("KEYS use*"), "[user:1, user:22, users]");
  EXPECT_EQ(Text("KEYS u\\*r"), "[u*r]") << "a star that is meant";
  EXPECT_EQ(Text("KEYS [ou]*r"), "[other, u*r]");
  EXPECT_EQ(Text("KEYS other"), "[other]");
  EXPECT_EQ(Text("KEYS \"\\xff*\""), "[\xff\xff]");
  EXPECT_EQ(tester_->Run("KEYS *").items().size(), 6u);
  EXPECT_EQ(Text("KEYS \"\""), "[]");
}

TEST_F(KeyCommands, ScanShowsEveryKeyOnce) {
  PutMany("key:{}", 95);
  for (const std::string options : {"", "COUNT 1", "COUNT 7", "COUNT 95", "COUNT 1000"}) {
    const auto seen = ScanAll(options);
    EXPECT_EQ(seen.size(), 95u) << options;
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 95u) << options;
  }
}

TEST_F(KeyCommands, ScanShowsWhatWasThereAllAlongWhateverComesAndGoes) {
  PutMany("stays:{}", 50);
  PutMany("goes:{}", 50);
  int round = 0;
  const auto seen = ScanAll("COUNT 3", [&] {
    Text(fmt::format("DEL goes:{0} goes:{1} goes:{2}", round, round + 10, round + 30));
    Text(fmt::format("SET stays:{0}:new x", round++));
  });
  for (int i = 0; i < 50; ++i) EXPECT_EQ(seen.count(fmt::format("stays:{}", i)), 1u) << i;
}

TEST_F(KeyCommands, ScanFiltersByPatternAndType) {
  PutMany("a:{}", 20);
  PutMany("b:{}", 20);
  Text("RPUSH a:list 1");
  EXPECT_EQ(ScanAll("COUNT 4 MATCH a:*").size(), 21u);
  EXPECT_EQ(ScanAll("COUNT 4 MATCH *1").size(), 4u);
  EXPECT_EQ(ScanAll("COUNT 4 TYPE list"), (std::multiset<std::string>{"a:list"}));
  EXPECT_EQ(ScanAll("COUNT 4 MATCH b:* TYPE list").size(), 0u);
}

// Such as one from before a restart: keys are shown again, and none is left out.
TEST_F(KeyCommands, ScanBeginsAgainWithACursorNobodyKnows) {
  PutMany("key:{}", 5);
  EXPECT_EQ(Text("SCAN 12345"), Text("SCAN 0"));
  EXPECT_EQ(Text("SCAN 18446744073709551615"), Text("SCAN 0"));
  EXPECT_EQ(Text("SCAN 18446744073709551616"), "ERR invalid cursor");
  EXPECT_EQ(Text("SCAN -1"), "ERR invalid cursor");
}

TEST_F(KeyCommands, RandomKeyIsFairAmongFewKeys) {
  EXPECT_EQ(Text("RANDOMKEY"), "(nil)");
  tester_->RunArgs({"MSET", "a", "", "b", "", "zzzzzzzz", ""});
  std::map<std::string, int> drawn;
  for (int i = 0; i < 600; ++i) ++drawn[Text("RANDOMKEY")];
  ASSERT_EQ(drawn.size(), 3u);
  for (const auto& [key, times] : drawn) EXPECT_GT(times, 130) << key;
}

TEST_F(KeyCommands, RandomKeyReachesKeysEverywhereAmongMany) {
  PutMany("session:{:05}", 1500);
  std::map<char, int> by_digit;
  std::set<std::string> different;
  for (int i = 0; i < 300; ++i) {
    const std::string key = Text("RANDOMKEY");
    ASSERT_EQ(Text("EXISTS " + key), "1");
    ++by_digit[key[10]];  // The hundreds.
    different.insert(key);
  }
  EXPECT_EQ(by_digit.size(), 10u);
  EXPECT_GT(different.size(), 150u);
}

TEST_F(KeyCommands, RenameReplacesACollectionByAStringAndTheReverse) {
  Text("RPUSH list a b");
  Text("SET text x");
  EXPECT_EQ(Text("RENAME list text"), "OK");
  EXPECT_EQ(Text("LALL text"), "[a, b]");
  EXPECT_EQ(Text("TYPE list"), "none");
  Text("SET text2 y");
  EXPECT_EQ(Text("RENAME text2 text"), "OK");
  EXPECT_EQ(Text("GET text"), "y");
}

TEST_F(KeyCommands, ACopyOfEachTypeIsWholeAndItsOwn) {
  Text("HSET h f 1");
  Text("SADD s a b");
  Text("ZADD z 1.5 m");
  Text("RPUSH l x y");
  for (const std::string key : {"h", "s", "z", "l"}) {
    EXPECT_EQ(Text(fmt::format("COPY {0} {0}2", key)), "1");
  }
  Text("HSET h f 2");
  Text("SADD s c");
  Text("ZADD z 2.5 m");
  Text("RPUSH l z");
  EXPECT_EQ(Text("HGET h2 f"), "1");
  EXPECT_EQ(Text("SCARD s2"), "2");
  EXPECT_EQ(Text("ZSCORE z2 m"), "1.5");
  EXPECT_EQ(Text("LALL l2"), "[x, y]");
}

TEST_F(KeyCommands, MemoryUsageGrowsWithTheValue) {
  tester_->RunArgs({"MSET", "small", "x", "large", std::string(1000, 'x')});
  const auto usage = [&](const std::string& key) {
    return tester_->Run("MEMORY USAGE " + key).integer();
  };
  EXPECT_EQ(usage("large") - usage("small"), 999);
  std::vector<std::string> push = {"RPUSH", "list"};
  for (int i = 0; i < 100; ++i) push.push_back(std::string(10, 'y'));
  tester_->RunArgs(push);
  EXPECT_GT(usage("list"), 100 * 10);
  EXPECT_EQ(Text("MEMORY USAGE list SAMPLES 1"), Text("MEMORY USAGE list SAMPLES 0"))
      << "all elements are alike";
}

TEST_F(KeyCommands, EncodingFollowsTheSettings) {
  EncodingLimits limits = tester_->encoding_limits();
  limits.hash_entries = 2;
  limits.set_integers = 2;
  limits.sorted_set_bytes = 3;
  tester_->SetEncodingLimits(limits);
  Text("HSET h a 1 b 2");
  EXPECT_EQ(Text("OBJECT ENCODING h"), "listpack");
  Text("HSET h c 3");
  EXPECT_EQ(Text("OBJECT ENCODING h"), "hashtable");
  Text("SADD s 1 2");
  EXPECT_EQ(Text("OBJECT ENCODING s"), "intset");
  Text("SADD s 3");
  EXPECT_EQ(Text("OBJECT ENCODING s"), "hashtable");
  Text("ZADD z 1 abc");
  EXPECT_EQ(Text("OBJECT ENCODING z"), "listpack");
  Text("ZADD z 1 abcd");
  EXPECT_EQ(Text("OBJECT ENCODING z"), "skiplist");
}

TEST_F(KeyCommands, IdleTimeIsAnErrorWhereRedisTellsOne) {
  Text("SET key value");
  EXPECT_EQ(Text("OBJECT IDLETIME key"),
            "ERR An LRU maxmemory policy is not selected, idle time not tracked: reads leave no "
            "trace in rows");
}

TEST_F(KeyCommands, OfSortAreItsKeyAndWhereItStores) {
  std::vector<KeyUse> keys;
  const std::vector<Bytes> args = {"SORT", "a",     "BY", "store", "LIMIT", "0",
                                   "1",    "store", "b",  "GET",   "store"};
  EXPECT_TRUE(FindKeys(kSortKeys, args, keys));
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].position, 1);
  EXPECT_EQ(keys[1].position, 8);
  EXPECT_TRUE(FindKeys(kSortReadOnlyKeys, args, keys));
  EXPECT_EQ(keys.size(), 1u);
}

TEST_F(KeyCommands, HelpIsGiven) {
  EXPECT_GT(tester_->Run("OBJECT HELP").items().size(), 4u);
  EXPECT_GT(tester_->Run("MEMORY HELP").items().size(), 2u);
}

}  // namespace
}  // namespace mayfly::server
