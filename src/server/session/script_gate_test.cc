// Goal: a script and latched transactions never overlap, and no thread waits for a script for long.
// Method: doors of threads that go in and out as fast as they can, and one that shuts.
#include "server/session/script_gate.h"

#include <gtest/gtest.h>

#include <thread>

namespace mayfly::server {
namespace {

SteadyTime Now() { return SystemClock::Process().Steady(); }

TEST(ScriptGate, AnOpenGateLetsEverybodyIn) {
  ScriptGate gate;
  ScriptGate::Door& a = gate.NewDoor();
  ScriptGate::Door& b = gate.NewDoor();
  EXPECT_TRUE(gate.Enter(a));
  EXPECT_TRUE(gate.Enter(b));
  EXPECT_EQ(gate.shut_since(), std::nullopt);
  EXPECT_FALSE(gate.Await({}));
  gate.Leave(a);
  gate.Leave(b);
}

TEST(ScriptGate, AShutGateLetsNobodyInUntilItOpens) {
  ScriptGate gate;
  ScriptGate::Door& door = gate.NewDoor();
  const SteadyTime now = Now();
  EXPECT_TRUE(gate.Shut(now));
  EXPECT_FALSE(gate.Shut(now));
  EXPECT_EQ(gate.shut_since(), now);
  EXPECT_FALSE(gate.Enter(door));
  EXPECT_TRUE(gate.Await({}));
  gate.Open();
  EXPECT_TRUE(gate.Enter(door));
  gate.Leave(door);
}

TEST(ScriptGate, AVisitEndsOnce) {
  ScriptGate gate;
  ScriptGate::Door& door = gate.NewDoor();
  {
    ScriptGateVisit visit(gate, door);
    EXPECT_TRUE(visit.inside());
    visit.Leave();
    EXPECT_FALSE(visit.inside());
    EXPECT_TRUE(gate.Shut(Now()));
    const ScriptGateVisit refused(gate, door);
    EXPECT_FALSE(refused.inside());
  }
  gate.Open();
}

TEST(ScriptGate, WorksAndScriptsNeverOverlap) {
  ScriptGate gate;
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
      if (!gate.Shut(Now())) continue;
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
