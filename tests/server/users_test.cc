// Goal: users may do what their rules say, by the categories of the commands too. After a change of
// users, connections that are no longer allowed are closed, even idle ones.
// Method: clients on both threads of a server, one of which changes users.
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "server/front_served.h"

namespace mayfly::server {
namespace {

class Users : public testing::Test {
 protected:
  void Login(TestClient& client, const std::string& user) {
    EXPECT_EQ(client.Text("AUTH " + user + " pw"), "OK");
  }

  FrontServed served_;
  TestClient admin_{served_.port()};
  TestClient a_{served_.port()};
  TestClient b_{served_.port()};
  TestClient c_{served_.port()};
};

TEST_F(Users, ConnectionsOfARemovedUserAreClosedOnEveryThread) {
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw ~* &* +@all"), "OK");
  Login(a_, "ann");
  Login(b_, "ann");
  EXPECT_EQ(admin_.Text("ACL DELUSER ann nobody"), "1");
  EXPECT_TRUE(a_.Closed());
  EXPECT_TRUE(b_.Closed());
  EXPECT_EQ(c_.Text("PING"), "PONG");
  EXPECT_EQ(admin_.Text("PING"), "PONG");
}

TEST_F(Users, OneWhoRemovesItselfHasItsReply) {
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw +@all"), "OK");
  Login(a_, "ann");
  Login(b_, "ann");
  EXPECT_EQ(a_.Text("ACL DELUSER ann"), "1");
  EXPECT_TRUE(a_.Closed());
  EXPECT_TRUE(b_.Closed());
}

TEST_F(Users, OneWhoIsThereAgainDoesNotKeepItsConnections) {
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw +@all"), "OK");
  Login(a_, "ann");
  admin_.Send("ACL DELUSER ann\r\nACL SETUSER ann on >pw +@all\r\n");
  EXPECT_EQ(admin_.ReadText(), "1");
  EXPECT_EQ(admin_.ReadText(), "OK");
  EXPECT_TRUE(a_.Closed());
}

TEST_F(Users, SubscribersThatLoseAChannelAreClosed) {
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw +@all &x:* &y"), "OK");
  for (TestClient* const client : {&a_, &b_, &c_}) Login(*client, "ann");
  a_.SendLine("SUBSCRIBE x:1");
  b_.SendLine("PSUBSCRIBE x:*");
  c_.SendLine("SUBSCRIBE y");
  for (TestClient* const client : {&a_, &b_, &c_}) client->Read();
  // More rights close no connection.
  EXPECT_EQ(admin_.Text("ACL SETUSER ann &z"), "OK");
  EXPECT_EQ(admin_.Text("PUBLISH x:1 m"), "2");
  a_.Read();
  b_.Read();
  EXPECT_EQ(admin_.Text("ACL SETUSER ann resetchannels &y"), "OK");
  EXPECT_TRUE(a_.Closed());
  EXPECT_TRUE(b_.Closed());
  EXPECT_EQ(admin_.Text("PUBLISH y m"), "1");
  EXPECT_EQ(c_.Read().items().size(), 3u);
}

TEST_F(Users, APatternIsAllowedAsItStands) {
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw +@all allchannels"), "OK");
  Login(a_, "ann");
  a_.SendLine("PSUBSCRIBE x:1*");
  a_.Read();
  EXPECT_EQ(admin_.Text("ACL SETUSER ann resetchannels &x:*"), "OK");
  EXPECT_TRUE(a_.Closed());
}

TEST_F(Users, OneWhoIsSwitchedOffKeepsItsConnections) {
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw +@all"), "OK");
  Login(a_, "ann");
  EXPECT_EQ(admin_.Text("ACL SETUSER ann off"), "OK");
  EXPECT_EQ(a_.Text("PING"), "PONG");
  EXPECT_EQ(b_.Text("AUTH ann pw"),
            "WRONGPASS invalid username-password pair or user is disabled.");
}

TEST_F(Users, FailedLoginsAreLoggedByTheCommandTheyCameWith) {
  EXPECT_EQ(a_.Text("AUTH ann pw too-much"), "ERR syntax error");
  a_.Text("AUTH ann wrong");
  a_.Text("HELLO 3 AUTH ann wrong");
  const Reply log = admin_.Ask("ACL LOG");
  ASSERT_EQ(log.items().size(), 2u);
  EXPECT_EQ(log.items()[0].items()[3].text(), "auth");
  EXPECT_EQ(log.items()[0].items()[7].text(), "HELLO");
  EXPECT_EQ(log.items()[1].items()[7].text(), "AUTH");
}

TEST_F(Users, TheLogIsAsLongAsTheSettingSays) {
  EXPECT_EQ(admin_.Text("CONFIG SET acllog-max-len 2"), "OK");
  for (const char* const user : {"x", "y", "z"}) a_.Text(std::string("AUTH ") + user + " wrong");
  EXPECT_EQ(admin_.Ask("ACL LOG").items().size(), 2u);
  EXPECT_EQ(admin_.Text("CONFIG SET acllog-max-len 1"), "OK");
  EXPECT_EQ(admin_.Ask("ACL LOG").items().size(), 1u);
}

TEST_F(Users, NewOnesBeginWithTheChannelsOfTheSetting) {
  EXPECT_EQ(admin_.Text("CONFIG SET acl-pubsub-default allchannels"), "OK");
  EXPECT_EQ(admin_.Text("ACL SETUSER ann (+get)"), "OK");
  EXPECT_EQ(admin_.Text("CONFIG SET acl-pubsub-default resetchannels"), "OK");
  EXPECT_EQ(admin_.Text("ACL SETUSER bob"), "OK");
  EXPECT_EQ(admin_.Text("ACL SETUSER bob on"), "OK");
  const Reply ann = admin_.Ask("ACL GETUSER ann");
  EXPECT_EQ(ann.items()[9].text(), "&*");
  EXPECT_EQ(ann.items()[11].items()[0].items()[5].text(), "&*");
  EXPECT_EQ(admin_.Ask("ACL GETUSER bob").items()[9].text(), "");
  EXPECT_EQ(admin_.Text("ACL SETUSER ann reset"), "OK");
  EXPECT_EQ(admin_.Ask("ACL GETUSER ann").items()[9].text(), "");
}

// Patterns lead to keys that are not among the arguments, so ACL rules have not checked them.
TEST_F(Users, SortFollowsPatternsOnlyForThoseWhoReadEverything) {
  const std::string denied = " option of SORT denied due to insufficient ACL permissions.";
  EXPECT_EQ(admin_.Text("SET v1 1"), "OK");
  EXPECT_EQ(admin_.Text("LPUSH l 1"), "1");
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw +sort +sort_ro +eval ~l ~v*"), "OK");
  Login(a_, "ann");
  EXPECT_EQ(a_.Text("SORT l"), "[1]");
  EXPECT_EQ(a_.Text("SORT l BY nosort"), "[1]");
  EXPECT_EQ(a_.Text("SORT l BY v*"), "ERR BY" + denied);
  EXPECT_EQ(a_.Text("SORT_RO l LIMIT 0 1 GET v*"), "ERR GET" + denied);
  EXPECT_NE(a_.Text("EVAL \"return redis.call('sort', 'l', 'get', 'v*')\" 0").find("GET" + denied),
            std::string::npos);
  // All keys, but not to read; and a selector that reads them all, but may not sort.
  EXPECT_EQ(admin_.Text("ACL SETUSER ann %W~* \"(+get %R~*)\""), "OK");
  EXPECT_EQ(a_.Text("SORT l GET v*"), "ERR GET" + denied);
  EXPECT_EQ(admin_.Text("ACL SETUSER ann \"(+sort %R~*)\""), "OK");
  EXPECT_EQ(a_.Text("SORT l BY v* GET v*"), "[1]");
}

// Events name keys of all databases, and may have values.
TEST_F(Users, ExpiryEventsAreForAdministrators) {
  const std::string denied = "NOPERM this user has no permissions to run the 'ttl.events' command";
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw ~* +@all -@dangerous"), "OK");
  Login(a_, "ann");
  EXPECT_EQ(a_.Text("TTL.EVENTS AFTER 0"), denied);
  EXPECT_EQ(admin_.Text("ACL SETUSER ann +@all -@admin"), "OK");
  EXPECT_EQ(a_.Text("TTL.EVENTS AFTER 0"), denied);
  EXPECT_EQ(admin_.Text("ACL SETUSER ann -@all +@read +@write"), "OK");
  EXPECT_EQ(a_.Text("TTL.EVENTS AFTER 0"), denied);
  EXPECT_EQ(admin_.Text("ACL SETUSER ann +@admin"), "OK");
  const std::string events = a_.Text("TTL.EVENTS AFTER 0");
  EXPECT_FALSE(events.starts_with("NOPERM")) << events;
}

TEST_F(Users, SortBelongsToTheTypesThatItSorts) {
  EXPECT_EQ(admin_.Text("LPUSH l 1"), "1");
  for (const std::string command : {"sort", "sort_ro"}) {
    for (const std::string category : {"list", "set", "sortedset"}) {
      SCOPED_TRACE(command + " in " + category);
      const std::string denied =
          "NOPERM this user has no permissions to run the '" + command + "' command";
      const std::string listed = admin_.Text("ACL CAT " + category);
      EXPECT_NE((" " + listed.substr(1, listed.size() - 2) + ",").find(" " + command + ","),
                std::string::npos)
          << listed;
      EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw ~* -@all +@" + category), "OK");
      Login(a_, "ann");
      EXPECT_EQ(a_.Text(command + " l"), "[1]");
      EXPECT_EQ(admin_.Text("ACL SETUSER ann +@all -@" + category), "OK");
      EXPECT_EQ(a_.Text(command + " l"), denied);
      EXPECT_EQ(admin_.Text("ACL SETUSER ann -@all +@keyspace"), "OK");
      EXPECT_EQ(a_.Text(command + " l"), denied);
    }
  }
}

TEST_F(Users, KillKnowsWhoThereIs) {
  EXPECT_EQ(admin_.Text("CLIENT KILL USER nobody"), "ERR No such user 'nobody'");
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw +@all"), "OK");
  Login(a_, "ann");
  EXPECT_EQ(admin_.Text("CLIENT KILL USER ann"), "1");
  EXPECT_TRUE(a_.Closed());
}

TEST(UsersOfAFile, TheDefaultUserHasThePasswordItHasThere) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("users.acl");
  std::ofstream(path) << "user default on >theirs ~* +@all\n";
  FrontServed served("aclfile", path);
  TestClient client(served.port());
  EXPECT_EQ(client.Text("GET a"), "NOAUTH Authentication required.");
  EXPECT_EQ(client.Text("AUTH theirs"), "OK");
}

TEST(UsersOfAFile, WithoutADefaultUserRequirepassHolds) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("users.acl");
  std::ofstream(path) << "user ann on >pw ~* +@all\n";
  FrontServed served(Served::Settings{{"aclfile", path}, {"requirepass", "ours"}});
  TestClient client(served.port());
  EXPECT_EQ(client.Text("GET a"), "NOAUTH Authentication required.");
  EXPECT_EQ(client.Text("AUTH ours"), "OK");
}

