// Goal: ACL replies, and users log in, as in Redis 7.0.
// Method: the families on the command tester, with a session and a manual clock.
#include "server/acl/acl_commands.h"

#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "server/acl/testing/test_families.h"
#include "server/command/errors.h"
#include "server/testing/command_tester.h"

namespace mayfly::server {
namespace {

constexpr const char* kHashOfPw =
    "30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4";

// AUTH for the command table of the test; the server's needs a connection.
constexpr CommandSpec kAuthCommands[] = {
    {"auth", -2, kNoScript | kNoAuth | kNoRows, kNoKeys,
     [](Call&) -> Answer { return SyntaxError(); }, "Say who this connection is."},
};

std::vector<CommandFamily> AllFamilies() {
  std::vector<CommandFamily> families = TestFamilies();
  families.push_back(AclFamily());
  families.push_back({"connection", Category::kConnection, kAuthCommands});
  return families;
}

class AclCommands : public testing::Test {
 protected:
  AclCommands() { tester_.SetAcl(&context_); }

  std::string Text(const std::string& line) { return tester_.Text(line); }
  std::string Login(std::optional<Bytes> name, Bytes password) {
    return LogIn(context_, "AUTH", name, password).value_or("OK");
  }
  const CommandSpec& Spec(Bytes name) { return *table_.FindFullName(name)->spec; }

