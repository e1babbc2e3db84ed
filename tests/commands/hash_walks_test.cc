// Hashes as a whole: HGETALL, HKEYS, HVALS, HRANDFIELD, HSCAN, in RESP2 and RESP3.
// Method: commands on plain maps, hashes of up to ten thousand fields.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "server/commands/support/families.h"
#include "server/testing/command_tester.h"

namespace mayfly::server {
namespace {

constexpr int kMany = 10'000;

class HashWalks : public testing::Test {
 protected:
  std::string Text(const std::string& line) { return tester_.Text(line); }

  // f0 -> v0, f1 -> v1, ...
  void Fill(const std::string& key, int fields) {
    std::vector<std::string> args{"hset", key};
    for (int i = 0; i < fields; ++i) {
      args.push_back("f" + std::to_string(i));
      args.push_back("v" + std::to_string(i));
    }
    ASSERT_EQ(tester_.RunArgs(args).integer(), fields);
  }

  static std::map<std::string, std::string> Pairs(const Reply& reply) {
    std::map<std::string, std::string> pairs;
    for (std::size_t i = 0; i + 1 < reply.items().size(); i += 2) {
      pairs[reply.items()[i].text()] = reply.items()[i + 1].text();
    }
    EXPECT_EQ(pairs.size() * 2, reply.items().size());
    return pairs;
  }

  // The fields of a whole scan, page after page.
  std::vector<std::string> Scan(const std::string& key, const std::string& options, int& pages) {
    std::vector<std::string> shown;
    std::string cursor = "0";
    pages = 0;
    do {
      const Reply reply = tester_.Run("hscan " + key + " " + cursor + " " + options);
      cursor = reply.items().at(0).text();
      for (const Reply& item : reply.items().at(1).items()) shown.push_back(item.text());
      ++pages;
    } while (cursor != "0" && pages <= kMany);
    return shown;
  }