TEST_F(Users, OneWhoLostAKeyMeanwhileIsNotServedFromIt) {
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw ~* +@all"), "OK");
  Login(a_, "ann");
  a_.SendLine("BLPOP q 0");
  served_.AwaitBlocked(1);
  b_.SendLine("BLPOP q 0");
  served_.AwaitBlocked(2);
  EXPECT_EQ(admin_.Text("ACL SETUSER ann resetkeys ~other"), "OK");
  EXPECT_EQ(admin_.Text("RPUSH q x"), "1");
  EXPECT_EQ(a_.ReadText().substr(0, 6), "NOPERM");
  EXPECT_EQ(b_.ReadText(), "[q, x]");
}

TEST_F(Users, TheLogTellsTheCommandThatWasRefused) {
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw +ping"), "OK");
  Login(a_, "ann");
  a_.Text("CONFIG GET *");
  const std::string log = admin_.Text("ACL LOG 1");
  EXPECT_NE(log.find(" cmd=config|get "), std::string::npos) << log;
  EXPECT_NE(log.find(" qbuf="), std::string::npos) << log;
  a_.Text("AUTH ann wrong");
  EXPECT_NE(admin_.Text("ACL LOG 1").find(" cmd=auth "), std::string::npos);
}

TEST_F(Users, ARefusalInAScriptIsLoggedOnceThoughTheScriptIsRunAgain) {
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw ~* +@all -incr"), "OK");
  Login(a_, "ann");
  // The second call uses a key that the script has not named.
  EXPECT_EQ(
      a_.Text("EVAL 'redis.pcall(\"incr\",KEYS[1]) return redis.call(\"get\",\"other\")' 1 k"),
      "(nil)");
  const std::string log = admin_.Text("ACL LOG");
  EXPECT_NE(log.find("count, 1, "), std::string::npos) << log;
  EXPECT_NE(log.find("context, lua"), std::string::npos) << log;
}

