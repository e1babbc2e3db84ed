// Goal: notifications of class m for every key that a command wanted to read and did not find.
// Method: commands on an empty database, with one existing key.
#include <gtest/gtest.h>

#include "small_collections.h"

namespace mayfly::server {
namespace {

using Lines = std::vector<std::string>;

class KeyMisses : public testing::Test {
 protected:
  KeyMisses() { tester_->Text("SET here 1"); }
  Lines Told(const std::string& line) {
    tester_->Text(line);
    Lines misses;
    for (const std::string& told : tester_->notifications()) {
      if (told.starts_with("m ")) misses.push_back(told);
    }
    return misses;
  }

  const std::unique_ptr<CommandTester> tester_ = NewDataTester();
};

TEST_F(KeyMisses, EveryReadTells) {
  for (const char* line :
       {"GET a",       "STRLEN a",   "GETRANGE a 0 1", "GETBIT a 0", "BITCOUNT a",
        "MGET here a", "HGET a f",   "HGETALL a",      "HSCAN a 0",  "LRANGE a 0 1",
        "LLEN a",      "SMEMBERS a", "SISMEMBER a m",  "ZSCORE a m", "ZRANGE a 0 1",
        "EXISTS a",    "TTL a",      "TYPE a",         "TOUCH a",    "DUMP a",
        "SORT_RO a"}) {
    EXPECT_EQ(Told(line), (Lines{"m keymiss 0 a"})) << line;
  }
  EXPECT_EQ(Told("SINTER a b"), (Lines{"m keymiss 0 a", "m keymiss 0 b"}));
}

TEST_F(KeyMisses, WhatIsThereIsNotTold) {
  EXPECT_EQ(Told("GET here"), Lines());
  EXPECT_EQ(Told("HGET here f"), Lines());  // Refused, but exists.
}

TEST_F(KeyMisses, ADeadKeyIsNotThere) {
  EXPECT_EQ(tester_->Text("SET a 1 PX 10"), "OK");
  tester_->clock().Advance(Millis(9));
  EXPECT_EQ(Told("GET a"), Lines());
  tester_->clock().Advance(Millis(1));
  EXPECT_EQ(Told("GET a"), (Lines{"m keymiss 0 a"}));
}

TEST_F(KeyMisses, WritesTellOfWhatTheyRead) {
  EXPECT_EQ(Told("SET a 1"), Lines());
  EXPECT_EQ(Told("DEL b"), Lines());
  EXPECT_EQ(Told("INCR c"), Lines());
  EXPECT_EQ(Told("GETEX d"), (Lines{"m keymiss 0 d"}));
  EXPECT_EQ(Told("GETDEL d"), (Lines{"m keymiss 0 d"}));
  EXPECT_EQ(Told("GETSET e 1"), (Lines{"m keymiss 0 e"}));
  EXPECT_EQ(Told("SET f 1 GET"), (Lines{"m keymiss 0 f"}));
  EXPECT_EQ(Told("SINTERSTORE g h"), (Lines{"m keymiss 0 h"}));
}

TEST_F(KeyMisses, LookingIsNotReading) {
  EXPECT_EQ(Told("OBJECT ENCODING a"), Lines());
  EXPECT_EQ(Told("MEMORY USAGE a"), Lines());
}

}  // namespace
}  // namespace mayfly::server
