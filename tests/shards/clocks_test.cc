// Goal: servers find out how far their clocks are apart, by their own connections. Method: servers in
// one process over shards in memory, each with a clock that the test moves; they ask each other
// when the test says so.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cluster/clock_comparison.h"
#include "cluster/peer_clocks.h"
#include "shards/cluster_served.h"

namespace mayfly::server {
namespace {

using State = ClusterClocks::State;
constexpr Millis kHour = std::chrono::hours(1);

class WarningLog final : public Logger {
 public:
  bool Wants(LogLevel level) const override { return level >= LogLevel::kInfo; }
  void Write(LogLevel, std::string_view line) override { lines.emplace_back(line); }

  std::vector<std::string> lines;
};

class Clocks : public testing::Test {
 protected:
  void Start(std::size_t servers) {
    std::vector<const Clock*> clocks;
    for (std::size_t i = 0; i < servers; ++i) {
      walls.push_back(std::make_unique<ManualClock>(kStart));
      clocks.push_back(walls.back().get());
    }
    served = std::make_unique<ClusterServed>(ClusterServed::Options{
        .servers = servers, .settings = settings, .server_clocks = std::move(clocks)});
    for (std::size_t i = 0; i < servers; ++i) {
      logs.push_back(std::make_unique<WarningLog>());
      compared.push_back(std::make_unique<cluster::ClockComparison>(*walls[i], bound));
      asking.push_back(std::make_unique<cluster::PeerClocks>(
          served->shards().directory(i), served->peers(i), *walls[i], *compared[i], *logs[i]));
    }
  }

  // Every server asks all others, until each has the answers to what it has asked.
  void AskAll() {
    for (const auto& one : asking) {
      one->Ask();
      while (one->waiting() > 0) std::this_thread::yield();
    }
  }
  State state(std::size_t server) const { return compared[server]->Report().state; }

  void TearDown() override {
    asking.clear();
    served.reset();
  }

  static constexpr WallTime kStart = WallTimeFromMs(1'700'000'000'000);
  const std::atomic<std::int64_t> bound{1000};
  Served::Settings settings;
  std::vector<std::unique_ptr<ManualClock>> walls;
  std::vector<std::unique_ptr<WarningLog>> logs;
  std::vector<std::unique_ptr<cluster::ClockComparison>> compared;
  std::unique_ptr<ClusterServed> served;
  std::vector<std::unique_ptr<cluster::PeerClocks>> asking;
};

TEST_F(Clocks, OfTwoServersTheOneAheadRemovesNothingBeforeTheOther) {
  Start(2);
  EXPECT_EQ(compared[0]->Latest(), WallTime::min());
  AskAll();
  EXPECT_EQ(state(0), State::kAgree);
  EXPECT_EQ(state(1), State::kAgree);

  walls[0]->Set(kStart + kHour);
  AskAll();
  EXPECT_EQ(state(0), State::kAhead);
  EXPECT_LE(compared[0]->Latest(), kStart + Millis(bound));
  EXPECT_EQ(state(1), State::kBehind);
  EXPECT_GE(compared[1]->Latest(), kStart);

  walls[0]->Set(kStart);
  AskAll();
  EXPECT_EQ(state(0), State::kAgree);
  EXPECT_EQ(state(1), State::kAgree);
}

TEST_F(Clocks, OfThreeServersTheWrongOneAloneIsHeldUp) {
  Start(3);
  walls[1]->Set(kStart + kHour);
  AskAll();
  EXPECT_EQ(state(0), State::kAgree);
  EXPECT_EQ(state(1), State::kAhead);
  EXPECT_EQ(state(2), State::kAgree);
  walls[1]->Set(kStart - kHour);
  AskAll();
  EXPECT_EQ(state(0), State::kAgree);
  EXPECT_EQ(state(1), State::kBehind);
  EXPECT_EQ(state(2), State::kAgree);
}

TEST_F(Clocks, ADifferenceIsLoggedOnceByBothAndOnceWhenItIsOver) {
  Start(2);
  AskAll();
  walls[0]->Set(kStart + kHour);
  for (int i = 0; i < 3; ++i) AskAll();
  ASSERT_EQ(logs[0]->lines.size(), 2u);
  EXPECT_NE(logs[0]->lines[0].find("behind this one's"), std::string::npos) << logs[0]->lines[0];
  EXPECT_NE(logs[0]->lines[1].find("is hidden and not removed"), std::string::npos)
      << logs[0]->lines[1];
  ASSERT_EQ(logs[1]->lines.size(), 2u);
  EXPECT_NE(logs[1]->lines[0].find("ahead of this one's"), std::string::npos) << logs[1]->lines[0];
  walls[0]->Set(kStart);
  for (int i = 0; i < 3; ++i) AskAll();
  ASSERT_EQ(logs[0]->lines.size(), 3u);
  EXPECT_NE(logs[0]->lines[2].find("the clocks agree"), std::string::npos) << logs[0]->lines[2];
}

// Nothing proves that its clock is right.
TEST_F(Clocks, AServerThatCannotBeAskedIsUnknown) {
  settings = {{"requirepass", "secret"}};
  Start(2);
  AskAll();
  EXPECT_EQ(state(0), State::kUnknown);
  EXPECT_EQ(compared[0]->Latest(), WallTime::min());
}

TEST_F(Clocks, AServerThatHasGoneIsNotAsked) {
  Start(2);
  AskAll();
  served->shards().SetState(1, ClusterMember::State::kGone);
  AskAll();
  EXPECT_EQ(state(0), State::kAlone);
}

}  // namespace
}  // namespace mayfly::server
