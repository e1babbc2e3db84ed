// Goal: INFO counts the keys that commands read as hits and misses, as Redis does.
// Method: a table of commands with their counts, on plain maps and on the core.
#include <gtest/gtest.h>

#include "small_collections.h"

namespace mayfly::server {
namespace {

struct Case {
  const char* line;
  const char* reads;  // Found/missed.
};

// The keys are s and t (strings), h, l, set, z. Keys a and b do not exist.
constexpr Case kReaders[] = {
    {"GET s", "1/0"},
    {"GET a", "0/1"},
    {"GET h", "1/0"},  // Refused, but exists.
    {"STRLEN a", "0/1"},
    {"GETRANGE s 0 1", "1/0"},
    {"GETBIT s 0", "1/0"},
    {"BITCOUNT a", "0/1"},
    {"BITFIELD_RO s GET u4 0", "1/0"},
    {"LCS s a", "1/1"},
    {"MGET s a t b", "2/2"},
    {"MGET s s a", "2/1"},  // Counted as often as it is named.
    {"EXISTS s s a", "2/1"},
    {"TOUCH s h a", "2/1"},
    {"TYPE l", "1/0"},
    {"TYPE a", "0/1"},
    {"TTL s", "1/0"},
    {"PEXPIRETIME a", "0/1"},
    {"DUMP s", "1/0"},
    {"DUMP l", "1/0"},
    {"DUMP z", "1/0"},
    {"DUMP a", "0/1"},
    {"HGET h f", "1/0"},        // The key exists,
    {"HGET h nothing", "1/0"},  // whatever is in it.
    {"HGET a f", "0/1"},
    {"HMGET h f g f", "1/0"},
    {"HGETALL h", "1/0"},
    {"HSCAN h 0", "1/0"},
    {"HTTL h FIELDS 1 f", "1/0"},
    {"HRANDFIELD h 2 WITHVALUES", "1/0"},
    {"LRANGE l 0 -1", "1/0"},
    {"LLEN a", "0/1"},
    {"LPOS l 1", "1/0"},
    {"SMEMBERS set", "1/0"},
    {"SISMEMBER a m", "0/1"},
    {"SRANDMEMBER set 5", "1/0"},
    {"SINTER set a b", "1/2"},
    {"SINTERCARD 2 set a", "1/1"},
    {"SDIFF set a", "1/1"},
    {"SUNION a b", "0/2"},
    {"ZSCORE z m", "1/0"},
    {"ZRANGE z 0 -1 WITHSCORES", "1/0"},
    {"ZCOUNT a 0 1", "0/1"},
    {"ZRANK z m", "1/0"},
    {"ZUNION 3 z set a", "2/1"},
    {"ZINTERCARD 2 z a", "1/1"},
    {"ZDIFF 2 z a WITHSCORES", "1/1"},
    {"ZRANDMEMBER z 3", "1/0"},
    {"OBJECT ENCODING s", "1/0"},
    {"OBJECT REFCOUNT a", "0/1"},
    {"SORT_RO l", "1/0"},
    {"SORT_RO l BY none_* GET got*", "1/0"},  // Keys that patterns lead to are not counted.
    {"SINTER set s a", "2/0"},                // It ended at the second, of another type.
};

constexpr Case kWritersThatRead[] = {
    {"BITFIELD s GET u4 0", "1/0"},  // It would write with SET alone.
    {"BITFIELD a GET u4 0", "0/1"},
    {"GETEX s EX 100", "1/0"},
    {"GETEX a", "0/1"},
    {"GETDEL t", "1/0"},
    {"GETDEL a", "0/1"},
    {"GETSET s 2", "1/0"},
    {"GETSET a 2", "0/1"},
    {"SET s 2 GET", "1/0"},
    {"SET a 2 EX 10 GET", "0/1"},
    {"SORT l STORE s", "1/0"},
    {"SORT a STORE s", "0/1"},
    {"COPY s a", "1/0"},
    {"COPY a s", "0/1"},
    {"BITOP AND s t a b", "1/2"},
    {"BITOP NOT a a", "0/1"},
    {"SINTERSTORE s set a", "1/1"},
    {"SUNIONSTORE a set set", "2/0"},
    {"SDIFFSTORE set set a", "1/1"},
    {"ZUNIONSTORE s 2 z a", "1/1"},
    {"ZINTERSTORE z 2 z set", "2/0"},
    {"ZDIFFSTORE a 1 b", "0/1"},
    {"ZRANGESTORE a z 0 -1", "1/0"},
    {"ZRANGESTORE s a 0 -1", "0/1"},
};

constexpr Case kOthers[] = {
    {"SET s 1", "0/0"},
    {"SET get get", "0/0"},  // Words that are no option.
    {"SET a 1 NX", "0/0"},
    {"SETNX s 1", "0/0"},
    {"MSET s 1 a 2", "0/0"},
    {"DEL s a", "0/0"},
    {"UNLINK s a", "0/0"},
    {"INCR s", "0/0"},
    {"APPEND a 1", "0/0"},
    {"EXPIRE s 10", "0/0"},
    {"PERSIST a", "0/0"},
    {"RENAME s a", "0/0"},
    {"HSET h f 2", "0/0"},
    {"HDEL a f", "0/0"},
    {"RPUSH a 1", "0/0"},
    {"LPOP l", "0/0"},
    {"BLPOP a b 0", "0/0"},
    {"SADD set m", "0/0"},
    {"SPOP a", "0/0"},
    {"SMOVE set a m", "0/0"},
    {"ZADD z 1 n", "0/0"},
    {"ZPOPMIN a", "0/0"},
    {"BITFIELD s SET u4 0 1", "0/0"},
    {"MEMORY USAGE l", "0/0"},
    {"RANDOMKEY", "0/0"},
    {"KEYS *", "0/0"},
    {"SCAN 0", "0/0"},
    {"DBSIZE", "0/0"},
    {"GET", "0/0"},
    {"SINTERCARD 9 set a", "0/0"},
};

class KeyReads : public testing::TestWithParam<CommandTester::Rows> {
 protected:
  // Each on rows of its own.
  template <std::size_t kCount>
  void Check(const Case (&cases)[kCount]) {
    for (const Case& one : cases) {
      const auto tester = NewRows();
      tester->Text(one.line);
      EXPECT_EQ(tester->reads(), one.reads) << one.line;
    }
  }

