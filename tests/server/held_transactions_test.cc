// Goal: calls of the server and the database within a transaction that holds latches return, even
// if others wait for these keys. Method: the core in memory, clients on both threads; a missing
// reply ends the test.
#include <gtest/gtest.h>

#include "server/front_served.h"

namespace mayfly::server {
namespace {

class HeldTransactions : public testing::Test {
 protected:
  std::string Exec(const std::vector<std::string>& lines) {
    a_.Text("MULTI");
    for (const std::string& line : lines) a_.Text(line);
    return a_.Text("EXEC");
  }

  FrontServed served_;
  TestClient a_{served_.port()};
  TestClient b_{served_.port()};
};

// Events are switched on for all keys of a database, some of which the transaction holds.
TEST_F(HeldTransactions, NotificationsAreNotSwitchedWithinATransaction) {
  EXPECT_EQ(Exec({"SET x 1", "CONFIG SET notify-keyspace-events KEA"}),
            "[OK, ERR CONFIG SET failed (possibly related to argument 'notify-keyspace-events') - "
            "it cannot be changed within a transaction]");
  EXPECT_EQ(b_.Text("CONFIG SET notify-keyspace-events KEA"), "OK");
  EXPECT_EQ(Exec({"SET x 2", "CONFIG SET notify-keyspace-events AKE timeout 7"}), "[OK, OK]");
  EXPECT_EQ(b_.Text("CONFIG GET timeout"), "[timeout, 7]");
}

// The database is created for them, though they name no key of it.
TEST_F(HeldTransactions, CommandsWithoutKeysFindTheDatabaseThatWasSelected) {
  EXPECT_EQ(Exec({"SELECT 5", "DBSIZE", "KEYS *", "RANDOMKEY", "SCAN 0", "SELECT 0"}),
            "[OK, 0, [], (nil), [0, []], OK]");
}

TEST_F(HeldTransactions, FiguresAreThereWhilePoliciesChange) {
  for (int round = 0; round < 200; ++round) {
    b_.SendLine("TTL.POLICY SET default-ttl " + std::to_string(1000 + round));
    a_.Send("MULTI\r\nSET x 1\r\nINFO\r\nSELECT " + std::to_string(round % 16) +
            "\r\nMEMORY STATS\r\nSELECT 0\r\nEXEC\r\n");
    for (int i = 0; i < 6; ++i) a_.ReadText();
    EXPECT_TRUE(a_.ReadText().starts_with("[OK, "));
    b_.ReadText();
  }
}

// Each sets its own field of one policy and checks it, on its own thread.
TEST_F(HeldTransactions, PoliciesThatAreSetAtOnceLoseNothing) {
  constexpr int kRounds = 8000;
  const auto ask = [](TestClient& client, const std::string& field) {
    std::string all;
    for (int round = 1; round <= kRounds; ++round) {
      all += "TTL.POLICY SET " + field + " " + std::to_string(1 + round % 900) +
             "\r\nTTL.POLICY GET\r\n";
    }
    client.Send(all);
  };
  const auto expect = [](TestClient& client, const std::string& field) {
    for (int round = 1; round <= kRounds; ++round) {
      EXPECT_EQ(client.ReadText(), "OK");
      const std::string policy = client.ReadText();
      const std::string wanted = field + ", " + std::to_string(1 + round % 900) + ",";
      EXPECT_NE(policy.find(wanted), std::string::npos) << wanted << " of " << policy;
    }
  };
  ask(a_, "default-ttl");
  ask(b_, "jitter");
  expect(a_, "default-ttl");
  expect(b_, "jitter");
}

}  // namespace
}  // namespace mayfly::server
