// Goal: patterns match what they match in Redis 7.0, in bounded time.
// Method: a table; patterns that take a naive matcher years.
#include "base/glob.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mayfly {
namespace {

struct Case {
  std::string pattern;
  std::vector<std::string> matches;
  std::vector<std::string> others;
};

const std::vector<Case> kCases = {
    {"", {""}, {"a"}},
    {"a", {"a"}, {"", "b", "aa", "A"}},
    {"*", {"a", "abc", "*"}, {""}},
    {"**", {"a"}, {""}},
    {"?", {"a", "\xff"}, {"", "ab"}},
    {"h?llo", {"hello", "hallo"}, {"hllo", "heello"}},
    {"h*llo", {"hllo", "heeello"}, {"hell", "llo"}},
    {"a*", {"a", "ab"}, {"", "ba"}},
    {"a**", {"a", "ab"}, {"b"}},
    {"*a", {"a", "ba", "aa"}, {"", "ab"}},
    {"*a*", {"a", "bab"}, {"b", ""}},
    {"*?", {"a", "ab"}, {""}},
    {"a*b*c", {"abc", "aXbYc", "abbcc"}, {"acb", "ab"}},
    {"*ab", {"aab", "abab"}, {"aba"}},
    {"h[ae]llo", {"hello", "hallo"}, {"hillo", "hllo"}},
    {"h[^e]llo", {"hallo", "h^llo"}, {"hello", "hllo"}},
    {"h[a-c]llo", {"hallo", "hbllo", "hcllo"}, {"hdllo", "h-llo"}},
    {"[c-a]", {"a", "b", "c"}, {"d"}},
    {"[a-]", {"a", "]", "^"}, {"-", "b"}},  // The range is from 'a' to ']'.
    {"[-a]", {"-", "a"}, {"b"}},
    {"[\\a-z]", {"a", "-", "z"}, {"b", "\\"}},
    {"[\\]]", {"]"}, {"\\"}},
    {"[\\\\]", {"\\"}, {"]"}},
    {"[]a]", {}, {"]", "a", "a]"}},
    {"[^]", {"a", "]"}, {""}},
    {"[a", {"a"}, {"b", "["}},
    {"[a-", {"a", "-"}, {"b"}},
    {"[", {}, {"[", "a"}},
    {"[^", {"a", "^"}, {"", "ab"}},
    {"[\\", {"\\"}, {"a"}},
    {"[a^]", {"a", "^"}, {"b"}},
    {"[\x80-\xff]", {"\x80", "\xc3", "\xff"}, {"a", "\x7f"}},
    {"\\*", {"*"}, {"a", "\\*"}},
    {"\\?\\[\\\\", {"?[\\"}, {"a[\\"}},
    {"a\\", {"a\\"}, {"a"}},
    {"a]b", {"a]b"}, {"ab"}},
    {"*[a-c]*", {"xbx", "c"}, {"xdx"}},
    {"*\\*", {"*", "a*"}, {"a"}},
};

TEST(Glob, MatchesAsRedisDoes) {
  for (const Case& c : kCases) {
    for (const std::string& text : c.matches) {
      EXPECT_TRUE(GlobMatches(c.pattern, text)) << c.pattern << " on " << text;
    }
    for (const std::string& text : c.others) {
      EXPECT_FALSE(GlobMatches(c.pattern, text)) << c.pattern << " on " << text;
    }
  }
}

TEST(Glob, DisregardsCaseWhenAsked) {
  const auto matches = [](Bytes pattern, Bytes text) {
    return GlobMatches(pattern, text, GlobCase::kInsensitive);
  };
  EXPECT_TRUE(matches("MaxMemory*", "maxmemory-policy"));
  EXPECT_TRUE(matches("*MEMORY", "maxmemory"));
  EXPECT_TRUE(matches("[a-c]X", "Bx"));
  EXPECT_TRUE(matches("[A-C]", "b"));
  EXPECT_TRUE(matches("[ABC]", "b"));
  EXPECT_TRUE(matches("\\A", "a"));
  EXPECT_FALSE(matches("[\\A]", "a")) << "an escaped letter in a class keeps its case";
  EXPECT_FALSE(matches("[Z-a]", "z")) << "folded, the range ends before it begins";
  EXPECT_FALSE(matches("[", "{")) << "only letters have a case";
}

TEST(Glob, TakesBytesOfAnyValue) {
  const std::string text("a\0b\xff", 4);
  EXPECT_TRUE(GlobMatches(std::string("a\0*", 3), text));
  EXPECT_TRUE(GlobMatches("a?b?", text));
  EXPECT_FALSE(GlobMatches("a", text));
}

TEST(Glob, IsNotSlowedDownByStars) {
  std::string pattern;
  for (int i = 0; i < 5000; ++i) pattern += "a*";
  const std::string text(20'000, 'a');
  EXPECT_TRUE(GlobMatches(pattern, text));
  EXPECT_FALSE(GlobMatches(pattern + "b", text));
  EXPECT_FALSE(GlobMatches(pattern + "b", text, GlobCase::kInsensitive));
  EXPECT_FALSE(GlobMatches("*a*a*a*a*a*a*a*a*a*a*a*a*[b-z]", text));
}

}  // namespace
}  // namespace mayfly
