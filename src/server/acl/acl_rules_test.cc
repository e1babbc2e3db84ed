// Goal: rules make the users that Redis 7.0 makes of them, and users are shown by the same rules.
// Method: tables of rules with what the real server shows, or why it refuses.
#include <gtest/gtest.h>

#include "server/acl/acl_password.h"
#include "server/acl/testing/test_families.h"

namespace mayfly::server {
namespace {

constexpr const char* kHashOfA = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
constexpr const char* kHashOfB = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d";

// The line of a new user "u" with these rules, or why they are refused.
std::string Describe(const std::string& rules) {
  Acl acl(TestTable());
  const Status status = acl.SetUser("u", Words(rules));
  if (!status.ok()) return std::string(status.message());
  const std::string line = acl.Find("u")->Describe();
  return line.substr(std::string("user u ").size());
}

struct Case {
  const char* rules;
  const char* shown;
};

// There are no such commands yet; when there are, they must obey the rules set today.
TEST(AclRules, CategoriesWithoutCommandsAreNotForgotten) {
  EXPECT_EQ(Describe("+@all -@geo"), "off resetchannels +@all -@geo");
  EXPECT_EQ(Describe("+@all -@geo +@geo"), "off resetchannels +@all");
  EXPECT_EQ(Describe("-@all +@geo +get"), "off resetchannels -@all +@geo +get");
  EXPECT_EQ(Describe("+@geo -@all"), "off resetchannels -@all");
}

TEST(AclRules, FlagsAndPasswords) {
  const std::string a = std::string("#") + kHashOfA;
  const std::string b = std::string(" #") + kHashOfB;
  // clang-format off
  const std::pair<std::string, std::string> kTable[] = {
      {"",                             "off resetchannels -@all"},
      {"on nopass",                    "on nopass resetchannels -@all"},
      {"ON",                           "on resetchannels -@all"},
      {">a",                           "off " + a + " resetchannels -@all"},
      {">a >b >a",                     "off " + a + b + " resetchannels -@all"},
      {">a " + a,                      "off " + a + " resetchannels -@all"},
      {">a <a",                        "off resetchannels -@all"},
      {">a !" + std::string(kHashOfA), "off resetchannels -@all"},
      {">a nopass",                    "off nopass resetchannels -@all"},
      {"nopass >a",                    "off " + a + " resetchannels -@all"},
      {"nopass resetpass",             "off resetchannels -@all"},
      {"on >a ~x +get reset",          "off sanitize-payload resetchannels -@all"},
      {"skip-sanitize-payload",        "off skip-sanitize-payload resetchannels -@all"},
      {"on >a sanitize-payload",       "on sanitize-payload " + a + " resetchannels -@all"},
  };
  // clang-format on
  for (const auto& [rules, shown] : kTable) EXPECT_EQ(Describe(rules), shown) << rules;
}

TEST(AclRules, KeysAndChannels) {
  // clang-format off
  const Case kTable[] = {
      {"~a* ~b*",              "off ~a* ~b* resetchannels -@all"},
      {"%R~a %W~b %RW~c",      "off %R~a %W~b ~c resetchannels -@all"},
      {"%r~a %wr~b",           "off %R~a ~b resetchannels -@all"},
      {"%R~a %W~a",            "off ~a resetchannels -@all"},
      {"~a ~a",                "off ~a resetchannels -@all"},
      {"~a allkeys",           "off ~* resetchannels -@all"},
      {"~* ~*",                "off ~* resetchannels -@all"},
      {"%R~*",                 "off %R~* resetchannels -@all"},
      {"allkeys resetkeys ~b", "off ~b resetchannels -@all"},
      {"&a &b &a",             "off resetchannels &a &b -@all"},
      {"allchannels",          "off &* -@all"},
      {"&* resetchannels &x",  "off resetchannels &x -@all"},
      {"~*",                   "off ~* resetchannels -@all"},
  };
  // clang-format on
  for (const Case& one : kTable) EXPECT_EQ(Describe(one.rules), one.shown) << one.rules;
}

TEST(AclRules, CommandsAreShownByAsFewRulesAsTheyNeed) {
  // clang-format off
  const Case kTable[] = {
      {"+get",                          "-@all +get"},
      {"+GET",                          "-@all +get"},
      {"+get -get",                     "-@all"},
      {"+@read",                        "-@all +@read"},
      {"+@read -get",                   "-@all +@read -get"},
      {"+@read +get",                   "-@all +@read"},
      {"+get +@READ",                   "-@all +@read"},
      {"+@read -get +get",              "-@all +@read"},
      {"+@read +@write -@read",         "-@all +@write"},
      {"+@all",                         "+@all"},
      {"allcommands",                   "+@all"},
      {"+@all nocommands",              "-@all"},
      {"+@all -get",                    "+@all -get"},
      {"+@all -@dangerous",             "+@all -@dangerous"},
      {"+@all -@write +set",            "+@all -@write +set"},
      {"-@read +@all",                  "+@all"},
      {"+get +set -@write",             "-@all +get"},
      {"+config",                       "-@all +config"},
      {"+config|get",                   "-@all +config|get"},
      {"+config|GET",                   "-@all +config|get"},
      {"+config -config|get",           "-@all +config -config|get"},
      {"+config|get +config",           "-@all +config"},
      {"+@all -config|get",             "+@all -config|get"},
      {"+@all -config -config|get",     "+@all -config"},
      {"-config|get",                   "-@all"},
      {"+config|get -@admin",           "-@all"},
      {"+select|0",                     "-@all +select|0"},
      {"+select|0 +select|1 +select|0", "-@all +select|0 +select|1"},
      {"+select|0 +select",             "-@all +select"},
      {"+select +select|0",             "-@all +select"},
      {"+select|0 -select",             "-@all"},
      {"+debug +@admin",                "-@all +@admin"},
      // Of Redis, and not offered: nobody may.
      {"+get -migrate +RESTORE-ASKING -cluster|meet -module|load", "-@all +get"},
  };
  // clang-format on
  for (const Case& one : kTable) {
    EXPECT_EQ(Describe(one.rules), std::string("off resetchannels ") + one.shown) << one.rules;
  }
}

TEST(AclRules, Selectors) {
  const Case kTable[] = {
      {"(~a +get)", "off resetchannels -@all (~a resetchannels -@all +get)"},
      {"(~a +get) (%R~b -@all +set &c)",
       "off resetchannels -@all (~a resetchannels -@all +get) (%R~b resetchannels &c -@all +set)"},
      {"(+get ~a +set)", "off resetchannels -@all (~a resetchannels -@all +get +set)"},
      {"(~* &* +@all)", "off resetchannels -@all (~* &* +@all)"},
      {"()", "off resetchannels -@all (resetchannels -@all)"},
      {"(~a) clearselectors", "off resetchannels -@all"},
  };
  for (const Case& one : kTable) EXPECT_EQ(Describe(one.rules), one.shown) << one.rules;
}

TEST(AclRules, WhatIsNoRuleIsRefused) {
  const Case kTable[] = {
      {"foo", "Syntax error"},
      {"%~d", "Syntax error"},
      {"%X~a", "Syntax error"},
      {"%RR~a", "Syntax error"},
      {"%Ra", "Syntax error"},
      {"x)", "Syntax error"},
      {"(on)", "Syntax error"},
      {"(reset)", "Syntax error"},
      {"(nope)", "Syntax error"},
      {"+config|", "Syntax error"},
      {"+nope", "Unknown command or category name in ACL"},
      {"-nope", "Unknown command or category name in ACL"},
      {"+@nope", "Unknown command or category name in ACL"},
      {"(+nope)", "Unknown command or category name in ACL"},
      {"+config|nope", "Unknown command or category name in ACL"},
      {"-config|nope", "Unknown command or category name in ACL"},
      {"-config|migrate", "Unknown command or category name in ACL"},
      {"-get|x", "Unknown command or category name in ACL"},
      {"+select|0|1", "Unknown command or category name in ACL"},
      {"+config|get|x", "Allowing first-arg of a subcommand is not supported"},
      {"<a", "The password you are trying to remove from the user does not exist"},
      {"#abc",
       "The password hash must be exactly 64 characters and contain only lowercase hexadecimal "
       "characters"},
      {"!ABC",
       "The password hash must be exactly 64 characters and contain only lowercase hexadecimal "
       "characters"},
  };
  for (const Case& one : kTable) {
    std::string rule = one.rules;
    if (rule.find_first_of("<#!") == 0) rule = rule.substr(0, 1) + "(redacted)";
    EXPECT_EQ(Describe(one.rules), "Error in ACL SETUSER modifier '" + rule + "': " + one.shown);
  }
  EXPECT_EQ(Describe("(+get ~a"), "Unmatched parenthesis in acl selector starting at '(+get'.");
  EXPECT_EQ(Describe("allkeys ~a"),
            "Error in ACL SETUSER modifier '~a': Adding a pattern after the * pattern (or the "
            "'allkeys' flag) is not valid and does not have any effect. Try 'resetkeys' to start "
            "with an empty list of patterns");
  EXPECT_EQ(Describe("&* &a"),
            "Error in ACL SETUSER modifier '&a': Adding a pattern after the * pattern (or the "
            "'allchannels' flag) is not valid and does not have any effect. Try 'resetchannels' to "
            "start with an empty list of channels");
  Acl acl(TestTable());
  EXPECT_EQ(acl.SetUser("a b", {}).message(), "Usernames can't contain spaces or null characters");
  const std::vector<Bytes> with_blank = {"~a b"};
  EXPECT_EQ(acl.SetUser("u", with_blank).message(),
            "Error in ACL SETUSER modifier '~a b': Syntax error");
}

TEST(AclRules, AreAppliedAllOrNone) {
  Acl acl(TestTable());
  ASSERT_TRUE(acl.SetUser("u", Words("on +get")).ok());
  EXPECT_FALSE(acl.SetUser("u", Words("+set off foo")).ok());
  EXPECT_EQ(acl.Find("u")->Describe(), "user u on resetchannels -@all +get");
  EXPECT_FALSE(acl.SetUser("v", Words("on foo")).ok());
  EXPECT_EQ(acl.Find("v"), nullptr);
}

TEST(AclRules, ALineMakesTheUserItDescribes) {
  const char* const kRules[] = {"on >a ~x* %R~y &c +@all -@dangerous +keys (~z +set +select|0)",
                                "+@string -get +config|get", "nopass allkeys allchannels +@all"};
  for (const char* const rules : kRules) {
    Acl acl(TestTable());
    ASSERT_TRUE(acl.SetUser("u", Words(rules)).ok());
    const std::string line = acl.Find("u")->Describe();
    const std::vector<Bytes> words = Words(line);
    ASSERT_TRUE(acl.SetUser("v", std::span(words).subspan(2)).ok());
    EXPECT_EQ(acl.Find("v")->Describe().substr(6), line.substr(6));
  }
}

TEST(AclPassword, IsKnownByItsHash) {
  EXPECT_EQ(PasswordHash("a"), kHashOfA);
  EXPECT_TRUE(SameHash(kHashOfA, PasswordHash("a")));
  EXPECT_FALSE(SameHash(kHashOfA, kHashOfB));
  EXPECT_EQ(NewPassword(256).size(), 64u);
  EXPECT_EQ(NewPassword(5).size(), 2u);
  EXPECT_EQ(NewPassword(1).size(), 1u);
  EXPECT_NE(NewPassword(256), NewPassword(256));
}

}  // namespace
}  // namespace mayfly::server
