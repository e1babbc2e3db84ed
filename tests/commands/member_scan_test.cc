// SSCAN and ZSCAN: pages show every member that stays, whatever comes and goes meanwhile.
// Method: conversations on plain maps; scans of ten thousand members, some while the set changes.
#include <set>

#include "conversation.h"
#include "types/member_key.h"

namespace mayfly::server {
namespace {

class MemberScan : public testing::Test {
 protected:
  void Fill(const std::string& key, int from, int to) {
    std::vector<std::string> args = {"sadd", key};
    for (int i = from; i < to; ++i) args.push_back("m" + std::to_string(i));
    ASSERT_EQ(tester.RunArgs(args).kind, Reply::Kind::kInteger);
  }

  // One page's members; moves the cursor.
  std::vector<std::string> Page(const std::string& line_begin, std::string& cursor,
                                const std::string& line_end) {
    const Reply page = tester.Run(line_begin + " " + cursor + " " + line_end);
    cursor = page.items().at(0).text();
    std::vector<std::string> members;
    for (const Reply& item : page.items().at(1).items()) members.push_back(item.text());
    return members;
  }

  CommandTester tester{{SetFamily(), SortedSetFamily(), PlainKeys()}};
};

TEST_F(MemberScan, OptionsAndErrorsAreRedis) {
  Converse(tester, {{"sadd s abc", "1"},
                    {"sscan s 0 match * count 5", "[0, [abc]]"},
                    {"sscan s 0 MATCH a?c", "[0, [abc]]"},
                    {"sscan s 0 match b*", "[0, []]"},
                    {"sscan s 0 count 0", kSyntaxError},
                    {"sscan s 0 count -1", kSyntaxError},
                    {"sscan s 0 count x", kNotAnInteger},
                    {"sscan s 0 match", kSyntaxError},
                    {"sscan s 0 other 1", kSyntaxError},
                    {"sscan s \"\"", "[0, [abc]]"},
                    {"sscan s x", "ERR invalid cursor"},
                    {"sscan s 1x", "ERR invalid cursor"},
                    {"sscan s 18446744073709551616", "ERR invalid cursor"},
                    {"sscan s 18446744073709551615", "[0, []]"},
                    {"sscan no x", "ERR invalid cursor"},
                    {"sscan no 0 other", "[0, []]"},
                    {"zadd z 1.5 a", "1"},
                    {"zscan z 0", "[0, [a, 1.5]]"},
                    {"zscan z 0 match b", "[0, []]"},
                    {"zscan no 0", "[0, []]"},
                    {"zscan s 0", kWrongType},
                    {"sscan z 0", kWrongType}});
  Refuse(tester, WrongArityOf("zscan"), {"zscan z", "zscan"});
}

TEST_F(MemberScan, ScoresAreTextsInResp3Too) {
  tester.Run("zadd z 0.1 a inf b");
  EXPECT_EQ(InResp3(tester, "zscan z 0 match a"), "*2 $1 0 *2 $1 a $19 0.10000000000000001");
  EXPECT_EQ(InResp3(tester, "zscan z 0 match b"), "*2 $1 0 *2 $1 b $3 inf");
}

TEST_F(MemberScan, PagesShowEveryMemberOnce) {
  constexpr int kMembers = 10'000;
  Fill("s", 0, kMembers);
  std::set<std::string> seen;
  std::string cursor = "0";
  int pages = 0;
  do {
    for (const std::string& member : Page("sscan s", cursor, "count 500")) {
      EXPECT_TRUE(seen.insert(member).second) << member;
    }
    ++pages;
  } while (cursor != "0");
  EXPECT_EQ(seen.size(), kMembers);
  EXPECT_EQ(pages, 20);
}

TEST_F(MemberScan, WhoeverStaysIsShownWhateverComesAndGoes) {
  Fill("s", 0, 1000);
  std::set<std::string> seen;
  std::string cursor = "0";
  for (int i = 0;; ++i) {
    for (std::string& member : Page("sscan s", cursor, "count 20")) seen.insert(std::move(member));
    if (cursor == "0") break;
    // The odd half is removed, new members are added.
    for (int j = 20 * i; j < 20 * i + 20; ++j) {
      if (j % 2 == 1) tester.RunArgs({"srem", "s", "m" + std::to_string(j)});
    }
    Fill("s", 1000 + 20 * i, 1020 + 20 * i);
  }
  for (int i = 0; i < 1000; i += 2) EXPECT_TRUE(seen.contains("m" + std::to_string(i))) << i;
}

TEST_F(MemberScan, ACursorIsTheHashOfTheLastShown) {
  tester.Run("sadd s a b c");
  std::string cursor = "0";
  const auto members = Page("sscan s", cursor, "count 1");
  ASSERT_EQ(members.size(), 1u);
  EXPECT_EQ(cursor, std::to_string(types::MemberHash(members[0])));
  tester.RunArgs({"srem", "s", members[0]});
  EXPECT_EQ(Page("sscan s", cursor, "").size(), 2u);
}

}  // namespace
}  // namespace mayfly::server
