// Goal: a long string that was written in part is a string for every command, and replies as a
// short one would. Method: each command that reads or writes strings, on one in chunks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conversation.h"
#include "small_collections.h"
#include "types/string.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kSize = 100'000;
static_assert(kSize > types::kWholeStringBytesMax);

class LargeStrings : public testing::Test {
 protected:
  // 'a' all through but for "xyz" at 50,000.
  LargeStrings() {
    Expect("SETRANGE key 0 " + std::string(kSize, 'a'), std::to_string(kSize));
    Expect("SETRANGE key 50000 xyz", std::to_string(kSize));
    whole_ = std::string(kSize, 'a');
    whole_.replace(50'000, 3, "xyz");
  }

  void Expect(const std::string& line, const std::string& reply) {
    const std::string said = tester_->Text(line);
    EXPECT_TRUE(said == reply) << line.substr(0, 80) << " said " << said.substr(0, 80);
  }
  const std::unique_ptr<CommandTester> tester_ = NewDataTester();
  std::string whole_;
};

TEST_F(LargeStrings, AreStrings) {
  Expect("TYPE key", "string");
  Expect("OBJECT ENCODING key", "raw");
  Expect("EXISTS key", "1");
  Expect("HSET key f v", kWrongType);
  Expect("SADD key m", kWrongType);
  Expect("RPUSH key e", kWrongType);
  Expect("INCR key", kNotAnInteger);
}

TEST_F(LargeStrings, AreReadWholeAndInPart) {
  Expect("GET key", whole_);
  Expect("STRLEN key", std::to_string(kSize));
  Expect("GETRANGE key 49999 50003", "axyza");
  Expect("GETRANGE key -3 -1", "aaa");
  Expect("GETRANGE key 4095 4096", "aa");
  Expect("SUBSTR key 0 -1", whole_);
  EXPECT_EQ(TextsOf(*tester_, "MGET key"), std::vector<std::string>{whole_});
  Expect("GETEX key PERSIST", whole_);
}

TEST_F(LargeStrings, ChangeInPart) {
  Expect("APPEND key !", std::to_string(kSize + 1));
  Expect("GETRANGE key -2 -1", "a!");
  Expect("SETRANGE key 4094 12345", std::to_string(kSize + 1));
  Expect("GETRANGE key 4093 4099", "a12345a");
  Expect("SETRANGE key 200000 end", "200003");
  Expect(fmt::format("BITCOUNT key {} 199999", kSize + 1), "0");
  Expect("GETRANGE key 200000 -1", "end");
}

TEST_F(LargeStrings, AreBitmaps) {
  Expect("GETBIT key 400007", "0");  // The last bit of 'x', 0x78.
  Expect("SETBIT key 400007 1", "0");
  Expect("GETRANGE key 50000 50000", "y");
  Expect("SETBIT key 400007 0", "1");
  Expect("BITCOUNT key", std::to_string(3 * (kSize - 3) + 4 + 5 + 5));
  Expect("BITCOUNT key 50000 50002", "14");
  Expect("BITCOUNT key 400000 400007 BIT", "4");
  Expect("BITPOS key 1 50000", "400001");
  Expect("BITPOS key 0 50000 50000", "400000");
  Expect("BITFIELD key GET u8 #50000 SET u8 #50001 65 INCRBY u8 #50002 1", "[120, 121, 123]");
  Expect("GETRANGE key 50000 50002", "xA{");
  Expect("BITOP NOT target key", std::to_string(kSize));
  Expect("BITCOUNT target 0 0", "5");
}

TEST_F(LargeStrings, AreCopiedDumpedAndSorted) {
  Expect("COPY key copy", "1");
  Expect("SETRANGE copy 0 b", std::to_string(kSize));
  Expect("GETRANGE key 0 0", "a");
  Expect("RENAME copy moved", "OK");
  Expect("GETRANGE moved 0 1", "ba");
  const Reply dumped = tester_->Run("DUMP key");
  EXPECT_EQ(TextOf(tester_->RunArgs({"RESTORE", "restored", "0", dumped.text()})), "OK");
  Expect("GET restored", whole_);
  Expect("RPUSH list 1", "1");
  Expect("RENAME key w_1", "OK");
  EXPECT_EQ(TextsOf(*tester_, "SORT list GET w_*"), std::vector<std::string>{whole_});
  Expect("LCS w_1 none LEN", "0");
}

TEST_F(LargeStrings, AreReplacedAndDeletedAsAWhole) {
  Expect("GETSET key short", whole_);
  Expect("GET key", "short");
  Expect("SETRANGE key 70000 x", "70001");
  Expect("SET key other GET", std::string("short") + std::string(69'995, '\0') + "x");
  Expect("SETRANGE key 70000 x", "70001");
  Expect("GETDEL key", std::string("other") + std::string(69'995, '\0') + "x");
  Expect("EXISTS key", "0");
}

// Longer than a row can be: it is stored in chunks, which no command shows.
TEST_F(LargeStrings, AreWrittenWholeBeyondTheLengthOfARow) {
  std::string value(core::kValueBytesMax + 1, 'v');
  value.back() = 'e';
  Expect("SET key " + value + " EX 100", "OK");
  Expect("STRLEN key", std::to_string(value.size()));
  Expect("TTL key", "100");
  Expect("GETRANGE key -2 -1", "ve");
  EXPECT_TRUE(tester_->Text("GET key") == value);
  Expect("SET key short", "OK");
  Expect("GET key", "short");
}

TEST_F(LargeStrings, KeepTheirDeadline) {
  Expect("EXPIRE key 100", "1");
  Expect("APPEND key x", std::to_string(kSize + 1));
  Expect("TTL key", "100");
  Expect("PERSIST key", "1");
  Expect("TTL key", "-1");
  Expect("EXPIRE key -1", "1");
  Expect("EXISTS key", "0");
  Expect("GETRANGE key 0 -1", "");
}

}  // namespace
}  // namespace mayfly::server
