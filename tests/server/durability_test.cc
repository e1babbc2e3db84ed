// Goal: appendfsync: when commits are made durable, and the reply when that fails.
// Method: a database that counts its syncs; the test calls Tick() itself.
#include <gtest/gtest.h>

#include "server/net/fsync_thread.h"
#include "server/served.h"

namespace mayfly::server {
namespace {

// Syncs of the database within one Tick().
int Second(Served& served) {
  const int before = served.database().persisted;
  FsyncThread(served.server()).Tick();
  return served.database().persisted - before;
}

TEST(Durability, AlwaysIsBeforeTheReply) {
  Served served("appendfsync", "always");
  TestClient client(served.port());
  EXPECT_EQ(client.Text("SET a 1"), "OK");
  EXPECT_EQ(served.database().persisted, 1);
  EXPECT_EQ(client.Text("GET a"), "1");
  EXPECT_EQ(served.database().persisted, 1) << "nothing was changed";
  for (const char* line : {"MULTI", "SET a 2", "SET b 2", "EXEC"}) client.Text(line);
  EXPECT_EQ(served.database().persisted, 2) << "a transaction is one commit";
  EXPECT_EQ(client.Text("FLUSHALL"), "OK");
  EXPECT_EQ(served.database().persisted, 3);
}

TEST(Durability, AlwaysThatFailsIsAnError) {
  Served served("appendfsync", "always");
  TestClient client(served.port());
  served.database().fails = true;
  EXPECT_EQ(client.Text("SET a 1").substr(0, 4), "ERR ");
  served.database().fails = false;
  EXPECT_EQ(client.Text("SET a 1"), "OK");
}

// The exchange is stored with the commit, so clients must see it, too: else the next start would
// show another database than the last run did.
TEST(Durability, SwapThatIsStoredCountsThoughTheDiskRefuses) {
  Served served("appendfsync", "always");
  TestClient client(served.port());
  EXPECT_EQ(client.Text("SET a zero"), "OK");
  served.database().fails = true;
  EXPECT_EQ(client.Text("SWAPDB 0 1").substr(0, 4), "ERR ");
  served.database().fails = false;
  EXPECT_EQ(client.Text("GET a"), "(nil)");
  EXPECT_EQ(client.Text("SELECT 1"), "OK");
  EXPECT_EQ(client.Text("GET a"), "zero");
  // Another exchange starts from there.
  EXPECT_EQ(client.Text("SWAPDB 0 1"), "OK");
  EXPECT_EQ(client.Text("GET a"), "(nil)");
  EXPECT_EQ(client.Text("SELECT 0"), "OK");
  EXPECT_EQ(client.Text("GET a"), "zero");
}

TEST(Durability, EverySecondIsOnceForAllCommits) {
  Served served("appendfsync", "no");  // The server's own thread does nothing, then.
  TestClient client(served.port());
  for (const char* line : {"SET a 1", "SET b 1"}) EXPECT_EQ(client.Text(line), "OK");
  EXPECT_EQ(Second(served), 0);
  EXPECT_EQ(served.server().changes_since_save, 2u);

  Config& config = served.config();
  ASSERT_TRUE(config.SetAtStart("appendfsync", "everysec").ok());
  Second(served);
  EXPECT_GE(served.database().persisted, 1) << "by the test or by the server";
  EXPECT_EQ(served.server().changes_since_save, 0u);
  EXPECT_EQ(Second(served), 1) << "others than commands may have committed";
}

TEST(Durability, EverySecondTriesAgainAndTellsMeanwhile) {
  Served served("appendfsync", "everysec");
  TestClient client(served.port());
  served.database().fails = true;
  EXPECT_EQ(client.Text("SET a 1"), "OK");
  EXPECT_EQ(Second(served), 0);
  EXPECT_FALSE(served.server().last_save_ok);
  EXPECT_NE(client.Text("INFO persistence").find("rdb_last_bgsave_status:err"), std::string::npos);
  served.database().fails = false;
  Second(served);
  EXPECT_TRUE(served.server().last_save_ok);
  EXPECT_EQ(served.server().changes_since_save, 0u);
}

TEST(Durability, TheServersOwnThreadDoesTheSecondsWork) {
  Served served("appendfsync", "everysec");
  TestClient client(served.port());
  EXPECT_EQ(client.Text("SET a 1"), "OK");
  while (served.database().persisted == 0) std::this_thread::yield();
  EXPECT_EQ(client.Text("GET a"), "1");
}

TEST(Durability, NeverIsOnlyAtTheEnd) {
  Served served("appendfsync", "no");
  TestClient client(served.port());
  EXPECT_EQ(client.Text("SET a 1"), "OK");
  EXPECT_EQ(Second(served), 0);
  client.SendLine("SHUTDOWN");
  EXPECT_TRUE(served.Join().ok());
  EXPECT_EQ(served.database().persisted, 1);
}

TEST(Durability, SaveIsAtOnceInEveryMode) {
  for (const char* mode : {"always", "everysec", "no"}) {
    // Only a database with a folder can be saved.
    const Served::Settings settings = {{"appendfsync", mode}, {"dir", "kept"}};
    Served served(settings);
    TestClient client(served.port());
    EXPECT_EQ(client.Text("SET a 1"), "OK");
    const int before = served.database().persisted;
    EXPECT_EQ(client.Text("SAVE"), "OK");
    EXPECT_GE(served.database().persisted - before, 1) << mode;
    EXPECT_EQ(served.server().changes_since_save, 0u) << mode;
  }
}

// A commit that could not be made durable has happened nevertheless, so its waiters are served.
TEST(Durability, AlwaysThatFailsWakesThoseWhoWait) {
  Served served("appendfsync", "always");
  TestClient first(served.port());
  TestClient second(served.port());
  TestClient pushes(served.port());
  first.SendLine("BPOP a 0");
  served.AwaitBlocked(1);
  second.SendLine("BPOP a 0");
  served.AwaitBlocked(2);
  served.database().fails = true;
  EXPECT_EQ(pushes.Text("SET a 1").substr(0, 4), "ERR ");
  EXPECT_EQ(first.ReadText().substr(0, 4), "ERR ") << "it has taken the value";
  served.database().fails = false;
  EXPECT_EQ(pushes.Text("SET a 2"), "OK");
  EXPECT_EQ(second.ReadText(), "[a, 2]");
}

}  // namespace
}  // namespace mayfly::server
