// The gate lets shared holders pass together and an exclusive one alone, which does not starve.
// Method: threads that are always inside together, and one that wants to be alone.
#include "engine/rocks/commit_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

namespace mayfly::engine {
namespace {

TEST(CommitGate, TheOneIsAloneWhileInside) {
  CommitGate gate;
  int shared = 0;  // Written alone, read together: tsan and the sum show when that is broken.
  constexpr int kTurns = 2000;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&] {
        for (int turn = 0; turn < kTurns; ++turn) {
          const auto pass = gate.PassAlone();
          ++shared;
        }
      });
      threads.emplace_back([&] {
        for (int turn = 0; turn < kTurns; ++turn) {
          const auto pass = gate.PassTogether();
          EXPECT_LE(shared, 3 * kTurns);
        }
      });
    }
  }
  EXPECT_EQ(shared, 3 * kTurns);
}

TEST(CommitGate, AStreamOfOthersDoesNotStarveTheOne) {
  // Two threads relieve each other: a thread inside leaves only when the other has entered after
  // it, so that the gate is never empty by chance. A gate that prefers shared holders never lets
  // the exclusive one in, and the test runs into its time limit. At this gate newcomers queue
  // behind the exclusive one, the last thread inside gives up waiting for relief, and the exclusive
  // one is next.
  constexpr int kYieldsUntilGivingUp = 200000;
  CommitGate gate;
  std::atomic<int> inside{0};
  std::atomic<int> entered{0};
  std::atomic<bool> done{false};
  std::latch started(2);
  const auto stream = [&] {
    bool first = true;
    while (!done) {
      const auto pass = gate.PassTogether();
      ++inside;
      const int mine = ++entered;
      if (std::exchange(first, false)) started.count_down();
      for (int i = 0; i < kYieldsUntilGivingUp && entered == mine && !done; ++i) {
        std::this_thread::yield();
      }
      --inside;
    }
  };
  std::jthread one(stream);
  std::jthread two(stream);
  started.wait();
  for (int turn = 0; turn < 3; ++turn) {
    const auto pass = gate.PassAlone();
    EXPECT_EQ(inside.load(), 0);
  }
  done = true;
}

}  // namespace
}  // namespace mayfly::engine