TEST_F(Users, ABlockedCommandIsSlowWhenItIsOver) {
  EXPECT_EQ(admin_.Text("CONFIG SET slowlog-log-slower-than 0"), "OK");
  a_.SendLine("BLPOP q 0");
  served_.AwaitBlocked(1);
  EXPECT_EQ(admin_.Text("SLOWLOG GET -1").find("BLPOP"), std::string::npos);
  EXPECT_EQ(admin_.Text("INFO commandstats").find("cmdstat_blpop"), std::string::npos);
  EXPECT_EQ(admin_.Text("RPUSH q x"), "1");
  EXPECT_EQ(a_.ReadText(), "[q, x]");
  EXPECT_NE(admin_.Text("SLOWLOG GET -1").find("BLPOP"), std::string::npos);
  EXPECT_NE(admin_.Text("INFO commandstats").find("cmdstat_blpop:calls=1,"), std::string::npos);
}

TEST_F(Users, ThereAreNoModules) {
  EXPECT_EQ(admin_.Text("MODULE LIST"), "[]");
  EXPECT_EQ(admin_.Text("MODULE LOAD x.so"),
            "ERR 'module|load' is not offered by mayfly yet: modules; functions are");
}

TEST(UsersOfAFile, LoadingClosesThoseWhoAreNoLongerInIt) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("users.acl");
  std::ofstream(path) << "user ann on >pw +@all\nuser bob on >pw +@all &x\nuser cid on >pw +@all\n";
  FrontServed served("aclfile", path);
  TestClient admin(served.port());
  TestClient ann(served.port());
  TestClient bob(served.port());
  TestClient cid(served.port());
  EXPECT_EQ(ann.Text("AUTH ann pw"), "OK");
  EXPECT_EQ(bob.Text("AUTH bob pw"), "OK");
  EXPECT_EQ(cid.Text("AUTH cid pw"), "OK");
  bob.SendLine("SUBSCRIBE x");
  bob.Read();
  std::ofstream(path) << "user bob on >pw +@all\nuser cid on >pw +@all\n";
  EXPECT_EQ(admin.Text("ACL LOAD"), "OK");
  EXPECT_TRUE(ann.Closed());
  EXPECT_TRUE(bob.Closed());
  EXPECT_EQ(cid.Text("PING"), "PONG");
  EXPECT_EQ(admin.Text("PING"), "PONG");
}

