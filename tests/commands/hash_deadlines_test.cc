// Goal: deadlines of fields: the HEXPIRE family, HGETEX, HSETEX, HGETDEL.
// Method: commands on plain maps and a manual clock; codes and errors are those of Redis 7.4 and
// 8.0.
#include <gtest/gtest.h>

#include "server/commands/support/families.h"
#include "server/testing/command_tester.h"

namespace mayfly::server {
namespace {

using Events = std::vector<std::string>;

constexpr std::int64_t kNowMs = 1'700'000'000'000;  // The tester's clock begins here.

class HashDeadlines : public testing::Test {
 protected:
  std::string Text(const std::string& line) { return tester_.Text(line); }
  const Events& events() { return tester_.notifications(); }
  void Advance(int ms) { tester_.clock().Advance(Millis(ms)); }

  CommandTester tester_{{HashFamily(), ListFamily()}};
};

TEST_F(HashDeadlines, AFieldLivesForExactlyItsTtl) {
  struct Case {
    const char* line;
    int ttl_ms;
  };
  const std::string at_seconds = "hexpireat h " + std::to_string(kNowMs / 1000 + 2);
  const std::string at_millis = "hpexpireat h " + std::to_string(kNowMs + 7);
  for (const Case& given : {Case{"hexpire h 1", 1000}, Case{"hpexpire h 5", 5},
                            Case{at_seconds.c_str(), 2000}, Case{at_millis.c_str(), 7}}) {
    tester_.clock().Set(WallTimeFromMs(kNowMs));
    Text("hset h a 1 b 2");
    EXPECT_EQ(Text(std::string(given.line) + " fields 2 a x"), "[1, -2]") << given.line;
    EXPECT_EQ(events(), (Events{"h hexpire 0 h"}));
    Advance(given.ttl_ms - 1);
    EXPECT_EQ(Text("hget h a"), "1");
    EXPECT_EQ(Text("hpttl h fields 1 a"), "[1]");
    EXPECT_EQ(Text("hlen h"), "2");
    Advance(1);
    EXPECT_EQ(Text("hget h a"), "(nil)");
    EXPECT_EQ(Text("hpttl h fields 1 a"), "[-2]");
    EXPECT_EQ(Text("hlen h"), "1");
    Advance(1);
    EXPECT_EQ(Text("hexists h a"), "0");
    EXPECT_EQ(Text("hget h b"), "2");
  }
}

TEST_F(HashDeadlines, ConditionsDecideFieldByField) {
  Text("hset h none 1 early 2 late 3");
  EXPECT_EQ(Text("hpexpire h 1000 fields 1 early"), "[1]");
  EXPECT_EQ(Text("hpexpire h 3000 fields 1 late"), "[1]");
  EXPECT_EQ(Text("hpexpire h 2000 nx fields 3 early late x"), "[0, 0, -2]");
  EXPECT_EQ(events(), Events{});
  EXPECT_EQ(Text("hpexpire h 2000 xx fields 1 none"), "[0]");
  EXPECT_EQ(Text("hpexpire h 2000 gt fields 3 none early late"), "[0, 1, 0]");
  EXPECT_EQ(events(), (Events{"h hexpire 0 h"}));
  EXPECT_EQ(Text("hpexpire h 2000 gt fields 1 early"), "[0]");
  EXPECT_EQ(Text("hpexpire h 2000 lt fields 3 none early late"), "[1, 0, 1]");
  EXPECT_EQ(Text("hpexpire h 9000 XX FIELDS 3 none early late"), "[1, 1, 1]");
  EXPECT_EQ(Text("hpttl h fields 3 none early late"), "[9000, 9000, 9000]");
}

TEST_F(HashDeadlines, APastInstantRemovesAtOnce) {
  Text("hset h a 1 b 2 c 3");
  EXPECT_EQ(Text("hexpire h 0 fields 2 a x"), "[2, -2]");
  EXPECT_EQ(events(), (Events{"h hdel 0 h"}));
  Text("hexpire h 100 fields 1 b");
  EXPECT_EQ(Text("hpexpireat h " + std::to_string(kNowMs) + " nx fields 1 b"), "[0]");
  EXPECT_EQ(Text("hpexpireat h " + std::to_string(kNowMs) + " fields 2 b b"), "[2, -2]");
  EXPECT_EQ(Text("hexpireat h 1 fields 1 c"), "[2]");
  EXPECT_EQ(events(), (Events{"h hdel 0 h", "g del 0 h"}));
  EXPECT_EQ(Text("hlen h"), "0");
}

TEST_F(HashDeadlines, TheTimeLeftIsRoundedUpInSeconds) {
  Text("hset h a 1 b 2");
  EXPECT_EQ(Text("hpexpire h 1500 fields 1 a"), "[1]");
  EXPECT_EQ(Text("httl h fields 3 a b x"), "[2, -1, -2]");
  EXPECT_EQ(Text("hpttl h fields 3 a b x"), "[1500, -1, -2]");
  EXPECT_EQ(Text("hexpiretime h fields 3 a b x"), "[1700000002, -1, -2]");
  EXPECT_EQ(Text("hpexpiretime h fields 3 a b x"), "[1700000001500, -1, -2]");
  Advance(500);
  EXPECT_EQ(Text("httl h fields 1 a"), "[1]");
  Advance(999);
  EXPECT_EQ(Text("httl h fields 1 a"), "[1]");
  for (const char* name : {"httl", "hpttl", "hexpiretime", "hpexpiretime", "hpersist"}) {
    EXPECT_EQ(Text(std::string(name) + " none fields 2 a b"), "[-2, -2]");
  }
  EXPECT_EQ(Text("hexpire none 5 fields 2 a b"), "[-2, -2]");
  EXPECT_EQ(events(), Events{});
}

TEST_F(HashDeadlines, HPersistTakesDeadlinesAway) {
  Text("hset h a 1 b 2");
  Text("hpexpire h 100 fields 1 a");
  EXPECT_EQ(Text("hpersist h fields 3 a b x"), "[1, -1, -2]");
  EXPECT_EQ(events(), (Events{"h hpersist 0 h"}));
  EXPECT_EQ(Text("hpersist h fields 1 a"), "[-1]");
  EXPECT_EQ(events(), Events{});
  Advance(100);
  EXPECT_EQ(Text("hget h a"), "1");
}

TEST_F(HashDeadlines, SettingClearsTheDeadlineAndCountingKeepsIt) {
  Text("hset h a 1 b 1 c 1 d 1");
  Text("hpexpire h 100 fields 4 a b c d");
  Text("hset h a 2");
  Text("hincrby h b 1");
  Text("hincrbyfloat h c 1");
  Text("hsetnx h d 2");
  EXPECT_EQ(Text("hpttl h fields 4 a b c d"), "[-1, 100, 100, 100]");
  Advance(100);
  EXPECT_EQ(Text("hgetall h"), "[a, 2]");
  EXPECT_EQ(Text("hincrby h b 5"), "5");
  EXPECT_EQ(Text("hpttl h fields 1 b"), "[-1]");
  EXPECT_EQ(Text("hsetnx h d 3"), "1");
}

TEST_F(HashDeadlines, TimesOutOfRangeAreRefused) {
  Text("hset h a 1");
  const std::string last = std::to_string((std::int64_t{1} << 46) - 1);
  const std::string beyond = std::to_string(std::int64_t{1} << 46);
  EXPECT_EQ(Text("hpexpireat h " + last + " fields 1 a"), "[1]");
  EXPECT_EQ(Text("hpexpireat h " + beyond + " fields 1 a"),
            "ERR invalid expire time in 'hpexpireat' command");
  EXPECT_EQ(Text("hpexpire h " + last + " fields 1 a"),
            "ERR invalid expire time in 'hpexpire' command");
  EXPECT_EQ(Text("hexpire h 9223372036854775807 fields 1 a"),
            "ERR invalid expire time in 'hexpire' command");
  EXPECT_EQ(Text("hexpireat h " + last + " fields 1 a"),
            "ERR invalid expire time in 'hexpireat' command");
  EXPECT_EQ(Text("hexpire h -1 fields 1 a"), "ERR invalid expire time, must be >= 0");
  EXPECT_EQ(Text("hexpire h x fields 1 a"), "ERR value is not an integer or out of range");
  EXPECT_EQ(Text("hpexpiretime h fields 1 a"), "[" + last + "]");
}

TEST_F(HashDeadlines, TheFieldsClauseIsChecked) {
  Text("hset h a 1");
  const char* const kMissing =
      "ERR Mandatory argument FIELDS is missing or not at the right position";
  const char* const kMismatch = "ERR The `numfields` parameter must match the number of arguments";
  EXPECT_EQ(Text("hexpire h 5 1 a b"), kMissing);
  EXPECT_EQ(Text("hexpire h 5 nx xx fields 1 a"), kMissing);
  EXPECT_EQ(Text("hexpire h 5 fields 2 a"), kMismatch);
  EXPECT_EQ(Text("hexpire h 5 fields 1 a b"), kMismatch);
  EXPECT_EQ(Text("hexpire h 5 gt fields 1"), kMismatch);
  for (const char* count : {"0", "-1", "x"}) {
    const std::string clause = std::string(" fields ") + count + " a";
    EXPECT_EQ(Text("hexpire h 5" + clause), "ERR Parameter `numFields` should be greater than 0");
    for (const char* name : {"httl", "hpttl", "hpersist", "hgetdel", "hgetex"}) {
      EXPECT_EQ(Text(std::string(name) + " h" + clause),
                "ERR Number of fields must be a positive integer");
    }
  }
  for (const char* name : {"httl", "hexpiretime", "hpersist", "hgetdel", "hgetex"}) {
    EXPECT_EQ(Text(std::string(name) + " h fields 2 a"), kMismatch);
    EXPECT_EQ(Text(std::string(name) + " h field 1 a"), kMissing);
  }
  EXPECT_EQ(Text("httl h fields 1 a"), "[-1]");
}

TEST_F(HashDeadlines, HGetExReadsAndChangesLifetimes) {
  Text("hset h a 1 b 2");
  EXPECT_EQ(Text("hgetex h fields 3 a b x"), "[1, 2, (nil)]");
  EXPECT_EQ(events(), Events{});
  EXPECT_EQ(Text("hgetex h px 100 fields 2 a x"), "[1, (nil)]");
  EXPECT_EQ(events(), (Events{"h hexpire 0 h"}));
  EXPECT_EQ(Text("hpttl h fields 2 a b"), "[100, -1]");
  EXPECT_EQ(Text("hgetex h EX 3 FIELDS 1 a"), "[1]");
  EXPECT_EQ(Text("hpttl h fields 1 a"), "[3000]");
  EXPECT_EQ(Text("hgetex h exat 1700000009 fields 1 a"), "[1]");
  EXPECT_EQ(Text("hpttl h fields 1 a"), "[9000]");
  EXPECT_EQ(Text("hgetex h pxat 1700000000004 fields 1 a"), "[1]");
  EXPECT_EQ(Text("hpttl h fields 1 a"), "[4]");
  EXPECT_EQ(Text("hgetex h persist fields 2 a b"), "[1, 2]");
  EXPECT_EQ(events(), (Events{"h hpersist 0 h"}));
  EXPECT_EQ(Text("hgetex h persist fields 1 a"), "[1]");
  EXPECT_EQ(events(), Events{});
  EXPECT_EQ(Text("hgetex h ex 0 fields 2 a a"), "[1, (nil)]");
  EXPECT_EQ(events(), (Events{"h hdel 0 h"}));
  EXPECT_EQ(Text("hgetex h pxat 1 fields 1 b"), "[2]");
  EXPECT_EQ(events(), (Events{"h hdel 0 h", "g del 0 h"}));
  EXPECT_EQ(Text("hgetex none ex 5 fields 1 a"), "[(nil)]");
}

TEST_F(HashDeadlines, HGetExRefusesBadOptions) {
  EXPECT_EQ(Text("hgetex h ex x fields 1 a"), "ERR value is not an integer or out of range");
  EXPECT_EQ(Text("hgetex h ex -1 fields 1 a"), "ERR invalid expire time, must be >= 0");
  EXPECT_EQ(Text("hgetex h ex 99999999999999 fields 1 a"),
            "ERR invalid expire time in 'hgetex' command");
  EXPECT_EQ(Text("hgetex h ex 1 px 1 fields 1 a"),
            "ERR Mandatory argument FIELDS is missing or not at the right position");
  EXPECT_EQ(Text("hgetex h ex 10 fields"), "ERR wrong number of arguments for 'hgetex' command");
}

TEST_F(HashDeadlines, HGetDelReadsAndRemoves) {
  Text("hset h a 1 b 2");
  EXPECT_EQ(Text("hgetdel h fields 3 a a x"), "[1, (nil), (nil)]");
  EXPECT_EQ(events(), (Events{"h hdel 0 h"}));
  EXPECT_EQ(Text("hgetdel h fields 1 x"), "[(nil)]");
  EXPECT_EQ(events(), Events{});
  EXPECT_EQ(Text("hgetdel h fields 1 b"), "[2]");
  EXPECT_EQ(events(), (Events{"h hdel 0 h", "g del 0 h"}));
  EXPECT_EQ(Text("hgetdel h fields 1 b"), "[(nil)]");
}

TEST_F(HashDeadlines, HSetExSetsValuesAndLifetimes) {
  EXPECT_EQ(Text("hsetex h fields 1 a 1"), "1");
  EXPECT_EQ(events(), (Events{"n new 0 h", "h hset 0 h"}));
  EXPECT_EQ(Text("hsetex h px 100 fields 2 a 2 b 3"), "1");
  EXPECT_EQ(events(), (Events{"h hset 0 h", "h hexpire 0 h"}));
  EXPECT_EQ(Text("hpttl h fields 2 a b"), "[100, 100]");
  EXPECT_EQ(Text("hsetex h keepttl fields 2 a 4 c 5"), "1");
  EXPECT_EQ(Text("hpttl h fields 3 a b c"), "[100, 100, -1]");
  EXPECT_EQ(Text("hsetex h fields 1 a 6"), "1");
  EXPECT_EQ(Text("hpttl h fields 1 a"), "[-1]");
  EXPECT_EQ(Text("hsetex h EX 1 FIELDS 1 a 7"), "1");
  EXPECT_EQ(Text("hsetex h exat 1700000002 fields 1 b 8"), "1");
  EXPECT_EQ(Text("hsetex h pxat 1700000000003 fields 1 c 9"), "1");
  EXPECT_EQ(Text("hpttl h fields 3 a b c"), "[1000, 2000, 3]");
  EXPECT_EQ(Text("hmget h a b c"), "[7, 8, 9]");
}

TEST_F(HashDeadlines, HSetExAsksForAllOrNoneOfTheFields) {
  EXPECT_EQ(Text("hsetex h fxx fields 1 a 1"), "0");
  EXPECT_EQ(Text("hlen h"), "0");
  EXPECT_EQ(Text("hsetex h fnx fields 1 a 1"), "1");
  EXPECT_EQ(Text("hsetex h fnx fields 2 b 1 a 2"), "0");
  EXPECT_EQ(events(), Events{});
  EXPECT_EQ(Text("hsetex h fxx fields 2 a 2 b 2"), "0");
  EXPECT_EQ(Text("hgetall h"), "[a, 1]");
  EXPECT_EQ(Text("hsetex h fxx px 10 fields 1 a 3"), "1");
  Advance(10);
  EXPECT_EQ(Text("hsetex h fxx fields 1 a 4"), "0");
  EXPECT_EQ(Text("hsetex h ex 9 fnx fields 1 a 5"), "1");
  EXPECT_EQ(Text("hget h a"), "5");
}

TEST_F(HashDeadlines, HSetExWithAPastInstantRemoves) {
  Text("hset h a 1 b 2");
  EXPECT_EQ(Text("hsetex h pxat 1 fields 2 a 5 c 6"), "1");
  EXPECT_EQ(events(), (Events{"h hset 0 h", "h hdel 0 h"}));
  EXPECT_EQ(Text("hgetall h"), "[b, 2]");
  EXPECT_EQ(Text("hsetex h ex 0 fields 1 b 5"), "1");
  EXPECT_EQ(events(), (Events{"h hset 0 h", "h hdel 0 h", "g del 0 h"}));
  EXPECT_EQ(Text("hlen h"), "0");
}

TEST_F(HashDeadlines, HSetExRefusesBadOptions) {
  const char* const kArity = "ERR wrong number of arguments for 'hsetex' command";
  EXPECT_EQ(Text("hsetex h fields 2 a 1"), kArity);
  EXPECT_EQ(Text("hsetex h fields 1 a 1 b"), kArity);
  EXPECT_EQ(Text("hsetex h fields 1 a 1 b 2"), kArity);
  EXPECT_EQ(Text("hsetex h fnx ex 5 fields 1 a"), kArity);
  EXPECT_EQ(Text("hsetex h fnx px 1 keepttl"),
            "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified");
  EXPECT_EQ(Text("hsetex h fields 0 a 1"), "ERR invalid number of fields");
  EXPECT_EQ(Text("hsetex h fields x a 1"), "ERR invalid number of fields");
  EXPECT_EQ(Text("hsetex h foo fields 1 a 1"), "ERR unknown argument: foo");
  EXPECT_EQ(Text("hsetex h fnx fxx fields 1 a 1"),
            "ERR Only one of FXX or FNX arguments can be specified");
  EXPECT_EQ(Text("hsetex h ex 1 px 1 fields 1 a 1"),
            "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified");
  EXPECT_EQ(Text("hsetex h fnx keepttl fxx1 ex"), "ERR unknown argument: fxx1");
  EXPECT_EQ(Text("hsetex h fnx fnx2 a b"), "ERR unknown argument: fnx2");
  EXPECT_EQ(Text("hsetex h ex -1 fields 1 a 1"), "ERR invalid expire time, must be >= 0");
  EXPECT_EQ(Text("hlen h"), "0");
}

}  // namespace
}  // namespace mayfly::server
