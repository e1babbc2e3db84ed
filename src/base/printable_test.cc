// Bytes in messages can be read and are bounded.
#include "base/printable.h"

#include <gtest/gtest.h>

namespace mayfly {
namespace {

TEST(Printable, LeavesTextAndEscapesTheRest) {
  EXPECT_EQ(Printable("user:7 ~"), "user:7 ~");
  EXPECT_EQ(Printable(Bytes("\x00\xff\n\\", 4)), "\\x00\\xff\\x0a\\x5c");
  EXPECT_EQ(Printable(""), "");
}

TEST(Printable, CutsWhatIsTooLongAndSaysSo) {
  EXPECT_EQ(Printable("abcdef", 6), "abcdef");
  EXPECT_EQ(Printable("abcdefg", 6), "abcdef...");
}

TEST(Quoted, EscapesAsRedisDoes) {
  EXPECT_EQ(Quoted(""), "\"\"");
  EXPECT_EQ(Quoted("a \"b\"\\"), R"("a \"b\"\\")");
  EXPECT_EQ(Quoted(Bytes("\n\r\t\a\b\0\x1f\x7f\xff", 9)), R"("\n\r\t\a\b\x00\x1f\x7f\xff")");
}

}  // namespace
}  // namespace mayfly
