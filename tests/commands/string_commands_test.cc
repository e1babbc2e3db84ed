// Goal: bounds and failures of commands on strings: values too long, and no partial effects.
// Method: values around the limit, commands that fail after their first write.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/commands/support/string_rows.h"
#include "small_collections.h"

namespace mayfly::server {
namespace {

constexpr const char* kTooLong = "ERR string exceeds maximum allowed size (proto-max-bulk-len)";

class StringCommands : public testing::Test {
 protected:
  std::string Text(const std::string& line) { return tester_->Text(line); }

  const std::unique_ptr<CommandTester> tester_ = NewDataTester();
};

TEST_F(StringCommands, GrowToTheLimitAndNoFurther) {
  EXPECT_EQ(Text(fmt::format("SETRANGE key {} ab", types::kStringBytesMax - 1)), kTooLong);
  EXPECT_EQ(Text("SETRANGE key 9223372036854775807 a"), kTooLong);
  EXPECT_EQ(Text("EXISTS key"), "0");
  EXPECT_EQ(Text(fmt::format("SETBIT key {} 1", types::kStringBytesMax * 8)),
            "ERR bit offset is not an integer or out of range");
  EXPECT_EQ(Text(fmt::format("BITFIELD key SET u8 {} 1", types::kStringBytesMax * 8 - 1)),
            kTooLong);
  EXPECT_EQ(Text(fmt::format("SETRANGE key {} a", types::kStringBytesMax - 1)),
            std::to_string(types::kStringBytesMax));
  EXPECT_EQ(Text("APPEND key a"), kTooLong);
  EXPECT_EQ(Text("STRLEN key"), std::to_string(types::kStringBytesMax));
}

TEST_F(StringCommands, MSetThatFailsWritesNothingAndTellsOfNothing) {
  // A key that is too long is refused by the store, after the first one was written.
  const Reply refused = tester_->RunArgs({"MSET", "a", "1", std::string(100'000, 'k'), "2"});
  EXPECT_TRUE(TextOf(refused).starts_with("ERR ")) << TextOf(refused);
  for (const std::string& told : tester_->notifications()) {
    EXPECT_FALSE(told.starts_with("$ set")) << told;  // The host drops them when a command fails.
  }
  EXPECT_EQ(Text("GET a"), "(nil)");
}

TEST_F(StringCommands, LcsRefusesATableThatWouldNotFit) {
  tester_->RunArgs({"MSET", "a", std::string(20'000, 'a'), "b", std::string(20'000, 'b')});
  EXPECT_EQ(Text("LCS a b"),
            "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len");
}

TEST_F(StringCommands, TheLastBitIsThatOfRedis) {
  EXPECT_EQ(Text("GETBIT none 4294967295"), "0");
  EXPECT_EQ(Text("GETBIT none 4294967296"), "ERR bit offset is not an integer or out of range");
  EXPECT_EQ(Text("SETBIT none 4294967296 1"), "ERR bit offset is not an integer or out of range");
  EXPECT_EQ(Text("SETBIT none 4294967295 1"), "0");
  EXPECT_EQ(Text("GETBIT none 4294967295"), "1");
}

TEST_F(StringCommands, GetExThatFailsChangesNothing) {
  Text("SET key v EX 100");
  EXPECT_EQ(Text("GETEX key EX 0"), "ERR invalid expire time in 'getex' command");
  EXPECT_EQ(Text("TTL key"), "100");
}

}  // namespace
}  // namespace mayfly::server
