// Goal: RESTORE recreates the value that was dumped, of every type, deadlines of fields included.
// Method: dump, restore under another name, compare; damage; a manual clock around deadlines.
#include <gtest/gtest.h>

#include "server/dump/dump_payload.h"
#include "small_collections.h"

namespace mayfly::server {
namespace {

class DumpCommands : public testing::Test {
 protected:
  std::string Text(const std::string& line) { return tester_->Text(line); }
  std::string Dump(const std::string& key) { return tester_->Run("DUMP " + key).text(); }
  std::string Restore(const std::string& key, const std::string& payload,
                      const std::string& ttl = "0") {
    return TextOf(tester_->RunArgs({"RESTORE", key, ttl, payload}));
  }

  const std::unique_ptr<CommandTester> tester_ = NewDataTester();
};

TEST_F(DumpCommands, BringEveryTypeBack) {
  Text("SET text hello");
  Text("RPUSH list a 1 \"\"");
  Text("HSET hash f v g 17");
  Text("SADD set x y 5");
  Text("ZADD zset 1.5 m -inf n");
  for (const std::string key : {"text", "list", "hash", "set", "zset"}) {
    EXPECT_EQ(Restore(key + "2", Dump(key)), "OK");
    EXPECT_EQ(Text("TYPE " + key + "2"), Text("TYPE " + key));
  }
  EXPECT_EQ(Text("GET text2"), "hello");
  EXPECT_EQ(Text("LALL list2"), "[a, 1, ]");
  EXPECT_EQ(Text("HGET hash2 g"), "17");
  EXPECT_EQ(Text("SCARD set2"), "3");
  EXPECT_EQ(Text("ZSCORE zset2 m"), "1.5");
  EXPECT_EQ(Text("ZSCORE zset2 n"), "-inf");
}

TEST_F(DumpCommands, ReplaceWhateverWasThere) {
  Text("RPUSH list a b");
  Text("SET text x EX 100");
  const std::string payload = Dump("list");
  EXPECT_EQ(Restore("text", payload), "BUSYKEY Target key name already exists.");
  EXPECT_EQ(TextOf(tester_->RunArgs({"RESTORE", "text", "0", payload, "REPLACE"})), "OK");
  EXPECT_EQ(Text("LALL text"), "[a, b]");
  EXPECT_EQ(Text("TTL text"), "-1");
}

TEST_F(DumpCommands, GiveTheDeadlineThatIsAsked) {
  Text("RPUSH list a");
  EXPECT_EQ(Restore("copy", Dump("list"), "1000"), "OK");
  tester_->clock().Advance(Millis(999));
  EXPECT_EQ(Text("EXISTS copy"), "1");
  tester_->clock().Advance(Millis(1));
  EXPECT_EQ(Text("EXISTS copy"), "0");
  tester_->clock().Advance(Millis(1));
  EXPECT_EQ(Text("EXISTS copy"), "0");
}

TEST_F(DumpCommands, KeepTheDeadlinesOfFields) {
  const WallTime now = tester_->clock().Now();
  DumpedValue hash{.type = types::ValueType::kHash};
  // clang-format off
  hash.fields = {
      {"forever", "1", std::nullopt},
      {"mortal",  "2", now + Millis(1000)},
      {"dead",    "3", now},
  };
  // clang-format on
  EXPECT_EQ(Restore("hash", EncodeDump(hash)), "OK");
  EXPECT_EQ(Text("HGET hash dead"), "(nil)");
  EXPECT_EQ(Restore("copy", Dump("hash")), "OK");
  tester_->clock().Advance(Millis(999));
  EXPECT_EQ(Text("HGET copy mortal"), "2");
  tester_->clock().Advance(Millis(1));
  EXPECT_EQ(Text("HGET copy mortal"), "(nil)");
  EXPECT_EQ(Text("HGET copy forever"), "1");
}

TEST_F(DumpCommands, ThatFailLeaveTheOldValue) {
  Text("SET key old");
  std::string payload = Dump("key");
  payload[1] = 'x';
  EXPECT_EQ(TextOf(tester_->RunArgs({"RESTORE", "key", "0", payload, "REPLACE"})),
            "ERR DUMP payload version or checksum are wrong");
  EXPECT_EQ(Text("GET key"), "old");
}

}  // namespace
}  // namespace mayfly::server
