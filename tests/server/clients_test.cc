// Goal: PING, HELLO, SELECT, AUTH, CLIENT, RESET and MONITOR reply as in Redis 7.0.
// Method: clients on sockets.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/temporary_directory.h"
#include "server/served.h"

namespace mayfly::server {
namespace {

TEST(Clients, PingAndEcho) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("PING"), "PONG");
  EXPECT_EQ(client.Text("PING hello"), "hello");
  EXPECT_EQ(client.Text("PING a b"), "ERR wrong number of arguments for 'ping' command");
  EXPECT_EQ(client.Text("ECHO x"), "x");
}

TEST(Clients, SelectTakesWhatThereIs) {
  Served served("databases", "4");
  TestClient client(served.port());
  EXPECT_EQ(client.Text("SELECT 3"), "OK");
  EXPECT_EQ(client.Text("SELECT 4"), "ERR DB index is out of range");
  EXPECT_EQ(client.Text("SELECT -1"), "ERR DB index is out of range");
  EXPECT_EQ(client.Text("SELECT x"), "ERR value is not an integer or out of range");
}

TEST(Clients, HelloChangesTheProtocol) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Ask("HELLO").kind, Reply::Kind::kArray);
  const Reply hello = client.Ask("HELLO 3 SETNAME me");
  ASSERT_EQ(hello.kind, Reply::Kind::kMap);
  EXPECT_EQ(hello.items()[0].text(), "server");
  EXPECT_EQ(hello.items()[5].integer(), 3);
  EXPECT_EQ(client.Text("CLIENT GETNAME"), "me");
  EXPECT_EQ(client.Ask("GET nothing").kind, Reply::Kind::kNull);
  EXPECT_EQ(client.Text("HELLO 4"), "NOPROTO unsupported protocol version");
  EXPECT_EQ(client.Text("HELLO x"), "ERR Protocol version is not an integer or out of range");
  EXPECT_EQ(client.Text("HELLO 3 NAME"), "ERR Syntax error in HELLO option 'NAME'");
  EXPECT_EQ(client.Text("RESET"), "RESET");
  EXPECT_EQ(client.Ask("HELLO").kind, Reply::Kind::kArray);
  EXPECT_EQ(client.Text("CLIENT GETNAME"), "(nil)");
}

TEST(Clients, APasswordIsAskedForBeforeAnythingElse) {
  Served served("requirepass", "secret");
  TestClient client(served.port());
  EXPECT_EQ(client.Text("GET a"), "NOAUTH Authentication required.");
  EXPECT_EQ(client.Text("GET"), "ERR wrong number of arguments for 'get' command");
  EXPECT_EQ(client.Text("HELLO 3").substr(0, 13), "NOAUTH HELLO ");
  EXPECT_EQ(client.Text("AUTH wrong"),
            "WRONGPASS invalid username-password pair or user is disabled.");
  EXPECT_EQ(client.Text("AUTH default secre"),
            "WRONGPASS invalid username-password pair or user is disabled.");
  EXPECT_EQ(client.Text("AUTH secret"), "OK");
  EXPECT_EQ(client.Text("GET a"), "(nil)");
  EXPECT_EQ(client.Text("RESET"), "RESET");
  EXPECT_EQ(client.Text("GET a"), "NOAUTH Authentication required.");
  EXPECT_EQ(client.Ask("HELLO 3 AUTH default secret").kind, Reply::Kind::kMap);
  EXPECT_EQ(client.Text("CONFIG SET requirepass ''"), "OK");
  EXPECT_EQ(client.Text("AUTH x").substr(0, 24), "ERR AUTH <password> call");
  TestClient newcomer(served.port());
  EXPECT_EQ(newcomer.Text("GET a"), "(nil)");
}

TEST(Clients, AnAuthFreesTheCommandsBehindIt) {
  Served served("requirepass", "secret");
  TestClient client(served.port());
  client.Send("AUTH secret\r\nSET a 1\r\nGET a\r\n");
  EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_EQ(client.ReadText(), "1");
}

TEST(Clients, NamesAndLibraries) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("CLIENT GETNAME"), "(nil)");
  EXPECT_EQ(client.Text("CLIENT SETNAME 'a b'"),
            "ERR Client names cannot contain spaces, newlines or special characters.");
  EXPECT_EQ(client.Text("CLIENT SETNAME worker"), "OK");
  EXPECT_EQ(client.Text("CLIENT SETINFO lib-name py"), "OK");
  EXPECT_EQ(client.Text("CLIENT SETINFO lib-x py"), "ERR Unrecognized option 'lib-x'");
  const std::string info = client.Text("CLIENT INFO");
  EXPECT_NE(info.find(" name=worker "), std::string::npos) << info;
  EXPECT_NE(info.find(" cmd=client|info "), std::string::npos) << info;
  EXPECT_NE(info.find(" lib-name=py "), std::string::npos) << info;
  EXPECT_NE(info.find(" db=0 "), std::string::npos) << info;
}

