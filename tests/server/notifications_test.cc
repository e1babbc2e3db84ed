// Goal: keyspace notifications: which are published, and when none.
// Method: a publisher that records messages; a database that purges.
#include <gtest/gtest.h>

#include <mutex>

#include "server/command/core_transaction_source.h"
#include "server/served.h"
#include "types/hash.h"

namespace mayfly::server {
namespace {

class Notes final : public Publisher {
 public:
  void Publish(Bytes channel, Bytes message) override {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::string(channel) + " " + std::string(message));
  }
  Counts counts() const override { return {}; }

  std::vector<std::string> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(notes_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> notes_;
};

using Lines = std::vector<std::string>;

TEST(Notifications, GoOutAfterTheCommit) {
  Notes notes;
  Served served({{"notify-keyspace-events", "KE$"}}, &notes);
  TestClient client(served.port());
  client.Text("SELECT 3");
  client.Text("SET a 1");
  EXPECT_EQ(notes.Take(), (Lines{"__keyspace@3__:a set", "__keyevent@3__:set a"}));
  client.Text("FAIL a 1");
  EXPECT_EQ(notes.Take(), Lines());
  served.transactions().FailNextCommit();
  client.Text("SET a 2");
  EXPECT_EQ(notes.Take(), Lines());
}

TEST(Notifications, FollowTheSetting) {
  Notes notes;
  Served served({}, &notes);
  TestClient client(served.port());
  client.Text("SET a 1");
  EXPECT_EQ(notes.Take(), Lines());
  client.Text("CONFIG SET notify-keyspace-events E$");
  client.Text("SET a 1");
  EXPECT_EQ(notes.Take(), (Lines{"__keyevent@0__:set a"}));
  client.Text("CONFIG SET notify-keyspace-events El");
  client.Text("SET a 1");
  EXPECT_EQ(notes.Take(), Lines());
}

TEST(Notifications, TheDeadAreToldWhenTheyArePurged) {
  Notes notes;
  Served served({{"notify-keyspace-events", "Ex"}}, &notes);
  Database& database = served.server().database();
  const auto keyspace = database.OpenKeyspace("db2").value();
  ASSERT_TRUE(keyspace->Put("k", "v", Lifetime::For(Millis(10))).ok());
  served.clock().Advance(Millis(9));
  ASSERT_TRUE(database.Purge().has_value());
  EXPECT_EQ(notes.Take(), Lines());
  served.clock().Advance(Millis(1));
  ASSERT_TRUE(database.Purge().has_value());
  EXPECT_EQ(notes.Take(), (Lines{"__keyevent@2__:expired k"}));
}

// A hash with a field that dies after 10 ms and one that does not.
void PutHash(Database& database, const Keyspace& keyspace) {
  core::KeySet scope;
  scope.keys.push_back({&keyspace, "hash"});
  CoreTransactionSource transactions(database);
  const auto transaction = transactions.Begin(scope).value();
  types::Hash hash = types::Hash::Open(transaction->In(keyspace), "hash").value();
  const WallTime deadline = transaction->now() + Millis(10);
  ASSERT_TRUE(hash.Put("mortal", "v", core::MemberLifetime::Until(deadline)).has_value());
  ASSERT_TRUE(hash.Put("other", "v").has_value());
  ASSERT_TRUE(transaction->Commit().ok());
}

TEST(Notifications, AFieldThatDiesIsToldAsTheHashsAndNotAsAKey) {
  for (const auto& [classes, told] :
       std::vector<std::pair<std::string, Lines>>{{"Eh", {"__keyevent@2__:hexpired hash"}},
                                                  {"Ex", {}},
                                                  {"EA", {"__keyevent@2__:hexpired hash"}}}) {
    Notes notes;
    Served served({{"notify-keyspace-events", classes}}, &notes);
    Database& database = served.database().inner();
    const auto keyspace = database.OpenKeyspace("db2").value();
    PutHash(database, *keyspace);
    served.clock().Advance(Millis(9));
    ASSERT_TRUE(database.Purge().has_value());
    EXPECT_EQ(notes.Take(), Lines());
    served.clock().Advance(Millis(1));
    ASSERT_TRUE(database.Purge().has_value());
    EXPECT_EQ(notes.Take(), told) << classes;
  }
}

}  // namespace
}  // namespace mayfly::server
