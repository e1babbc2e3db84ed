// Goal: which commands set, keep, move and remove deadlines; and what is visible around them.
// Method: a manual clock, at the millisecond before a deadline, on it, and after it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "small_collections.h"

namespace mayfly::server {
namespace {

class Deadline : public testing::Test {
 protected:
  std::string Text(const std::string& line) { return tester_->Text(line); }
  void Pass(std::int64_t ms) { tester_->clock().Advance(Millis(ms)); }
  std::int64_t now() const { return ToMs(tester_->clock().Now()); }

  // A key that has 1000 ms to live.
  void PutMortal() { ASSERT_EQ(Text("SET key 1 PX 1000"), "OK"); }
  void ExpectDiesAfter(std::int64_t ms) {
    Pass(ms - 1);
    EXPECT_EQ(Text("EXISTS key"), "1") << "a millisecond before";
    EXPECT_EQ(Text("PTTL key"), "1");
    Pass(1);
    EXPECT_EQ(Text("EXISTS key"), "0") << "at the deadline";
    EXPECT_EQ(Text("PTTL key"), "-2");
    Pass(1);
    EXPECT_EQ(Text("EXISTS key"), "0") << "a millisecond after";
  }

  const std::unique_ptr<CommandTester> tester_ = NewDataTester();
};

TEST_F(Deadline, EveryWayToSetOneIsExact) {
  const std::string ways[] = {"SET key 1 PX 2000", "SET key 1 EX 2",
                              fmt::format("SET key 1 PXAT {}", now() + 2000), "PSETEX key 2000 1",
                              "SETEX key 2 1"};
  for (const std::string& way : ways) {
    SCOPED_TRACE(way);
    tester_->clock().Set(WallTimeFromMs(1'700'000'000'000));
    ASSERT_EQ(Text(way), "OK");
    ExpectDiesAfter(2000);
  }
}

TEST_F(Deadline, EveryWayToChangeOneIsExact) {
  for (const std::string way : {"PEXPIRE key 2000", "EXPIRE key 2", "GETEX key PX 2000"}) {
    SCOPED_TRACE(way);
    PutMortal();
    ASSERT_EQ(Text(way), "1");
    ExpectDiesAfter(2000);
  }
  PutMortal();
  ASSERT_EQ(Text(fmt::format("PEXPIREAT key {}", now() + 2000)), "1");
  ExpectDiesAfter(2000);
}

TEST_F(Deadline, IsKeptByChangesOfAPart) {
  for (const std::string change :
       {"INCR key", "DECRBY key 5", "INCRBYFLOAT key 1.5", "APPEND key 0", "SETRANGE key 0 7",
        "SETBIT key 1 1", "BITFIELD key SET u8 0 49", "SET key 5 KEEPTTL"}) {
    SCOPED_TRACE(change);
    PutMortal();
    tester_->Run(change);
    EXPECT_EQ(Text("PTTL key"), "1000");
    ExpectDiesAfter(1000);
  }
}

TEST_F(Deadline, MayBeTheLastInstant) {
  ASSERT_EQ(Text("SET key 1 PXAT 9223372036854775807"), "OK");
  EXPECT_EQ(Text("PEXPIRETIME key"), "9223372036854775807");
  EXPECT_EQ(Text("EXPIRETIME key"), "9223372036854776");
  EXPECT_EQ(Text("PEXPIREAT key 4102444800499"), "1");
  EXPECT_EQ(Text("EXPIRETIME key"), "4102444800");
  EXPECT_EQ(Text("PEXPIREAT key 4102444800500"), "1");
  EXPECT_EQ(Text("EXPIRETIME key"), "4102444801");
}

TEST_F(Deadline, IsLostToANewValue) {
  for (const std::string write : {"SET key 2", "GETSET key 2", "MSET key 2", "BITOP NOT key key"}) {
    SCOPED_TRACE(write);
    PutMortal();
    tester_->Run(write);
    EXPECT_EQ(Text("PTTL key"), "-1");
  }
}

TEST_F(Deadline, ComesAlongWithTheKey) {
  PutMortal();
  EXPECT_EQ(Text("COPY key copy"), "1");
  EXPECT_EQ(Text("RENAME key other"), "OK");
  EXPECT_EQ(Text("MOVE copy 3"), "1");
  EXPECT_EQ(Text("PTTL other"), "1000");
  tester_->SelectDatabase(3);
  EXPECT_EQ(Text("PTTL copy"), "1000");
  Pass(999);
  EXPECT_EQ(Text("EXISTS copy"), "1");
  Pass(1);
  EXPECT_EQ(Text("EXISTS copy"), "0");
}

TEST_F(Deadline, OfACopyIsItsOwn) {
  ASSERT_EQ(Text("RPUSH key a b"), "2");
  EXPECT_EQ(Text("PEXPIRE key 1000"), "1");
  EXPECT_EQ(Text("COPY key copy"), "1");
  EXPECT_EQ(Text("PERSIST copy"), "1");
  ExpectDiesAfter(1000);
  EXPECT_EQ(Text("LALL copy"), "[a, b]");
}

TEST_F(Deadline, TtlRoundsHalfASecondUp) {
  PutMortal();
  EXPECT_EQ(Text("TTL key"), "1");
  Pass(499);
  EXPECT_EQ(Text("TTL key"), "1") << "501 ms left";
  Pass(1);
  EXPECT_EQ(Text("TTL key"), "1") << "500 ms left";
  Pass(1);
  EXPECT_EQ(Text("TTL key"), "0") << "499 ms left";
}

TEST_F(Deadline, OfTheDeadDoesNotCount) {
  PutMortal();
  Pass(1000);
  EXPECT_EQ(Text("SET key 2 XX"), "(nil)");
  EXPECT_EQ(Text("SETNX key 2"), "1");
  EXPECT_EQ(Text("PTTL key"), "-1");
  PutMortal();
  Pass(1000);
  EXPECT_EQ(Text("INCR key"), "1") << "from nothing";
  EXPECT_EQ(Text("PTTL key"), "-1");
  PutMortal();
  Pass(1000);
  EXPECT_EQ(Text("PEXPIRE key 5"), "0");
  EXPECT_EQ(Text("DEL key"), "0");
  EXPECT_EQ(Text("RENAME key other"), "ERR no such key");
  EXPECT_EQ(Text("KEYS *"), "[]");
  EXPECT_EQ(Text("DBSIZE"), "0");
  EXPECT_EQ(Text("TYPE key"), "none");
}

TEST_F(Deadline, GtAndLtCompareWithTheOldOneToTheMillisecond) {
  PutMortal();
  EXPECT_EQ(Text("PEXPIRE key 999 GT"), "0");
  EXPECT_EQ(Text("PEXPIRE key 1000 GT"), "0");
  EXPECT_EQ(Text("PEXPIRE key 1001 GT"), "1");
  EXPECT_EQ(Text("PEXPIRE key 1002 LT"), "0");
  EXPECT_EQ(Text("PEXPIRE key 1001 LT"), "0");
  EXPECT_EQ(Text("PEXPIRE key 1000 LT"), "1");
  ExpectDiesAfter(1000);
}

TEST_F(Deadline, ThatHasPassedDeletes) {
  for (const std::int64_t ms : {now() - 1, now()}) {
    PutMortal();
    EXPECT_EQ(Text(fmt::format("PEXPIREAT key {}", ms)), "1");
    EXPECT_EQ(tester_->notifications(), (std::vector<std::string>{"g del 0 key"}));
    EXPECT_EQ(Text("EXISTS key"), "0");
  }
  PutMortal();
  EXPECT_EQ(Text(fmt::format("PEXPIREAT key {}", now() + 1)), "1");
  EXPECT_EQ(tester_->notifications(), (std::vector<std::string>{"g expire 0 key"}));
  EXPECT_EQ(Text("EXISTS key"), "1");
}

TEST_F(Deadline, IsTakenAwayByPersist) {
  PutMortal();
  EXPECT_EQ(Text("PERSIST key"), "1");
  Pass(1000);
  EXPECT_EQ(Text("GET key"), "1");
}

}  // namespace
}  // namespace mayfly::server