TEST_F(Users, WhatWasQueuedIsRefusedIfRulesHaveChangedSince) {
  const std::string changed =
      "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC "
      "call. This command is no longer allowed for the following reason: no permission to ";
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw ~* &* +@all"), "OK");
  Login(a_, "ann");
  for (const char* line : {"MULTI", "SET x 1", "GET y", "PUBLISH c m"}) a_.Text(line);
  EXPECT_EQ(admin_.Text("ACL SETUSER ann -set resetkeys ~z resetchannels"), "OK");
  EXPECT_EQ(a_.Text("EXEC"), "[" + changed + "execute the command or subcommand, " + changed +
                                 "touch the specified keys, " + changed +
                                 "access one of the channels used as arguments to the command]");
  EXPECT_EQ(admin_.Text("GET x"), "(nil)");
  EXPECT_NE(admin_.Text("ACL LOG 1").find("context, multi"), std::string::npos);
}

// The keys behind a SELECT that is refused are those of the database before it.
TEST_F(Users, ASelectThatIsRefusedAtExecLeavesTheDatabase) {
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw ~* +@all"), "OK");
  Login(a_, "ann");
  for (const char* line : {"MULTI", "SELECT 3", "SET x 1"}) a_.Text(line);
  EXPECT_EQ(admin_.Text("ACL SETUSER ann -select"), "OK");
  EXPECT_TRUE(a_.Text("EXEC").ends_with(", OK]"));
  EXPECT_EQ(admin_.Text("GET x"), "1");
}

TEST_F(Users, TheLogSaysWhichClientWasRefused) {
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw +@all -get"), "OK");
  Login(a_, "ann");
  EXPECT_EQ(a_.Text("CLIENT SETNAME annie"), "OK");
  EXPECT_TRUE(a_.Text("GET x").starts_with("NOPERM "));
  const std::string log = admin_.Text("ACL LOG 1");
  EXPECT_NE(log.find(" addr=127.0.0.1:"), std::string::npos) << log;
  EXPECT_NE(log.find(" name=annie "), std::string::npos) << log;
}

TEST_F(Users, AfterResetOneIsNobodyOfBefore) {
  EXPECT_EQ(admin_.Text("ACL SETUSER ann on >pw +@all"), "OK");
  EXPECT_EQ(admin_.Text("CONFIG SET requirepass secret"), "OK");
  Login(a_, "ann");
  EXPECT_EQ(a_.Text("RESET"), "RESET");
  const std::string list = admin_.Text("CLIENT LIST");
  EXPECT_EQ(list.find(" user=ann "), std::string::npos) << list;
  EXPECT_EQ(admin_.Text("CLIENT KILL USER ann"), "0");
}

}  // namespace
}  // namespace mayfly::server
