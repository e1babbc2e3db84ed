// Goal: lines are split as Redis splits them. Method: a table of lines.
#include "wire/inline_command.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mayfly {
namespace {

struct Line {
  std::string line;
  std::vector<std::string> args;
};

// clang-format off
const std::vector<Line> kGoodLines = {
    {"",                     {}},
    {" \t\v\f ",             {}},
    {"a",                    {"a"}},
    {" a  b\tc ",            {"a", "b", "c"}},
    {R"("")",                {""}},
    {R"('')",                {""}},
    {R"(a "" b)",            {"a", "", "b"}},
    {R"("a b" 'c d')",       {"a b", "c d"}},
    {R"("\n\r\t\b\a")",      {"\n\r\t\b\a"}},
    {R"("\x00\x7f\xFf")",    {std::string("\0\x7f\xff", 3)}},
    {R"("\x4" "\xg1" "\x")", {"x4", "xg1", "x"}},
    {R"("\"\\\q")",          {"\"\\q"}},
    {R"("it's" 'say "x"')",  {"it's", "say \"x\""}},
    {R"('it\'s' '\n\\ ')",   {"it's", R"(\n\\ )"}},
    {R"(a\nb \x41)",         {R"(a\nb)", R"(\x41)"}},
    {R"(foo"bar baz" x)",    {"foobar baz", "x"}},
    {R"(foo'bar baz')",      {"foobar baz"}},
    {"a\vb\fc",              {"a\vb\fc"}},
    {"\"a\"\vb",             {"a", "b"}},
    {"\xff\xfe \x01",        {"\xff\xfe", "\x01"}},
};
// clang-format on

const std::vector<std::string> kBadLines = {
    R"(")",      R"(')",    R"("a)",   R"('a)",    R"("a"b)",      R"('a'b)",  R"("a""b")",
    R"('a'"b")", R"("a\")", R"('a\')", R"('a\\')", R"(set k "v\)", R"(a b"c)",
};

TEST(InlineCommand, SplitsLinesAsRedisDoes) {
  for (const Line& good : kGoodLines) {
    std::string line = good.line;
    std::vector<Bytes> args;
    EXPECT_TRUE(SplitInlineCommand(line.data(), line.data() + line.size(), args)) << good.line;
    EXPECT_EQ(std::vector<std::string>(args.begin(), args.end()), good.args) << good.line;
  }
}

TEST(InlineCommand, RefusesQuotesThatDoNotCloseWell) {
  for (const std::string& bad : kBadLines) {
    std::string line = bad;
    std::vector<Bytes> args;
    EXPECT_FALSE(SplitInlineCommand(line.data(), line.data() + line.size(), args)) << bad;
  }
}

}  // namespace
}  // namespace mayfly
