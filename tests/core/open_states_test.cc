// Goal: OpenStates knows whether a state is older than a mark, and can revoke states.
// Method: states of a memory engine, in every order of opening and closing.
#include "core/store/open_states.h"

#include <gtest/gtest.h>

#include "tests/engine/engine_home.h"

namespace mayfly::core {
namespace {

constexpr WallTime Instant(std::int64_t ms) { return WallTimeFromMs(ms); }

class CountingReader final : public StateReader {
 public:
  void Revoke() override { ++revoked; }
  int revoked = 0;
};

class OpenStatesTest : public ::testing::Test {
 protected:
  std::shared_ptr<OpenStates::State> Open(StateKind kind, std::int64_t since_ms) {
    auto state = states_.Open(kind, Instant(since_ms));
    EXPECT_TRUE(state.has_value());
    return *std::move(state);
  }

  const std::unique_ptr<engine::suite::EngineHome> home_ = engine::suite::MemoryKind().new_home();
  const std::unique_ptr<engine::Engine> engine_ = home_->Open(nullptr);
  OpenStates states_{*engine_};
};

TEST_F(OpenStatesTest, KnowsWhetherAStateIsOlderThanAMark) {
  EXPECT_TRUE(states_.AllSince(states_.Mark()));
  auto older = Open(StateKind::kSnapshot, 1);
  const StateTicket mark = states_.Mark();
  auto younger = Open(StateKind::kCursor, 2);
  EXPECT_FALSE(states_.AllSince(mark));
  older.reset();
  EXPECT_TRUE(states_.AllSince(mark));
  EXPECT_FALSE(states_.AllSince(states_.Mark()));
}

TEST_F(OpenStatesTest, ListsThemOldestFirst) {
  const auto first = Open(StateKind::kSnapshot, 5);
  const auto second = Open(StateKind::kTransaction, 7);
  const auto list = states_.List();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].kind, StateKind::kSnapshot);
  EXPECT_EQ(list[1].since, Instant(7));
}

TEST_F(OpenStatesTest, TakesOldOnesAwayAndTellsTheirReaders) {
  const auto old = Open(StateKind::kSnapshot, 10);
  const auto young = Open(StateKind::kSnapshot, 20);
  const auto call = Open(StateKind::kCall, 1);
  CountingReader reader;
  ASSERT_TRUE(old->Attach(reader));
  EXPECT_EQ(states_.RevokeBefore(Instant(20), Instant(100)), 1u);
  EXPECT_EQ(reader.revoked, 1);
  EXPECT_EQ(old->Lend(), nullptr);
  EXPECT_FALSE(old->Attach(reader));
  EXPECT_NE(young->Lend(), nullptr);
  EXPECT_NE(call->Lend(), nullptr);
  EXPECT_EQ(states_.RevokeBefore(Instant(20), Instant(100)), 0u);
  EXPECT_EQ(states_.List().size(), 2u);
}

TEST_F(OpenStatesTest, CountsARevokedOneWhileACallStillReadsFromIt) {
  const auto state = Open(StateKind::kSnapshot, 1);
  auto lent = state->Lend();
  states_.RevokeBefore(Instant(2), Instant(100));
  EXPECT_FALSE(states_.AllSince(states_.Mark()));
  lent.reset();
  EXPECT_TRUE(states_.AllSince(states_.Mark()));
}

}  // namespace
}  // namespace mayfly::core
