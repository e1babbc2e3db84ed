// Goal: a script and latched transactions never overlap, and no thread waits for a script for long.
// Method: doors of threads that go in and out as fast as they can, and one that shuts; waits end by
// a manual clock.
#include "server/session/script_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "server/command/limits.h"

namespace mayfly::server {
namespace {

class ScriptGateTest : public ::testing::Test {
 protected:
  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  ScriptGate gate_{clock_};
};

TEST_F(ScriptGateTest, AnOpenGateLetsEverybodyIn) {
  ScriptGate::Door& a = gate_.NewDoor();
  ScriptGate::Door& b = gate_.NewDoor();
  EXPECT_TRUE(gate_.Enter(a));
  EXPECT_TRUE(gate_.Enter(b));
  EXPECT_EQ(gate_.shut_since(), std::nullopt);
  EXPECT_FALSE(gate_.Await({}));
  gate_.Leave(a);
  gate_.Leave(b);
}

TEST_F(ScriptGateTest, AShutGateLetsNobodyInUntilItOpens) {
  ScriptGate::Door& door = gate_.NewDoor();
  const SteadyTime now = clock_.Steady();
  EXPECT_TRUE(gate_.Shut(now));
  EXPECT_FALSE(gate_.Shut(now));
  EXPECT_EQ(gate_.shut_since(), now);
  clock_.Advance(kScriptShortTime);
  EXPECT_FALSE(gate_.Enter(door));
  EXPECT_TRUE(gate_.Await({}));
  gate_.Open();
  EXPECT_TRUE(gate_.Enter(door));
  gate_.Leave(door);
}

TEST_F(ScriptGateTest, AVisitEndsOnce) {
  ScriptGate::Door& door = gate_.NewDoor();
  {
    ScriptGateVisit visit(gate_, door);
    EXPECT_TRUE(visit.inside());
    visit.Leave();
    EXPECT_FALSE(visit.inside());
    EXPECT_TRUE(gate_.Shut(clock_.Steady()));
    clock_.Advance(kScriptShortTime);
    const ScriptGateVisit refused(gate_, door);
    EXPECT_FALSE(refused.inside());
  }
  gate_.Open();
}

// Stands still, and shows when it was read first.
class WatchedClock final : public Clock {
 public:
  WallTime Now() const override { return {}; }
  SteadyTime Steady() const override {
    read_ = true;
    read_.notify_all();
    return {};
  }
  void Sleep(Waker&, WallTime) const override {}

  void AwaitRead() const { read_.wait(false); }

 private:
  mutable std::atomic<bool> read_{false};
};

TEST(ScriptGate, EnterWaitsForAScriptThatHasJustBegun) {
  const WatchedClock clock;
  ScriptGate gate(clock);
  ScriptGate::Door& door = gate.NewDoor();
  ASSERT_TRUE(gate.Shut(SteadyTime()));
  std::thread script([&] {
    clock.AwaitRead();  // By Enter(), which has found the gate shut.
    gate.Open();
  });
  EXPECT_TRUE(gate.Enter(door));
  gate.Leave(door);
  script.join();
}

TEST_F(ScriptGateTest, EnterStopsWaitingWhenTheShortTimeOfAScriptIsOver) {
  ScriptGate::Door& door = gate_.NewDoor();
  ASSERT_TRUE(gate_.Shut(clock_.Steady()));
  std::thread time([&] { clock_.Advance(kScriptShortTime); });
  EXPECT_FALSE(gate_.Enter(door));
  time.join();
  gate_.Open();
}

TEST(ScriptGate, WorksAndScriptsNeverOverlap) {
  const Clock& clock = SystemClock::Process();
  ScriptGate gate(clock);
  constexpr int kVisits = 20'000;
  constexpr int kScripts = 2'000;
  int shared = 0;  // Touched by scripts, read by visitors: a race, were there no gate.
  std::atomic<int> wrong{0};
  const auto visit = [&](ScriptGate::Door& door) {
    for (int i = 0; i < kVisits; ++i) {
      const ScriptGateVisit inside(gate, door);
      if (inside.inside() && shared % 2 != 0) ++wrong;
    }
  };
  const auto script = [&] {
    for (int done = 0; done < kScripts;) {
      if (!gate.Shut(clock.Steady())) continue;
      ++shared;
      ++shared;
      ++done;
      gate.Open();
    }
  };
  ScriptGate::Door& a = gate.NewDoor();
  ScriptGate::Door& b = gate.NewDoor();
  std::thread threads[] = {std::thread([&] { visit(a); }), std::thread([&] { visit(b); }),
                           std::thread(script), std::thread(script)};
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(shared, 2 * 2 * kScripts);
}

}  // namespace
}  // namespace mayfly::server
