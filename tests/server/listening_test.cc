// Goal: a running server changes its addresses, or keeps them if that fails.
// Method: CONFIG SET of ports and addresses that are free, in use, or invalid.
#include <gtest/gtest.h>

#include "server/served.h"
#include "server/taken_port.h"

namespace mayfly::server {
namespace {

TEST(Listening, MovesToAnotherPort) {
  Served served;
  const int before = served.port();
  TestClient client(before);
  EXPECT_EQ(client.Text("CONFIG GET port"), "[port, " + std::to_string(before) + "]");
  const int after = FreePort();
  EXPECT_EQ(client.Text("CONFIG SET port " + std::to_string(after)), "OK");
  EXPECT_EQ(TestClient(after).Text("PING"), "PONG");
  EXPECT_THROW(TestClient gone(before), std::exception);
  // Connected clients stay, and see the new port.
  EXPECT_NE(client.Text("INFO server").find("tcp_port:" + std::to_string(after) + "\r\n"),
            std::string::npos);
}

TEST(Listening, StaysWhenAPortIsTaken) {
  Served served;
  TestClient client(served.port());
  const TakenPort taken;
  EXPECT_EQ(client.Text("CONFIG SET maxclients 77 port " + std::to_string(taken.number())),
            "ERR CONFIG SET failed (possibly related to argument 'port') - Unable to listen on "
            "this port. Check server logs.");
  EXPECT_EQ(client.Text("CONFIG GET maxclients"), "[maxclients, 10000]");
  EXPECT_EQ(client.Text("CONFIG GET port"), "[port, " + std::to_string(served.port()) + "]");
  EXPECT_EQ(TestClient(served.port()).Text("PING"), "PONG");
}

TEST(Listening, TakesMoreAddressesOfTheSamePort) {
  Served served("bind", "127.0.0.1");
  TestClient client(served.port());
  EXPECT_THROW(TestClient("127.0.0.2", served.port()), std::exception);
  EXPECT_EQ(client.Text("CONFIG SET bind *"), "OK");
  EXPECT_EQ(TestClient("127.0.0.2", served.port()).Text("PING"), "PONG");
  EXPECT_EQ(client.Text("CONFIG SET bind 127.0.0.1"), "OK");
  EXPECT_THROW(TestClient("127.0.0.2", served.port()), std::exception);
  EXPECT_EQ(TestClient(served.port()).Text("PING"), "PONG");
}

TEST(Listening, StaysWhenAnAddressIsNone) {
  Served served("bind", "127.0.0.1");
  TestClient client(served.port());
  EXPECT_EQ(client.Text("CONFIG SET bind 999.999.999.999"),
            "ERR CONFIG SET failed (possibly related to argument 'bind') - Failed to bind to "
            "specified addresses.");
  EXPECT_EQ(client.Text("CONFIG GET bind"), "[bind, 127.0.0.1]");
  EXPECT_EQ(TestClient(served.port()).Text("PING"), "PONG");
}

}  // namespace
}  // namespace mayfly::server
