// Goal: a line of syntax becomes the arguments it means; a malformed one is refused.
// Method: lines of every form. Those of all commands are tried in tests/redis/command_docs_test.py.
#include "server/command/manual/command_manual.h"

#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

using Kind = SyntaxArgument::Kind;

std::string Shown(std::string_view syntax) {
  const auto parsed = ParseSyntax(syntax);
  return parsed ? ShowSyntax(*parsed) : "malformed";
}

TEST(CommandManual, ArgumentsHaveTypes) {
  const auto parsed = *ParseSyntax("key seconds:int ip:port weight:double... p:pattern t:time");
  ASSERT_EQ(parsed.size(), 6u);
  EXPECT_EQ(parsed[0].kind, Kind::kKey);
  EXPECT_EQ(parsed[1].kind, Kind::kInteger);
  EXPECT_EQ(parsed[1].name, "seconds");
  EXPECT_EQ(parsed[2].kind, Kind::kString);
  EXPECT_EQ(parsed[2].name, "ip:port");
  EXPECT_EQ(parsed[3].kind, Kind::kDouble);
  EXPECT_TRUE(parsed[3].repeated);
  EXPECT_EQ(parsed[4].kind, Kind::kPattern);
  EXPECT_EQ(parsed[5].kind, Kind::kTime);
  const auto no_key = *ParseSyntax("key:string");
  EXPECT_EQ(no_key[0].kind, Kind::kString);
  EXPECT_EQ(no_key[0].name, "key");
}

TEST(CommandManual, KeysBelongToTheirSpecifications) {
  const auto parsed = *ParseSyntax("destination:key key... [STORE target:key2]");
  EXPECT_EQ(parsed[0].key_spec, 0);
  EXPECT_EQ(parsed[0].name, "destination");
  EXPECT_EQ(parsed[1].key_spec, 1);
  EXPECT_EQ(parsed[2].key_spec, 2);
  EXPECT_EQ(parsed[2].token, "STORE");
  EXPECT_TRUE(parsed[2].optional);
}

TEST(CommandManual, WordsStandAloneOrInFrontOfWhatTheyNeed) {
  const auto parsed = *ParseSyntax("[sorting=ALPHA] LIMIT pair=(a:int b:int) COUNT n:int NX [x]");
  ASSERT_EQ(parsed.size(), 5u);
  EXPECT_EQ(parsed[0].kind, Kind::kWord);
  EXPECT_EQ(parsed[0].name, "sorting");
  EXPECT_EQ(parsed[0].token, "ALPHA");
  EXPECT_EQ(parsed[1].kind, Kind::kBlock);
  EXPECT_EQ(parsed[1].token, "LIMIT");
  EXPECT_EQ(parsed[1].parts.size(), 2u);
  EXPECT_EQ(parsed[2].name, "n");
  EXPECT_EQ(parsed[2].token, "COUNT");
  EXPECT_EQ(parsed[3].name, "nx");
  EXPECT_EQ(parsed[3].kind, Kind::kWord);
}

TEST(CommandManual, GroupsAreChoicesOrBlocks) {
  const auto parsed = *ParseSyntax("condition=[NX | XX] id=(auto=* | id) field_value=(f v)...");
  EXPECT_EQ(parsed[0].kind, Kind::kOneOf);
  EXPECT_TRUE(parsed[0].optional);
  EXPECT_EQ(parsed[1].parts[0].token, "*");
  EXPECT_FALSE(parsed[1].optional);
  EXPECT_EQ(parsed[2].kind, Kind::kBlock);
  EXPECT_TRUE(parsed[2].repeated);
  const auto pattern = *ParseSyntax("[GET pattern:pattern]+ only=[one]");
  EXPECT_TRUE(pattern[0].repeated && pattern[0].repeats_token && pattern[0].optional);
  EXPECT_EQ(pattern[1].kind, Kind::kBlock);
}

TEST(CommandManual, PeopleReadItWithoutTypes) {
  EXPECT_EQ(Shown("key value condition=[NX | XX] [GET] e=[EX seconds:int | KEEPTTL]"),
            "key value [NX | XX] [GET] [EX seconds | KEEPTTL]");
  EXPECT_EQ(Shown("key member=(score:double member)..."), "key (score member)...");
  EXPECT_EQ(Shown("key... c=[COUNT n:int [ANY]]"), "key... [COUNT n [ANY]]");
  EXPECT_EQ(Shown("trim=[s=(MAXLEN | MINID) o=[equal== | approximately=~] threshold]"),
            "[(MAXLEN | MINID) [= | ~] threshold]");
  EXPECT_EQ(Shown(""), "");
}

TEST(CommandManual, MalformedLinesAreRefused) {
  for (const char* line : {"(", "[a", "a)", "[]", "()", "[a | b c]", "[| a]", "name=", "x=(a b",
                           "((((((((((((((((((a))))))))))))))))))", "[a |]", "..=", "]"}) {
    EXPECT_EQ(Shown(line), "malformed") << line;
  }
}

}  // namespace
}  // namespace mayfly::server