  CommandTester tester_{{HashFamily(), ListFamily()}};
};

TEST_F(HashWalks, AllOfAHashInBothProtocols) {
  Fill("h", 3);
  const std::map<std::string, std::string> expected{{"f0", "v0"}, {"f1", "v1"}, {"f2", "v2"}};
  EXPECT_EQ(tester_.Run("hgetall h").kind, Reply::Kind::kArray);
  EXPECT_EQ(Pairs(tester_.Run("hgetall h")), expected);
  EXPECT_EQ(tester_.Run("hkeys h").items().size(), 3u);
  EXPECT_EQ(tester_.Run("hvals h").items().size(), 3u);
  EXPECT_EQ(Text("hgetall none"), "[]");
  tester_.UseProtocol(ProtocolVersion::kResp3);
  EXPECT_EQ(tester_.Run("hgetall h").kind, Reply::Kind::kMap);
  EXPECT_EQ(Pairs(tester_.Run("hgetall h")), expected);
  EXPECT_EQ(tester_.Run("hkeys h").kind, Reply::Kind::kArray);
  EXPECT_EQ(tester_.Run("hvals h").kind, Reply::Kind::kArray);
  EXPECT_EQ(Text("hgetall none"), "{}");
  EXPECT_EQ(Text("hkeys none"), "[]");
  EXPECT_EQ(Text("hvals none"), "[]");
}

TEST_F(HashWalks, DeadFieldsAreNowhere) {
  Fill("h", 3);
  Text("hpexpire h 100 fields 2 f0 f1");
  tester_.clock().Advance(Millis(99));
  EXPECT_EQ(tester_.Run("hkeys h").items().size(), 3u);
  tester_.clock().Advance(Millis(1));
  EXPECT_EQ(Text("hgetall h"), "[f2, v2]");
  EXPECT_EQ(Text("hkeys h"), "[f2]");
  EXPECT_EQ(Text("hvals h"), "[v2]");
  EXPECT_EQ(Text("hlen h"), "1");
  EXPECT_EQ(Text("hscan h 0"), "[0, [f2, v2]]");
  EXPECT_EQ(Text("hrandfield h"), "f2");
  EXPECT_EQ(Text("hrandfield h 5"), "[f2]");
  EXPECT_EQ(Text("hrandfield h -3"), "[f2, f2, f2]");
  Text("hpexpire h 100 fields 1 f2");
  tester_.clock().Advance(Millis(101));
  EXPECT_EQ(Text("hgetall h"), "[]");
  EXPECT_EQ(Text("hrandfield h"), "(nil)");
  EXPECT_EQ(Text("hrandfield h 5"), "[]");
  EXPECT_EQ(Text("hscan h 0"), "[0, []]");
  EXPECT_EQ(Text("hlen h"), "0");
}

TEST_F(HashWalks, HRandFieldDrawsOneOrDistinctOrRepeated) {
  Fill("h", 20);
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(Text("hrandfield h"));
  EXPECT_EQ(seen.size(), 20u);
  const auto names = [&](const std::string& line) {
    const Reply reply = tester_.Run(line);
    std::multiset<std::string> drawn;
    for (const Reply& item : reply.items()) drawn.insert(item.text());
    return drawn;
  };
  EXPECT_EQ(names("hrandfield h 0").size(), 0u);
  const auto five = names("hrandfield h 5");
  EXPECT_EQ(five.size(), 5u);
  EXPECT_EQ((std::set<std::string>(five.begin(), five.end())).size(), 5u);
  EXPECT_EQ(names("hrandfield h 20"), names("hrandfield h 21"));
  EXPECT_EQ(names("hrandfield h 21").size(), 20u);
  const auto repeated = names("hrandfield h -50");
  EXPECT_EQ(repeated.size(), 50u);
  EXPECT_LT((std::set<std::string>(repeated.begin(), repeated.end())).size(), 50u);
}

TEST_F(HashWalks, HRandFieldWithValuesIsFlatInResp2AndNestedInResp3) {
  Fill("h", 1);
  EXPECT_EQ(Text("hrandfield h 1 withvalues"), "[f0, v0]");
  EXPECT_EQ(Text("hrandfield h -2 WITHVALUES"), "[f0, v0, f0, v0]");
  tester_.UseProtocol(ProtocolVersion::kResp3);
  EXPECT_EQ(Text("hrandfield h 3 withvalues"), "[[f0, v0]]");
  EXPECT_EQ(Text("hrandfield h -2 withvalues"), "[[f0, v0], [f0, v0]]");
  EXPECT_EQ(Text("hrandfield h 3"), "[f0]");
  EXPECT_EQ(Text("hrandfield none 3 withvalues"), "[]");
}

TEST_F(HashWalks, HRandFieldRefusesWhatItCannotDo) {
  Fill("h", 1);
  EXPECT_EQ(Text("hrandfield none"), "(nil)");
  EXPECT_EQ(Text("hrandfield none 2"), "[]");
  EXPECT_EQ(Text("hrandfield h x"), "ERR value is not an integer or out of range");
  EXPECT_EQ(Text("hrandfield h 1 foo"), "ERR syntax error");
  EXPECT_EQ(Text("hrandfield h 1 withvalues foo"), "ERR syntax error");
  EXPECT_EQ(Text("hrandfield h -9223372036854775808"),
            "ERR value is out of range, value must between -9223372036854775807 and "
            "9223372036854775807");
  EXPECT_EQ(Text("hrandfield h -9223372036854770000 withvalues"), "ERR value is out of range");
  EXPECT_EQ(Text("hrandfield h 9223372036854770000 withvalues"), "ERR value is out of range");
  EXPECT_EQ(Text("hrandfield h -9223372036854770000"), "ERR value is out of range");
  EXPECT_EQ(Text("hrandfield h 9223372036854770000"), "[f0]");
}

TEST_F(HashWalks, HScanShowsEachFieldOnceWhateverThePageSize) {
  Fill("h", 500);
  for (const int count : {1, 7, 10, 499, 500, 501, 100'000}) {
    int pages = 0;
    const auto shown = Scan("h", "count " + std::to_string(count), pages);
    ASSERT_EQ(shown.size(), 1000u);
    std::map<std::string, std::string> pairs;
    for (std::size_t i = 0; i < shown.size(); i += 2) pairs[shown[i]] = shown[i + 1];
    EXPECT_EQ(pairs.size(), 500u);
    for (const auto& [field, value] : pairs) EXPECT_EQ("v" + field.substr(1), value);
    EXPECT_EQ(pages, (500 + count - 1) / count);
  }
}

TEST_F(HashWalks, HScanMatchesAndLeavesValuesOut) {
  Fill("h", 100);
  Text("hset h \"\" nameless");
  int pages = 0;
  EXPECT_EQ(Scan("h", "match f1?", pages).size(), 20u);
  EXPECT_GT(pages, 5);
  EXPECT_EQ(Scan("h", "match f1? novalues count 1000", pages).size(), 10u);
  EXPECT_EQ(Scan("h", "NOVALUES", pages).size(), 101u);
  EXPECT_EQ(Scan("h", "MATCH * NOVALUES", pages).size(), 101u);
  EXPECT_EQ(Scan("h", "match x*", pages).size(), 0u);
}

TEST_F(HashWalks, HScanShowsWhoWasThereAllAlong) {
  Fill("h", 300);
  std::set<std::string> seen;
  std::string cursor = "0";
  int step = 0;
  do {
    const Reply reply = tester_.Run("hscan h " + cursor + " count 10 novalues");
    cursor = reply.items().at(0).text();
    for (const Reply& item : reply.items().at(1).items()) seen.insert(item.text());
    // Odd ones are deleted, others added.
    Text("hdel h f" + std::to_string(2 * step + 1));
    Text("hset h new" + std::to_string(step) + " x");
    ++step;
  } while (cursor != "0");
  for (int i = 0; i < 300; i += 2) EXPECT_TRUE(seen.contains("f" + std::to_string(i))) << i;
}

TEST_F(HashWalks, HScanRefusesWhatItCannotRead) {
  Fill("h", 3);
  for (const char* cursor : {"x", "1a", "'1 '", "18446744073709551616"}) {
    EXPECT_EQ(Text(std::string("hscan h ") + cursor), "ERR invalid cursor") << cursor;
  }
  EXPECT_EQ(Text("hscan h 0 count 0"), "ERR syntax error");
  EXPECT_EQ(Text("hscan h 0 count -1"), "ERR syntax error");
  EXPECT_EQ(Text("hscan h 0 count x"), "ERR value is not an integer or out of range");
  EXPECT_EQ(Text("hscan h 0 count"), "ERR syntax error");
  EXPECT_EQ(Text("hscan h 0 match"), "ERR syntax error");
  EXPECT_EQ(Text("hscan h 0 foo 1"), "ERR syntax error");
  EXPECT_EQ(Text("hscan none 0 count x"), "[0, []]");
  EXPECT_EQ(Text("hscan h 18446744073709551615"), "[0, []]");
}

TEST_F(HashWalks, TenThousandFields) {
  Fill("h", kMany);
  EXPECT_EQ(Text("hlen h"), std::to_string(kMany));
  EXPECT_EQ(Pairs(tester_.Run("hgetall h")).size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(Text("hget h f9999"), "v9999");
  int pages = 0;
  EXPECT_EQ(Scan("h", "count 500", pages).size(), static_cast<std::size_t>(kMany) * 2);
  EXPECT_EQ(pages, 20);
  const Reply hundred = tester_.Run("hrandfield h 100");
  std::set<std::string> drawn;
  for (const Reply& item : hundred.items()) drawn.insert(item.text());
  EXPECT_EQ(drawn.size(), 100u);
  EXPECT_EQ(tester_.Run("hrandfield h -20000").items().size(), 20'000u);
  EXPECT_EQ(tester_.Run("hrandfield h 20000").items().size(), static_cast<std::size_t>(kMany));
}

}  // namespace
}  // namespace mayfly::server