TEST(Clients, TheListShowsEverybody) {
  Served served;
  TestClient one(served.port());
  TestClient two(served.port());
  const std::string id = two.Text("CLIENT ID");
  two.Text("CLIENT SETNAME two");
  const std::string list = one.Text("CLIENT LIST");
  EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), 2) << list;
  const std::string by_id = one.Text("CLIENT LIST ID " + id);
  EXPECT_NE(by_id.find("name=two"), std::string::npos) << by_id;
  EXPECT_EQ(one.Text("CLIENT LIST TYPE pubsub"), "");
  EXPECT_EQ(one.Text("CLIENT LIST TYPE x"), "ERR Unknown client type 'x'");
  EXPECT_EQ(one.Text("CLIENT LIST x"), "ERR syntax error");
}

TEST(Clients, KillClosesWhoIsMeant) {
  Served served;
  TestClient mine(served.port());
  TestClient other(served.port());
  const std::string id = other.Text("CLIENT ID");
  EXPECT_EQ(mine.Text("CLIENT KILL ID 99999"), "0");
  EXPECT_EQ(mine.Text("CLIENT KILL ID x"), "ERR client-id should be greater than 0");
  EXPECT_EQ(mine.Text("CLIENT KILL ID " + id), "1");
  EXPECT_TRUE(other.Closed());
  EXPECT_EQ(mine.Text("CLIENT KILL 1.2.3.4:5"), "ERR No such client");
  EXPECT_EQ(mine.Text("CLIENT KILL TYPE normal"), "0");
  EXPECT_EQ(mine.Text("CLIENT KILL TYPE normal SKIPME no"), "1");
  EXPECT_TRUE(mine.Closed());
}

TEST(Clients, KillFindsThoseOfAnAge) {
  ManualClock clock(WallTimeFromMs(0));
  Served served({}, nullptr, clock);
  TestClient old(served.port());
  EXPECT_EQ(old.Text("PING"), "PONG");
  clock.Advance(Millis(3000));
  TestClient mine(served.port());
  EXPECT_EQ(mine.Text("PING"), "PONG");
  clock.Advance(Millis(6999));
  EXPECT_EQ(mine.Text("CLIENT KILL MAXAGE 10"), "0");
  clock.Advance(Millis(1));
  EXPECT_EQ(mine.Text("CLIENT KILL MAXAGE 11"), "0");
  EXPECT_EQ(mine.Text("CLIENT KILL MAXAGE 10 TYPE pubsub"), "0");
  EXPECT_EQ(mine.Text("CLIENT KILL MAXAGE 10 SKIPME no"), "1");
  EXPECT_TRUE(old.Closed());
  clock.Advance(Millis(3000));
  EXPECT_EQ(mine.Text("CLIENT KILL MAXAGE 10"), "0");  // Not itself.
  EXPECT_EQ(mine.Text("CLIENT KILL MAXAGE 10 SKIPME no"), "1");
  EXPECT_TRUE(mine.Closed());
}

TEST(Clients, KillRefusesAnAgeThatIsNone) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("CLIENT KILL MAXAGE 0"), "ERR maxage should be greater than 0");
  EXPECT_EQ(client.Text("CLIENT KILL MAXAGE -1"), "ERR maxage should be greater than 0");
  EXPECT_EQ(client.Text("CLIENT KILL MAXAGE x"), "ERR maxage is not an integer or out of range");
  EXPECT_EQ(client.Text("CLIENT KILL MAXAGE 1 ID"), "ERR syntax error");
}

TEST(Clients, RepliesCanBeSwitchedOff) {
  Served served;
  TestClient client(served.port());
  client.Send("CLIENT REPLY OFF\r\nSET a 1\r\nPING\r\nCLIENT REPLY ON\r\nGET a\r\n");
  EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_EQ(client.ReadText(), "1");
  client.Send("CLIENT REPLY SKIP\r\nSET a 2\r\nGET a\r\n");
  EXPECT_EQ(client.ReadText(), "2");
  client.Send("CLIENT REPLY SKIP\r\nPING\r\nGET a\r\n");
  EXPECT_EQ(client.ReadText(), "2");
}

