// Goal: expiry events are kept as long as the settings say, and no longer.
// Method: rows of a database die and are purged; the test drives the trimmer and the time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/command/limits.h"
#include "server/plain_transaction_source.h"
#include "server/served.h"
#include "server/session/event_trimmer.h"
#include "server/test_commands.h"

namespace mayfly::server {
namespace {

// Rows of db0 die and are purged at this instant.
void Die(Database& database, ManualClock& clock, int count) {
  const auto keyspace = database.OpenKeyspace("db0").value();
  const Lifetime lifetime = Lifetime::For(Millis(1));
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(keyspace->Put(fmt::format("{}", i), "v", lifetime).ok());
  }
  clock.Advance(Millis(1));
  ASSERT_EQ(database.Purge().value().rows, static_cast<std::uint64_t>(count));
}

std::uint64_t First(const Database& database) {
  return database.GetStatistics().value().events_first;
}

// A server without threads, so that only the test trims.
class KeptEvents : public testing::Test {
 protected:
  void SetUp() override {
    Set("notify-keyspace-events", "Ex");
    server_ = Server::Open({.database = *database_,
                            .transactions = transactions_,
                            .config = config_,
                            .clock = clock_,
                            .real_clock = SystemClock::Process(),
                            .logger = SilentLogger(),
                            .table = TestTable()})
                  .value();
    trimmer_ = std::make_unique<EventTrimmer>(*server_);
    begin_ = server_->Steady();
  }

  void Set(const std::string& name, const std::string& text) {
    ASSERT_TRUE(config_.SetAtStart(name, text).ok());
  }
  void Die(int count) { server::Die(*database_, clock_, count); }
  std::uint64_t First() const { return server::First(*database_); }
  std::uint64_t Kept() const { return database_->ReadEvents(0, 100'000).value().size(); }

  // A tick so long after the first.
  void Tick(std::chrono::nanoseconds after) { trimmer_->Tick(begin_ + after, stopping_); }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  Config config_;
  const std::unique_ptr<Database> database_ = Database::Open({.clock = &clock_}).value();
  PlainTransactionSource transactions_{clock_};
  std::unique_ptr<Server> server_;
  std::unique_ptr<EventTrimmer> trimmer_;
  SteadyTime begin_;
  std::atomic<bool> stopping_{false};
};

TEST_F(KeptEvents, TheNewestStay) {
  Set("events-keep", "3");
  Die(3);
  Tick({});
  EXPECT_EQ(Kept(), 3u);
  Die(1);
  Tick(kEventTrimInterval);
  EXPECT_EQ(Kept(), 3u);
  EXPECT_EQ(First(), 2u);
}

TEST_F(KeptEvents, TheYoungStay) {
  Set("events-keep-ms", "1000");
  Die(2);
  clock_.Advance(Millis(999));
  Tick({});
  EXPECT_EQ(Kept(), 2u);
  clock_.Advance(Millis(1));
  Tick(kEventTrimInterval);
  EXPECT_EQ(Kept(), 2u) << "exactly as old as is kept";
  clock_.Advance(Millis(1));
  Tick(2 * kEventTrimInterval);
  EXPECT_EQ(Kept(), 0u);
}

TEST_F(KeptEvents, AreLookedAtNowAndThenOrWhenASettingChanges) {
  const auto nearly = kEventTrimInterval - std::chrono::nanoseconds(1);
  Set("events-keep", "3");
  Tick({});
  Die(5);
  Tick(nearly);
  EXPECT_EQ(Kept(), 5u);
  Tick(kEventTrimInterval);
  EXPECT_EQ(Kept(), 3u);
  Set("events-keep", "2");
  Tick(kEventTrimInterval);
  EXPECT_EQ(Kept(), 2u);
}

TEST_F(KeptEvents, ManyStepsAreOneTickAndNoneWhenItStops) {
  const auto steps = 3;
  Die(steps * static_cast<int>(kEventTrimStep));
  Set("events-keep", "1");
  stopping_ = true;
  Tick({});
  EXPECT_EQ(First(), 1u);
  stopping_ = false;
  Tick(kEventTrimInterval);
  EXPECT_EQ(Kept(), 1u);
}

TEST(KeptEventsOfAServer, AreTrimmedByItself) {
  Served served("notify-keyspace-events", "Ex");
  Die(served.database(), served.clock(), 5);
  TestClient client(served.port());
  EXPECT_EQ(client.Text("CONFIG SET events-keep 2"), "OK");
  while (First(served.database()) != 4) std::this_thread::yield();
  EXPECT_EQ(served.database().LastEventSequence(), 5u);
  EXPECT_EQ(client.Text("CONFIG SET events-keep 0"),
            "ERR CONFIG SET failed (possibly related to argument 'events-keep') - argument must be "
            "between 1 and 9223372036854775807 inclusive");
}

}  // namespace
}  // namespace mayfly::server
