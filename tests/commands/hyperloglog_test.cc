// Goal: the commands on HyperLogLogs reply as Redis does, keep deadlines, and refuse other values.
// Method: replies on plain maps and a manual clock. The counts themselves are tried beside the
// registers, in types/hyperloglog, and beside redis-server, in tests/redis.
#include "commands/conversation.h"

namespace mayfly::server {
namespace {

class HyperLogLogs : public testing::Test {
 protected:
  CommandTester tester_{
      {HyperLogLogFamily(), StringFamily(), ListFamily(), KeyFamily(), ExpiryFamily()}};
};

constexpr char kNoHyperLogLog[] = "WRONGTYPE Key is not a valid HyperLogLog string value.";
constexpr char kDamaged[] = "INVALIDOBJ Corrupted HLL object detected";

TEST_F(HyperLogLogs, CountWhatIsAdded) {
  Converse(tester_, {{"PFCOUNT h", "0"},
                     {"PFADD h", "1"},
                     {"PFADD h", "0"},
                     {"PFCOUNT h", "0"},
                     {"PFADD h a b c", "1"},
                     {"PFADD h a b c", "0"},
                     {"PFCOUNT h", "3"},
                     {"PFADD h c d", "1"},
                     {"PFCOUNT h", "4"},
                     {"PFADD other d e", "1"},
                     {"PFCOUNT h other none", "5"},
                     {"PFMERGE all h other none", "OK"},
                     {"PFCOUNT all", "5"},
                     {"PFMERGE all", "OK"},
                     {"PFMERGE new", "OK"},
                     {"PFCOUNT all new", "5"}});
}

TEST_F(HyperLogLogs, TheEstimateIsKeptInTheValueUntilItIsOld) {
  Converse(tester_, {{"PFADD h a b c", "1"},
                     {"GETRANGE h 15 15", "\x80"},
                     {"PFCOUNT h", "3"},
                     {"GETRANGE h 8 8", "\x03"},
                     {"PFADD h a", "0"},
                     {"GETRANGE h 8 8", "\x03"},
                     {"PFADD h x", "1"},
                     {"GETRANGE h 15 15", "\x80"},
                     {"PFCOUNT h h", "4"}});
  // What is stored is believed, as in Redis.
  Converse(tester_, {{"PFCOUNT h", "4"},
                     {"SETRANGE h 8 9", std::to_string(tester_.Run("STRLEN h").integer())}});
  EXPECT_EQ(tester_.Text("PFCOUNT h"), "57");
}

TEST_F(HyperLogLogs, AChangeKeepsTheDeadline) {
  Converse(tester_, {{"PFADD h a", "1"}, {"PFADD h2 b", "1"}, {"PEXPIRE h 1000", "1"}});
  tester_.clock().Advance(Millis(400));
  Converse(tester_, {{"PFADD h b", "1"},
                     {"PTTL h", "600"},
                     {"PFCOUNT h", "2"},
                     {"PTTL h", "600"},
                     {"PFMERGE h h2", "OK"},
                     {"PFDEBUG TODENSE h", "1"},
                     {"PTTL h", "600"}});
  // One before the deadline, and on it.
  tester_.clock().Advance(Millis(599));
  Converse(tester_, {{"PFCOUNT h", "2"}, {"PFCOUNT h h2", "2"}});
  tester_.clock().Advance(Millis(1));
  Converse(tester_, {{"PFCOUNT h", "0"},
                     {"PFCOUNT h h2", "1"},
                     {"PFADD h a", "1"},
                     {"PTTL h", "-1"},
                     {"PFCOUNT h", "1"}});
}

TEST_F(HyperLogLogs, NotificationsAreRedis) {
  tester_.Text("PFADD h");
  EXPECT_EQ(tester_.notifications(), (Notes{"n new 0 h", "$ pfadd 0 h"}));
  tester_.Text("PFADD h a");
  EXPECT_EQ(tester_.notifications(), (Notes{"$ pfadd 0 h"}));
  tester_.Text("PFADD h a");
  EXPECT_EQ(tester_.notifications(), Notes{});
  tester_.Text("PFCOUNT h");
  EXPECT_EQ(tester_.notifications(), Notes{});
  tester_.Text("PFMERGE m h");
  EXPECT_EQ(tester_.notifications(), (Notes{"m keymiss 0 m", "n new 0 m", "$ pfadd 0 m"}));
}

TEST_F(HyperLogLogs, OtherValuesAreRefusedAndStayAsTheyAre) {
  Converse(tester_, {{"SET s text", "OK"}, {"RPUSH l a", "1"}, {"PFADD h a b c", "1"}});
  Refuse(
      tester_, kNoHyperLogLog,
      {"PFADD s a", "PFCOUNT s", "PFCOUNT h s", "PFMERGE s h", "PFMERGE h s", "PFDEBUG GETREG s"});
  Refuse(tester_, kWrongType, {"PFADD l a", "PFCOUNT l", "PFCOUNT h l", "PFMERGE h l"});
  EXPECT_EQ(tester_.Text("GET s"), "text");
  EXPECT_EQ(tester_.Text("PFCOUNT h"), "3");
}

TEST_F(HyperLogLogs, DamagedBytesAreRefusedAndStayAsTheyAre) {
  tester_.Text("PFADD good x");
  tester_.Text("PFADD h a b c");
  tester_.Text("APPEND h hello");
  const std::string damaged = tester_.Text("GET h");
  Refuse(tester_, kDamaged,
         {"PFCOUNT h", "PFCOUNT good h", "PFADD h d", "PFMERGE h good", "PFMERGE good h",
          "PFDEBUG GETREG h", "PFDEBUG DECODE h", "PFDEBUG TODENSE h"});
  EXPECT_EQ(tester_.Text("GET h"), damaged);
  EXPECT_EQ(tester_.Text("PFCOUNT good"), "1");
}

TEST_F(HyperLogLogs, GrowDenseAtTheSetting) {
  tester_.SetEncodingLimits({.sparse_hyperloglog_bytes = 40});
  for (int i = 0; i < 100; ++i) tester_.Text("PFADD h element-" + std::to_string(i));
  EXPECT_EQ(tester_.Text("PFDEBUG ENCODING h"), "dense");
  EXPECT_EQ(tester_.Text("STRLEN h"), "12304");
  EXPECT_EQ(tester_.Text("PFADD small a"), "1");
  EXPECT_EQ(tester_.Text("PFDEBUG ENCODING small"), "sparse");
  EXPECT_EQ(tester_.Text("PFMERGE small h"), "OK");
  EXPECT_EQ(tester_.Text("PFDEBUG ENCODING small"), "dense");
}

TEST_F(HyperLogLogs, DebugAndSelfTest) {
  Converse(tester_, {{"PFADD h a b c", "1"},
                     {"PFDEBUG DECODE h", "Z:8436 v:1,1 Z:4274 v:2,1 Z:3068 v:1,1 Z:603"},
                     {"PFDEBUG ENCODING h", "sparse"},
                     {"PFDEBUG TODENSE h", "1"},
                     {"PFDEBUG TODENSE h", "0"},
                     {"PFDEBUG DECODE h", "ERR HLL encoding is not sparse"},
                     {"PFDEBUG NOTHING h", "ERR Unknown PFDEBUG subcommand 'NOTHING'"},
                     {"PFDEBUG GETREG none", "ERR The specified key does not exist"},
                     {"PFSELFTEST", "OK"}});
  EXPECT_EQ(tester_.Run("PFDEBUG GETREG h").items().size(), 16384u);
}

}  // namespace
}  // namespace mayfly::server
