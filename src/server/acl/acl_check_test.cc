// Goal: a command is allowed exactly when one selector allows it with all its keys and channels.
// Method: tables of rules, commands and the answers of ACL DRYRUN of the real server.
#include "server/acl/acl_check.h"

#include <gtest/gtest.h>

#include "server/acl/acl_session.h"
#include "server/acl/testing/test_families.h"

namespace mayfly::server {
namespace {

class AclCheck : public testing::Test {
 protected:
  std::optional<AclDenial> Denial(const std::string& command) {
    const std::vector<Bytes> args = Words(command);
    Answer error;
    const CommandEntry* const entry = TestTable().Resolve(args, error);
    return CheckAcl(*acl_.Find("u"), TestTable(), *entry->spec, args);
  }
  std::string Ask(const std::string& command) {
    const auto denial = Denial(command);
    return denial
               ? DryRunText(*denial).substr(std::string("This user has no permissions to ").size())
               : "OK";
  }
  void Set(const std::string& rules) { ASSERT_TRUE(acl_.SetUser("u", Words(rules)).ok()); }

  Acl acl_{TestTable()};
};

TEST_F(AclCheck, CommandsKeysAndChannels) {
  Set("on ~a* %R~r* &c* +@read +@write -get +config|get +publish +subscribe +psubscribe "
      "+unsubscribe +select|0");
  // clang-format off
  const std::pair<const char*, const char*> kTable[] = {
      {"get a",          "run the 'get' command"},
      {"set b x",        "access the 'b' key"},
      {"set r1 x",       "access the 'r1' key"},
      {"set a1 x",       "OK"},
      {"strlen r1",      "OK"},
      {"strlen b",       "access the 'b' key"},
      {"mget a r b",     "access the 'b' key"},
      {"mset a b a2 b",  "OK"},
      {"mset a b b2 b",  "access the 'b2' key"},
      {"copy r1 a1",     "OK"},
      {"copy a1 r1",     "access the 'r1' key"},
      {"rename r1 a1",   "access the 'r1' key"},
      {"exists r1",      "OK"},
      {"exists zz",      "access the 'zz' key"},
      {"keys *",         "OK"},
      {"config set a b", "run the 'config|set' command"},
      {"config get a",   "OK"},
      {"publish x y",    "access the 'x' channel"},
      {"publish cx y",   "OK"},
      {"subscribe cx x", "access the 'x' channel"},
      {"unsubscribe x",  "OK"},
      {"psubscribe c*",  "OK"},
      {"psubscribe cc*", "access the 'cc*' channel"},
      {"select 0",       "OK"},
      {"select 1",       "run the 'select' command"},
      {"hello 3",        "OK"},
  };
  // clang-format on
  for (const auto& [command, answer] : kTable) EXPECT_EQ(Ask(command), answer) << command;
}

TEST_F(AclCheck, ReadingAndWritingAreTwoThings) {
  Set("+@all %W~w* %R~r* ~b*");
  EXPECT_EQ(Ask("set w x"), "OK");
  EXPECT_EQ(Ask("set w x get"), "access the 'w' key");
  EXPECT_EQ(Ask("set b x get"), "OK");
  EXPECT_EQ(Ask("append w x"), "OK");
  EXPECT_EQ(Ask("incr w"), "access the 'w' key");
  EXPECT_EQ(Ask("incr b"), "OK");
  EXPECT_EQ(Ask("get w"), "access the 'w' key");
  EXPECT_EQ(Ask("exists w"), "OK");
  EXPECT_EQ(Ask("del w b"), "OK");
  EXPECT_EQ(Ask("del w r"), "access the 'r' key");
  EXPECT_EQ(Ask("rename b w"), "OK");
}

TEST_F(AclCheck, OneSelectorMustAllowAllOfIt) {
  Set("+get ~a (+set ~b) (+get +set ~c)");
  EXPECT_EQ(Ask("get a"), "OK");
  EXPECT_EQ(Ask("set b x"), "OK");
  EXPECT_EQ(Ask("get b"), "access the 'b' key");
  EXPECT_EQ(Ask("set a x"), "access the 'a' key");
  EXPECT_EQ(Ask("get c"), "OK");
  EXPECT_EQ(Ask("set c x"), "OK");
  EXPECT_EQ(Ask("del a"), "run the 'del' command");
}

TEST_F(AclCheck, RefusalsAreWordedForClientsAndForScripts) {
  Set("+get ~a");
  EXPECT_EQ(NoPermissionLine(*Denial("set a x")),
            "NOPERM this user has no permissions to run the 'set' command");
  EXPECT_EQ(NoPermissionLine(*Denial("get b")),
            "NOPERM this user has no permissions to access one of the keys used as arguments");
  EXPECT_EQ(NoPermissionInScriptLine(*Denial("set a x")),
            "ERR The user executing the script can't run this command or subcommand");
  EXPECT_EQ(NoPermissionInScriptLine(*Denial("get b")),
            "ERR The user executing the script can't access at least one of the keys mentioned in "
            "the command arguments");
  Set("+publish");
  EXPECT_EQ(NoPermissionLine(*Denial("publish a x")),
            "NOPERM this user has no permissions to access one of the channels used as arguments");
}

// The handler refuses such arguments, so there is no key to check. As Redis.
TEST_F(AclCheck, WhereKeysAreNotToldNoneIsRefused) {
  Set("+@all ~a");
  EXPECT_EQ(Ask("zunion 1 b"), "access the 'b' key");
  EXPECT_EQ(Ask("zunion 2 a b"), "access the 'b' key");
  EXPECT_EQ(Ask("zunion 3 a b"), "OK");
  EXPECT_EQ(Ask("zunion 0 b"), "OK");
}

TEST_F(AclCheck, AShardChannelIsNoKey) {
  Set("+@all &c");
  EXPECT_EQ(Ask("spublish c x"), "OK");
  EXPECT_EQ(Ask("spublish d x"), "access the 'd' channel");
}

TEST_F(AclCheck, SessionsSeeChangesOfTheirUserAtOnce) {
  AclSession session(acl_);
  ASSERT_NE(session.user(), nullptr);
  EXPECT_EQ(session.user()->name(), "default");
  Set("on >pw +get");
  EXPECT_FALSE(session.Authenticate("u", "wrong"));
  EXPECT_EQ(session.user()->name(), "default");
  EXPECT_TRUE(session.Authenticate("u", "pw"));
  EXPECT_EQ(session.user()->root().DescribeCommands(), "-@all +get");
  Set("+set");
  EXPECT_EQ(session.user()->root().DescribeCommands(), "-@all +get +set");
  Set("off");
  EXPECT_NE(session.user(), nullptr);  // A client that is logged in stays so.
  EXPECT_FALSE(session.Authenticate("u", "pw"));
  EXPECT_FALSE(session.removed());
  ASSERT_TRUE(*acl_.DeleteUser("u"));
  EXPECT_TRUE(session.removed());
  EXPECT_EQ(session.user(), nullptr);
}

TEST_F(AclCheck, ARequiredPasswordKeepsNewClientsOut) {
  acl_.RequirePassword("pw");
  AclSession session(acl_);
  EXPECT_EQ(session.user(), nullptr);
  EXPECT_FALSE(session.removed());
  EXPECT_TRUE(session.Authenticate("default", "pw"));
  session.Reset();
  EXPECT_EQ(session.user(), nullptr);
  acl_.RequirePassword("");
  session.Reset();
  EXPECT_NE(session.user(), nullptr);
}

}  // namespace
}  // namespace mayfly::server
