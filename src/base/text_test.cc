// Goal: letters and digits are those of ASCII, in any locale, and bytes survive hexadecimal text.
// Method: every byte against a table of ASCII.
#include "base/text.h"

#include <gtest/gtest.h>

namespace mayfly {
namespace {

constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";

std::string AllBytes() {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  return all;
}

// What the compiler can work out follows no locale. In Latin-1, \xc4 and \xe4 are one letter.
static_assert(ToLower('\xc4') == '\xc4' && ToUpper('\xe4') == '\xe4' && !IsLetter('\xe4'));

TEST(Text, CaseIsThatOfAscii) {
  for (const char c : AllBytes()) {
    const std::size_t upper = kUpper.find(c);
    const std::size_t lower = kLower.find(c);
    EXPECT_EQ(ToLower(c), upper == std::string_view::npos ? c : kLower[upper]);
    EXPECT_EQ(ToUpper(c), lower == std::string_view::npos ? c : kUpper[lower]);
    EXPECT_EQ(IsUpper(c), upper != std::string_view::npos);
    EXPECT_EQ(IsLower(c), lower != std::string_view::npos);
  }
}

TEST(Text, ComparesWithoutRegardToCase) {
  EXPECT_TRUE(EqualsIgnoringCase("", ""));
  EXPECT_TRUE(EqualsIgnoringCase("MaxMemory-1", "maxmemORY-1"));
  EXPECT_FALSE(EqualsIgnoringCase("max", "maxmemory"));
  EXPECT_FALSE(EqualsIgnoringCase("\xc4", "\xe4"));
  EXPECT_FALSE(EqualsIgnoringCase("@", "`"));  // 32 apart, as letters of one name are.
  EXPECT_EQ(ToLower("Get {X}"), "get {x}");
  EXPECT_EQ(ToUpper("Get {x}"), "GET {X}");
}

TEST(Text, EveryByteSurvivesHexadecimalText) {
  const std::string all = AllBytes();
  EXPECT_EQ(FromHex(ToHex(all)), all);
  EXPECT_EQ(FromHex(ToUpper(ToHex(all))), all);
  EXPECT_EQ(ToHex(Bytes("\x00\x7f\xff", 3)), "007fff");
  EXPECT_EQ(FromHex(""), "");
}

TEST(Text, RefusesWhatIsNotHexadecimal) {
  for (const char* const wrong : {"0", "000", "0g", "g0", "0x", " 0", "-1", "+1"}) {
    EXPECT_EQ(FromHex(wrong), std::nullopt) << wrong;
  }
  EXPECT_TRUE(IsLowerHexDigit('f'));
  EXPECT_FALSE(IsLowerHexDigit('F'));
  EXPECT_FALSE(IsLowerHexDigit('g'));
}

TEST(Text, AnEscapeHasTwoDigits) {
  std::string text = "a";
  AppendEscape(text, '\n');
  AppendEscape(text, '\xff');
  EXPECT_EQ(text, "a\\x0a\\xff");
}

}  // namespace
}  // namespace mayfly
