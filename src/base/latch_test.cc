// Goal: a latch lets in one writer or many readers, writers before readers that come later, and wakes
// everyone who waits. Method: threads that count under it; a bounded wait by hand for what must not
// happen.
#include "base/latch.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "base/random.h"

namespace mayfly {
namespace {

TEST(Latch, IsHeldByOneWriterOrByReaders) {
  Latch latch;
  ASSERT_TRUE(latch.try_lock());
  EXPECT_FALSE(latch.try_lock());
  EXPECT_FALSE(latch.try_lock_shared());
  latch.unlock();
  ASSERT_TRUE(latch.try_lock_shared());
  EXPECT_TRUE(latch.try_lock_shared());
  EXPECT_FALSE(latch.try_lock());
  latch.unlock_shared();
  EXPECT_FALSE(latch.try_lock());
  latch.unlock_shared();
  EXPECT_TRUE(latch.try_lock());
}

TEST(Latch, AReaderWaitsBehindAWaitingWriter) {
  Latch latch;
  latch.lock_shared();
  std::thread writer([&] { const std::lock_guard alone(latch); });
  while (latch.try_lock_shared()) {
    latch.unlock_shared();
    std::this_thread::yield();
  }
  std::thread reader([&] { const std::shared_lock shared(latch); });
  latch.unlock_shared();
  writer.join();
  reader.join();
  EXPECT_TRUE(latch.try_lock()) << "nothing is left of those who waited";
}

TEST(Latch, ReadersAndWritersNeverMeetAndAllGetIn) {
  constexpr std::uint64_t kThreads = 6;
  constexpr int kRounds = 3'000;
  Latch latch;
  std::array<int, 2> counts{};  // Equal whenever the latch is free.
  std::atomic<int> torn = 0;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t seed = 0; seed < kThreads; ++seed) {
      threads.emplace_back([&, seed] {
        Random random(seed);
        for (int round = 0; round < kRounds; ++round) {
          if (random.Below(3) == 0) {
            const std::lock_guard alone(latch);
            ++counts[0];
            if (random.Below(64) == 0) std::this_thread::yield();
            ++counts[1];
          } else if (random.Below(16) == 0) {
            latch.AwaitWriter();
          } else {
            const std::shared_lock shared(latch);
            if (counts[0] != counts[1]) ++torn;
            if (random.Below(64) == 0) std::this_thread::yield();
          }
        }
      });
    }
  }
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(counts[0], counts[1]);
  EXPECT_TRUE(latch.try_lock());
}

// A thread that takes and releases it in a loop passes those that it has woken.
TEST(Latch, ThreadsThatTakeItOverAndOverLetEachOtherIn) {
  constexpr int kRounds = 20'000;
  Latch latch;
  int count = 0;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      threads.emplace_back([&, seed] {
        Random random(seed);
        for (int round = 0; round < kRounds; ++round) {
          const std::lock_guard alone(latch);
          ++count;
          if (random.Below(256) == 0) std::this_thread::yield();
        }
      });
    }
  }
  EXPECT_EQ(count, 3 * kRounds);
  EXPECT_TRUE(latch.try_lock_shared()) << "nobody waits any more";
}

}  // namespace
}  // namespace mayfly
