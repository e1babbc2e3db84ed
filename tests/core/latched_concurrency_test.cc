// Goal: latched transactions, the library's calls, purges and a reaper run side by side and leave a
// consistent database. Method: threads on few keys while the clock moves; each thread's own members
// show whether a write was lost. MAYFLY_SEED repeats the calls, not their order.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "base/random.h"
#include "base/testing/environment.h"
#include "core/latched_fixture.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::MemberLifetime;
using core::TransactionKeyspace;

constexpr int kThreads = 3;
constexpr int kWorks = 400;

class LatchedConcurrency : public EachEngine {
 protected:
  LatchedConcurrency() : EachEngine({.clock_jump_max = std::chrono::hours(24 * 365)}) {}

  // Members that only this thread touches, on keys that all threads do; other members come and go.
  void Work(int thread, Random random) {
    for (int i = 0; i < kWorks; ++i) {
      const std::string mine = std::to_string(thread) + "/" + std::to_string(i);
      const std::string other = "k" + std::to_string(random.Below(4));
      const std::string target = "k" + std::to_string(random.Below(4));
      const bool everything = random.OneIn(20);
      InLatched(database(), rows(),
                everything ? std::vector<Bytes>{} : std::vector<Bytes>{"all", other, target},
                [&](TransactionKeyspace& space) {
                  Fill(space, "all", {mine});
                  const WallTime later = clock().Now() + Millis(random.Between(1, 20));
                  core::FoundRow row;
                  ASSERT_EQ(CodeOf(space.Find(other, row)), kOk);
                  if (row.exists && random.OneIn(5)) {
                    ASSERT_EQ(CodeOf(space.Delete(other)), kOk);
                  } else if (!row.exists || row.is_collection) {
                    Fill(space, other, {mine}, MemberLifetime::Until(later));
                    if (random.OneIn(3)) {
                      ASSERT_EQ(CodeOf(space.Move(other, space, target)), kOk);
                    }
                  }
                });
      switch (random.Below(30)) {
        case 0: ASSERT_EQ(CodeOf(rows().Put(other, "plain")), kOk); break;
        case 1: ASSERT_EQ(CodeOf(rows().Delete(other)), kOk); break;
        case 2: ASSERT_EQ(CodeOf(rows().Exists(other)), kOk); break;
        default: break;
      }
    }
  }
};

TEST_P(LatchedConcurrency, LosesNothingAndLeavesWhatFits) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  std::printf("MAYFLY_SEED=%llu\n", static_cast<unsigned long long>(seed));
  auto reaper = *database().StartReaper({.step_rows_max = 16, .work_percent = 100});
  std::atomic<bool> over{false};
  std::thread upkeep([&] {
    while (!over) {
      clock().Advance(1ms);
      ASSERT_EQ(CodeOf(database().Purge({.rows_max = 50})), kOk);
    }
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { Work(i, Random(seed + static_cast<std::uint64_t>(i))); });
  }
  for (std::thread& thread : threads) thread.join();
  over = true;
  upkeep.join();
  EXPECT_EQ(Look(database(), rows(), "all").members, static_cast<std::uint64_t>(kThreads * kWorks));
  clock().Advance(1h);
  reaper->AwaitIdle();
  reaper.reset();
  EXPECT_EQ(StatisticsOf(database()).orphans, 0u);
  EXPECT_EQ(StatisticsOf(database()).due_members, 0u);
  EXPECT_EQ(database().Check()->members, static_cast<std::uint64_t>(kThreads * kWorks));
}

TEST_P(LatchedConcurrency, ReadersThatShareLatchesNeverSeeHalfAWrite) {
  std::atomic<bool> over{false};
  const auto write = [&] {
    for (int i = 0; i < kWorks; ++i) {
      InLatched(database(), rows(), {"a", "b", "c"}, [&](TransactionKeyspace& space) {
        const std::string value = std::to_string(i);
        ASSERT_EQ(CodeOf(space.Put("a", value, Lifetime::Forever())), kOk);
        ASSERT_EQ(CodeOf(space.Put("b", value, Lifetime::Forever())), kOk);
        Fill(space, "c", {value});
      });
    }
    over = true;
  };
  const auto read = [&] {
    while (!over) {
      auto transaction = core::BeginLatched(
          database(),
          {.keys = {{&rows(), "a", false}, {&rows(), "b", false}, {&rows(), "c", false}}});
      ASSERT_TRUE(transaction.has_value());
      TransactionKeyspace& space = (*transaction)->In(rows());
      core::FoundRow a;
      core::FoundRow b;
      core::FoundRow c;
      ASSERT_EQ(CodeOf(space.Find("a", a)), kOk);
      ASSERT_EQ(CodeOf(space.Find("b", b)), kOk);
      ASSERT_EQ(CodeOf(space.Find("c", c)), kOk);
      ASSERT_EQ(a.value, b.value);
      ASSERT_EQ(c.members, a.exists ? std::stoull(std::string(a.value)) + 1 : 0);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(read);
  write();
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Engines, LatchedConcurrency, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
