// Goal: start and stop: ports in use, SHUTDOWN, stopping with clients connected.
// Method: whole servers, started and stopped.
#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "server/net/network.h"
#include "server/served.h"

namespace mayfly::server {
namespace {

std::string StartError(const Served::Settings& settings) {
  try {
    const Served served(settings);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Shutdown, TheCommandStopsTheServer) {
  Served served;
  TestClient client(served.port());
  TestClient other(served.port());
  EXPECT_EQ(other.Text("SET a 1"), "OK");
  client.SendLine("SHUTDOWN NOSAVE");
  EXPECT_TRUE(client.Closed());
  EXPECT_TRUE(other.Closed());
  EXPECT_TRUE(served.Join().ok());
  EXPECT_THROW(TestClient(served.port()), std::runtime_error);
}

TEST(Shutdown, WrongWordsDoNot) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("SHUTDOWN LATER"), "ERR syntax error");
  EXPECT_EQ(client.Text("SHUTDOWN ABORT"), "ERR No shutdown in progress.");
  EXPECT_EQ(client.Text("PING"), "PONG");
}

TEST(Shutdown, RepliesUnderWayAreSent) {
  Served served;
  TestClient client(served.port());
  client.Send("SET a 1\r\nGET a\r\nSHUTDOWN\r\n");
  EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_EQ(client.ReadText(), "1");
  EXPECT_TRUE(client.Closed());
}

TEST(Shutdown, BlockedClientsDoNotHoldItUp) {
  Served served;
  TestClient waits(served.port());
  waits.SendLine("BPOP a 0");
  served.AwaitBlocked(1);
  served.network().Stop();
  EXPECT_TRUE(waits.Closed());
  EXPECT_TRUE(served.Join().ok());
  EXPECT_EQ(served.server().waiting().size(), 0u);
}

TEST(Shutdown, APortThatIsTakenIsNamed) {
  Served served;
  const std::string port = std::to_string(served.port());
  EXPECT_EQ(StartError({{"port", port}}),
            "IoError: cannot listen on 127.0.0.1:" + port + ": Address already in use");
}

TEST(Shutdown, BadAddressesAreNamed) {
  EXPECT_TRUE(StartError({{"bind", "example.org"}}).find("'example.org'") != std::string::npos);
  EXPECT_TRUE(StartError({{"bind", "192.0.2.1"}}).find("192.0.2.1") != std::string::npos);
  EXPECT_EQ(StartError({{"bind", "127.0.0.1 -192.0.2.1"}}), "");
  // None at all, with another way in only.
  EXPECT_EQ(StartError({{"bind", ""}}), "Invalid: bind names no address to listen on");
  EXPECT_TRUE(StartError({{"http-bind", "x"}}).find("http-bind 'x'") != std::string::npos);
}

TEST(Shutdown, TlsWithoutFilesIsRefused) {
  EXPECT_EQ(StartError({{"tls-port", "1"}}), "Invalid: TLS needs tls-cert-file and tls-key-file");
  EXPECT_EQ(StartError({{"http-tls", "yes"}}), "Invalid: TLS needs tls-cert-file and tls-key-file");
  EXPECT_TRUE(
      StartError({{"tls-port", "1"}, {"tls-cert-file", "/missing"}, {"tls-key-file", "/missing"}})
          .find("tls-cert-file '/missing'") != std::string::npos);
}

TEST(Shutdown, AnAbandonedUnixSocketIsReplaced) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("socket");
  {
    Served served("unixsocket", path);
    EXPECT_TRUE(StartError({{"unixsocket", path}}).find(path) != std::string::npos);
    EXPECT_EQ(TestClient(path).Text("PING"), "PONG");
  }
  Served served("unixsocket", path);
  EXPECT_EQ(TestClient(path).Text("PING"), "PONG");
}

}  // namespace
}  // namespace mayfly::server
