// Goal: a latch keeps other threads out of its stripe and of no other, and threads that take many
// never deadlock. Method: latches held by hand; threads that take random sets of stripes and count
// under them.
#include "core/keyspaces/key_latches.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "core/keyspaces/keyspace_state.h"

namespace mayfly::core {
namespace {

TEST(StripeOf, SpreadsKeysAndDependsOnTheKeyspace) {
  std::set<int> stripes;
  int same = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::string key = std::to_string(i);
    stripes.insert(StripeOf(1, key));
    same += StripeOf(1, key) == StripeOf(2, key);
  }
  EXPECT_EQ(stripes.size(), kStripes);
  EXPECT_LT(same, 200) << "about one in 2,048";
}

TEST(StripeOf, SpreadsKeysOverAllCounters) {
  std::set<int> counters;
  for (int i = 0; i < 10'000; ++i) counters.insert(CounterOf(StripeOf(1, std::to_string(i))));
  EXPECT_EQ(counters.size(), kCounters);
}

TEST(KeyLatches, KeepOthersOutOfTheSameStripeOnly) {
  KeyLatches latches;
  KeyLatches::One held = latches.Lock(7);
  EXPECT_FALSE(latches.TryLock(7).owns_lock());
  EXPECT_TRUE(latches.TryLock(8).owns_lock());
  held.unlock();
  EXPECT_TRUE(latches.TryLock(7).owns_lock());
}

TEST(KeyLatches, ReadersShareAStripeAndKeepWritersOut) {
  KeyLatches latches;
  KeyLatches::Stripes alone;
  KeyLatches::Stripes shared;
  shared.set(3).set(4);
  alone.set(4).set(5);  // 4 is in both: held alone.
  {
    const KeyLatches::Many one(latches, {}, shared);
    std::thread([&] {
      const KeyLatches::Many another(latches, {}, shared);  // Would wait for ever, were it alone.
      EXPECT_FALSE(latches.TryLock(3).owns_lock());
    }).join();
    EXPECT_FALSE(latches.TryLock(3).owns_lock());
  }
  const KeyLatches::Many both(latches, alone, shared);
  std::thread([&] {
    EXPECT_FALSE(latches.TryLock(3).owns_lock());
    EXPECT_FALSE(latches.TryLock(4).owns_lock());
    EXPECT_FALSE(latches.TryLock(5).owns_lock());
    const KeyLatches::Shared reader = latches.LockShared(3);
    EXPECT_TRUE(reader.owns_lock());
  }).join();
}

TEST(KeyLatches, AWriterGetsInThoughReadersOverlapForEver) {
  KeyLatches latches;
  std::atomic<bool> written = false;
  std::atomic<int> inside = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      // Each reader leaves only when the other is inside, if it can enter: one always is.
      while (!written) {
        const KeyLatches::Shared shared = latches.LockShared(9);
        ++inside;
        for (int spins = 0; spins < 100'000 && inside < 2 && !written; ++spins) {
        }
        --inside;
      }
    });
  }
  while (inside == 0) std::this_thread::yield();
  {
    const KeyLatches::One alone = latches.Lock(9);
    EXPECT_EQ(inside, 0);
    written = true;
  }
  for (std::thread& reader : readers) reader.join();
}

TEST(KeyLatches, AwaitWritersReturnsWhenThoseWhoHoldLatchesHaveLeft) {
  KeyLatches latches;
  latches.AwaitWriters();
  KeyLatches::One alone = latches.Lock(9);
  const KeyLatches::Shared shared = latches.LockShared(10);  // Readers are not waited for.
  std::atomic<bool> left = false;
  std::thread waiter([&] {
    latches.AwaitWriters();
    EXPECT_TRUE(left);
  });
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  left = true;
  alone.unlock();
  waiter.join();
}

TEST(KeyLatches, ManyHoldsAllOfThemUntilItGoes) {
  KeyLatches latches;
  KeyLatches::Stripes stripes;
  stripes.set(0).set(100).set(255);
  {
    const KeyLatches::Many many(latches, stripes);
    for (const Stripe stripe : {Stripe{0}, Stripe{100}, Stripe{255}}) {
      EXPECT_FALSE(latches.TryLock(stripe).owns_lock());
    }
    EXPECT_TRUE(latches.TryLock(1).owns_lock());
  }
  for (const Stripe stripe : {Stripe{0}, Stripe{100}, Stripe{255}}) {
    EXPECT_TRUE(latches.TryLock(stripe).owns_lock());
  }
}

TEST(KeyLatches, ThreadsThatTakeManyNeitherMeetNorWaitInACircle) {
  KeyLatches latches;
  std::array<int, kStripes> counts{};  // Each guarded by its stripe.
  constexpr int kThreads = 4;
  constexpr int kRounds = 500;
  constexpr int kStripesEach = 20;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t seed = 0; seed < kThreads; ++seed) {
      threads.emplace_back([&, seed] {
        Random random(seed);
        for (int round = 0; round < kRounds; ++round) {
          KeyLatches::Stripes stripes;
          // Of a few, so that threads meet.
          for (int chosen = 0; chosen < kStripesEach;) {
            const std::size_t stripe = random.Below(64) * (kStripes / 64);
            if (stripes[stripe]) continue;
            stripes.set(stripe);
            ++chosen;
          }
          const KeyLatches::Many many(latches, stripes);
          stripes.ForEach([&](std::size_t stripe) { ++counts[stripe]; });
        }
      });
    }
  }
  int total = 0;
  for (const int count : counts) total += count;
  EXPECT_EQ(total, kThreads * kRounds * kStripesEach);
}

// Writes share a keyspace's gate. Were they let in while a change of it waits, there would always
// be another one.
TEST(KeyspaceGate, LetsAChangeInBeforeWritesThatComeLater) {
  KeyspaceState keyspace(1, "keyspace", {});
  KeyspaceState::Gate& gate = keyspace.gate();
  gate.lock_shared();
  std::thread change([&] { const std::lock_guard alone(gate); });
  constexpr int kWritesMax = 5'000'000;
  int writes = 0;
  for (; writes < kWritesMax && gate.try_lock_shared(); ++writes) {
    gate.unlock_shared();
    std::this_thread::yield();
  }
  EXPECT_LT(writes, kWritesMax) << "the change waits for ever";
  gate.unlock_shared();
  change.join();
}

}  // namespace
}  // namespace mayfly::core