  const CommandTable table_{AllFamilies()};
  Acl acl_{table_};
  AclSession session_{acl_};
  CommandTester tester_{AllFamilies()};
  AclContext context_{session_, tester_.clock(), {}, "id=7"};
};

TEST_F(AclCommands, ListAndDescribeUsers) {
  EXPECT_EQ(Text("ACL LIST"), "[user default on nopass ~* &* +@all]");
  EXPECT_EQ(Text("ACL SETUSER u on >pw ~a* %R~r* &c* +get (~b +set)"), "OK");
  EXPECT_EQ(Text("ACL USERS"), "[default, u]");
  EXPECT_EQ(Text("ACL GETUSER u"),
            std::string("[flags, [on], passwords, [") + kHashOfPw +
                "], commands, -@all +get, keys, ~a* %R~r*, channels, &c*, selectors, [[commands, "
                "-@all +set, keys, ~b, channels, ]]]");
  EXPECT_EQ(Text("ACL GETUSER default"),
            "[flags, [on, nopass], passwords, [], commands, +@all, keys, ~*, channels, &*, "
            "selectors, []]");
  EXPECT_EQ(Text("ACL GETUSER nope"), "(nil)");
  tester_.UseProtocol(ProtocolVersion::kResp3);
  const Reply reply = tester_.Run("ACL GETUSER u");
  EXPECT_EQ(reply.kind, Reply::Kind::kMap);
  EXPECT_EQ(reply.items()[1].kind, Reply::Kind::kSet);
  EXPECT_EQ(reply.items()[11].items()[0].kind, Reply::Kind::kMap);
}

TEST_F(AclCommands, RemoveUsers) {
  Text("ACL SETUSER u");
  EXPECT_EQ(Text("ACL DELUSER u default"), "ERR The 'default' user cannot be removed");
  EXPECT_EQ(Text("ACL DELUSER u nope"), "1");
  EXPECT_EQ(Text("ACL DELUSER u"), "0");
}

TEST_F(AclCommands, UsersLogIn) {
  EXPECT_EQ(Login(std::nullopt, "pw"),
            "ERR AUTH <password> called without any password configured for the default user. Are "
            "you sure your configuration is correct?");
  EXPECT_EQ(Text("ACL WHOAMI"), "default");
  Text("ACL SETUSER u on >pw +@all");
  const std::string wrong = "WRONGPASS invalid username-password pair or user is disabled.";
  EXPECT_EQ(Login("u", "nope"), wrong);
  EXPECT_EQ(Login("nope", "x"), wrong);
  EXPECT_EQ(Login("u", "pw"), "OK");
  EXPECT_EQ(Text("ACL WHOAMI"), "u");
  acl_.RequirePassword("secret");
  EXPECT_EQ(Login(std::nullopt, "nope"), wrong);
  EXPECT_EQ(Login(std::nullopt, "secret"), "OK");
  EXPECT_EQ(Text("ACL WHOAMI"), "default");
  Text("ACL SETUSER u off");
  EXPECT_EQ(Login("u", "pw"), wrong);
}

TEST_F(AclCommands, CategoriesAndTheirCommands) {
  EXPECT_EQ(tester_.Run("ACL CAT").items().size(), 21u);
  EXPECT_EQ(Text("ACL CAT string"), "[append, get, incr, mget, mset, set, strlen]");
  EXPECT_EQ(Text("ACL CAT nope"), "ERR Unknown category 'nope'");
  EXPECT_EQ(Text("ACL CAT a b"),
            "ERR unknown subcommand or wrong number of arguments for 'CAT'. Try ACL HELP.");
  EXPECT_NE(Text("ACL CAT dangerous").find("config|set"), std::string::npos);
}

TEST_F(AclCommands, MakeSecrets) {
  EXPECT_EQ(Text("ACL GENPASS").size(), 64u);
  EXPECT_EQ(Text("ACL GENPASS 5").size(), 2u);
  EXPECT_EQ(Text("ACL GENPASS 4096").size(), 1024u);
  const std::string refusal =
      "ERR ACL GENPASS argument must be the number of bits for the output password, a positive "
      "number up to 4096";
  EXPECT_EQ(Text("ACL GENPASS 0"), refusal);
  EXPECT_EQ(Text("ACL GENPASS 4097"), refusal);
  EXPECT_EQ(Text("ACL GENPASS x"), "ERR value is not an integer or out of range");
}

TEST_F(AclCommands, TryWithoutRunning) {
  Text("ACL SETUSER u +set ~a");
  EXPECT_EQ(Text("ACL DRYRUN u set a b"), "OK");
  EXPECT_EQ(Text("ACL DRYRUN u set b b"), "This user has no permissions to access the 'b' key");
  EXPECT_EQ(Text("ACL DRYRUN u config set a b"),
            "This user has no permissions to run the 'config|set' command");
  EXPECT_EQ(Text("ACL DRYRUN nope get a"), "ERR User 'nope' not found");
  EXPECT_EQ(Text("ACL DRYRUN u nope"), "ERR Command 'nope' not found");
  EXPECT_EQ(Text("ACL DRYRUN u get|x"), "ERR Command 'get|x' not found");
  EXPECT_EQ(Text("ACL DRYRUN u get"), "ERR wrong number of arguments for 'get' command");
}

TEST_F(AclCommands, RefusalsAreNotedAndCountedForAMinute) {
  Text("ACL SETUSER u on nopass +get");
  Login("u", "x");
  const std::vector<Bytes> set = {"set", "a", "b"};
  const std::vector<Bytes> get = {"get", "k"};
  const auto refuse = [&](Bytes name, std::span<const Bytes> args, AclWhere where) {
    return RefuseCommand(context_, Spec(name), args, where);
  };
  EXPECT_EQ(refuse("set", set, AclWhere::kTopLevel),
            "NOPERM this user has no permissions to run the 'set' command");
  tester_.clock().Advance(Millis(59'999));
  refuse("set", set, AclWhere::kTopLevel);
  tester_.clock().Advance(Millis(60'000));
  refuse("set", set, AclWhere::kTopLevel);
  EXPECT_EQ(Text("ACL LOG"),
            "[[count, 3, reason, command, context, toplevel, object, set, username, u, "
            "age-seconds, 0, client-info, id=7]]");
  tester_.clock().Advance(Millis(60'001));
  refuse("set", set, AclWhere::kTopLevel);
  refuse("get", get, AclWhere::kLua);
  refuse("set", set, AclWhere::kMulti);
  Login("u2", "x");
  EXPECT_EQ(tester_.Run("ACL LOG").items().size(), 5u);
  EXPECT_EQ(Text("ACL LOG 1"),
            "[[count, 1, reason, auth, context, toplevel, object, AUTH, username, u2, age-seconds, "
            "0, client-info, id=7]]");
  EXPECT_EQ(Text("ACL LOG x"), "ERR value is not an integer or out of range");
  EXPECT_EQ(Text("ACL LOG -1"), "[]");
  EXPECT_EQ(Text("ACL LOG RESET"), "OK");
  EXPECT_EQ(Text("ACL LOG"), "[]");
}

TEST_F(AclCommands, ClientsThatAreNobodyMayOnlySayWhoTheyAre) {
  acl_.RequirePassword("pw");
  session_.Reset();
  const std::vector<Bytes> get = {"get", "k"};
  const std::vector<Bytes> auth = {"auth", "pw"};
  EXPECT_EQ(RefuseCommand(context_, Spec("get"), get, AclWhere::kTopLevel),
            "NOAUTH Authentication required.");
  EXPECT_EQ(RefuseCommand(context_, Spec("auth"), auth, AclWhere::kTopLevel), std::nullopt);
}

TEST_F(AclCommands, KeepUsersInAFile) {
  const std::string none =
      "ERR This Redis instance is not configured to use an ACL file. You may want to specify users "
      "via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis "
      "configuration file set) in order to store users in the Redis configuration.";
  EXPECT_EQ(Text("ACL LOAD"), none);
  EXPECT_EQ(Text("ACL SAVE"), none);
  const TemporaryDirectory folder;
  context_.file = folder.Inside("users.acl");
  Text("ACL SETUSER u on +get");
  EXPECT_EQ(Text("ACL SAVE"), "OK");
  Text("ACL DELUSER u");
  EXPECT_EQ(Text("ACL LOAD"), "OK");
  EXPECT_EQ(Text("ACL USERS"), "[default, u]");
  context_.file = folder.Inside("no/such/folder");
  EXPECT_EQ(Text("ACL SAVE"),
            "ERR There was an error trying to save the ACLs. Please check the server logs for more "
            "information");
}

TEST_F(AclCommands, HelpListsTheSubcommands) {
  EXPECT_EQ(tester_.Run("ACL HELP").items().size(), 27u);
  EXPECT_EQ(Text("ACL nope"), "ERR unknown subcommand 'nope'. Try ACL HELP.");
  EXPECT_EQ(Text("ACL"), "ERR wrong number of arguments for 'acl' command");
}

}  // namespace
}  // namespace mayfly::server