  std::unique_ptr<CommandTester> NewRows() {
    auto tester = NewDataTester(GetParam());
    for (const char* line : {"SET s 1", "SET t 2", "HSET h f 1 g 2", "RPUSH l 1 2", "SADD set m n",
                             "ZADD z 1 m 2 o"}) {
      tester->Text(line);
    }
    return tester;
  }
};

TEST_P(KeyReads, WhatReadsCountsEachKeyItNamesOnce) { Check(kReaders); }

TEST_P(KeyReads, WhatWritesCountsWhatItReads) { Check(kWritersThatRead); }

TEST_P(KeyReads, NothingElseCounts) { Check(kOthers); }

TEST_P(KeyReads, ADeadKeyIsMissed) {
  const auto tester = NewRows();
  tester->Text("PEXPIRE s 10");
  for (const auto& [ms, reads] : {std::pair(9, "1/0"), std::pair(1, "0/1"), std::pair(1, "0/1")}) {
    tester->clock().Advance(Millis(ms));
    tester->Text("GET s");
    EXPECT_EQ(tester->reads(), reads);
  }
}

INSTANTIATE_TEST_SUITE_P(OnBoth, KeyReads,
                         testing::Values(CommandTester::Rows::kPlainMaps,
                                         CommandTester::Rows::kDatabase),
                         [](const auto& rows) {
                           return rows.param == CommandTester::Rows::kDatabase ? "Core" : "Plain";
                         });

}  // namespace
}  // namespace mayfly::server
