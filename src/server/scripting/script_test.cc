// Goal: a script's name and first line are read as Redis 7.0 reads them.
// Method: a table of first lines, with the errors of the real server.
#include "server/scripting/script.h"

#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

TEST(Script, IsNamedByItsSha1) {
  EXPECT_EQ(Sha1Hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(ParseScript("return 1")->sha, "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
}

TEST(Script, WithoutAFirstLineDeclaresNothing) {
  const Result<Script> script = ParseScript("return 1");
  EXPECT_FALSE(script->flags.declared);
  EXPECT_EQ(script->body, "return 1");
}

TEST(Script, KeepsItsLinesNumbers) {
  const Result<Script> script = ParseScript("#!lua\nreturn 1");
  EXPECT_TRUE(script->flags.declared);
  EXPECT_EQ(script->body, "\nreturn 1");
  EXPECT_EQ(script->sha, Sha1Hex("#!lua\nreturn 1"));
}

TEST(Script, ReadsItsFlags) {
  const ScriptFlags some = ParseScript("#!lua flags=no-writes,allow-oom\nx")->flags;
  EXPECT_TRUE(some.no_writes);
  EXPECT_TRUE(some.allow_oom);
  EXPECT_FALSE(some.allow_stale);
  const ScriptFlags rest =
      ParseScript("#!lua flags=allow-stale,no-cluster  flags=allow-cross-slot-keys\nx")->flags;
  EXPECT_TRUE(rest.allow_stale);
  EXPECT_TRUE(rest.no_cluster);
  EXPECT_TRUE(rest.allow_cross_slot_keys);
  EXPECT_FALSE(rest.no_writes);
  EXPECT_FALSE(ParseScript("#!lua flags=\nx")->flags.no_writes);
}

TEST(Script, RefusesAMalformedFirstLine) {
  // clang-format off
  const std::pair<const char*, const char*> kTable[] = {
      {"#!lua flags=no-writes",     "Invalid script shebang"},
      {"#!python\nx",               "Unexpected engine in script shebang: #!python"},
      {"#! lua\nx",                 "Unexpected engine in script shebang: #!"},
      {"#!lua name=x\nx",           "Unknown lua shebang option: name=x"},
      {"#!lua flags=bad\nx",        "Unexpected flag in script shebang: bad"},
      {"#!lua flags=no-writes,\nx", "Unexpected flag in script shebang: "},
  };
  // clang-format on
  for (const auto& [text, error] : kTable) {
    const Result<Script> script = ParseScript(text);
    ASSERT_FALSE(script) << text;
    EXPECT_EQ(script.error().message(), error);
  }
}

}  // namespace
}  // namespace mayfly::server