TEST(Clients, APauseHoldsWritesBack) {
  Served served;
  TestClient other(served.port());
  TestClient mine(served.port());
  EXPECT_EQ(mine.Text("CLIENT PAUSE 100000 WRITE"), "OK");
  EXPECT_EQ(other.Text("GET a"), "(nil)");
  other.Send("SET a 1\r\nGET a\r\n");
  EXPECT_EQ(mine.Text("GET a"), "(nil)");
  EXPECT_TRUE(other.Quiet());
  EXPECT_EQ(mine.Text("CLIENT UNPAUSE"), "OK");
  EXPECT_EQ(other.ReadText(), "OK");
  EXPECT_EQ(other.ReadText(), "1");
  EXPECT_EQ(mine.Text("CLIENT PAUSE 20 ALL"), "OK");
  EXPECT_EQ(other.Text("PING"), "PONG");
  EXPECT_EQ(mine.Text("CLIENT PAUSE -1"), "ERR timeout is negative");
  EXPECT_EQ(mine.Text("CLIENT PAUSE 1 SOME"), "ERR CLIENT PAUSE mode must be WRITE or ALL");
}

TEST(Clients, QuitAnswersAndCloses) {
  Served served;
  TestClient client(served.port());
  client.Send("SET a 1\r\nQUIT\r\nSET a 2\r\n");
  EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_TRUE(client.Closed());
  TestClient other(served.port());
  EXPECT_EQ(other.Text("GET a"), "1");
}

TEST(Clients, AMonitorSeesCommandsAsTheyRun) {
  Served served;
  TestClient monitor(served.port());
  EXPECT_EQ(monitor.Text("MONITOR"), "OK");
  TestClient client(served.port());
  client.Text("SELECT 2");
  client.Text("SET a \"x\\\"\\x01\"");
  EXPECT_TRUE(monitor.ReadText().ends_with("] \"SELECT\" \"2\""));
  const std::string line = monitor.ReadText();
  EXPECT_TRUE(line.starts_with("1700000000.000000 [2 127.0.0.1:")) << line;
  EXPECT_TRUE(line.ends_with("] \"SET\" \"a\" \"x\\\"\\x01\"")) << line;
}

TEST(Clients, AMonitorSeesExecBehindWhatItRan) {
  Served served;
  TestClient monitor(served.port());
  EXPECT_EQ(monitor.Text("MONITOR"), "OK");
  TestClient client(served.port());
  for (const char* line : {"MULTI", "SET a 1", "EXEC", "MULTI", "NONSENSE", "EXEC"}) {
    client.Text(line);
  }
  for (const char* end :
       {"\"MULTI\"", "\"SET\" \"a\" \"1\"", "\"EXEC\"", "\"MULTI\"", "\"EXEC\""}) {
    const std::string line = monitor.ReadText();
    EXPECT_TRUE(line.ends_with(end)) << line;
  }
}

TEST(Clients, TheListShowsWhatWaitsInBuffers) {
  Served served;
  TestClient client(served.port());
  client.Text("SET a " + std::string(5000, 'x'));
  client.Text("GET a");
  client.Send("*2\r\n$6\r\nCLIENT\r\n$4\r\nLIST\r\n");
  const std::string line = client.ReadText();
  EXPECT_NE(line.find(" qbuf=26 "), std::string::npos) << line;
  EXPECT_NE(line.find(" obl=0 oll=0 omem=0 "), std::string::npos) << line;
  EXPECT_NE(line.find(" events=r "), std::string::npos) << line;
}

TEST(Clients, AUnixSocketServesAsWell) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("socket");
  Served served({{"unixsocket", path}, {"unixsocketperm", "700"}});
  TestClient client(path);
  EXPECT_EQ(client.Text("PING"), "PONG");
  EXPECT_NE(client.Text("CLIENT INFO").find(" flags=U "), std::string::npos);
}

// Its thread is busy with another client, so that it cannot be closed yet.
TEST(Clients, OneThatWasKilledTakesPartInNothing) {
  Served served("enable-debug-command", "yes");
  TestClient sleeps(served.port());
  TestClient mine(served.port());
  TestClient waits(served.port());  // On the thread of the first.
  const std::string id = waits.Text("CLIENT ID");
  waits.SendLine("BPOP a 0");
  served.AwaitBlocked(1);
  sleeps.SendLine("DEBUG SLEEP 0.5");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(mine.Text("PING"), "PONG");
  EXPECT_EQ(mine.Text("CLIENT KILL ID " + id), "1");
  EXPECT_EQ(mine.Text("CLIENT LIST ID " + id), "");
  EXPECT_EQ(mine.Text("SET a 1"), "OK");
  EXPECT_EQ(mine.Text("GET a"), "1");
  EXPECT_TRUE(waits.Closed());
}

}  // namespace
}  // namespace mayfly::server
