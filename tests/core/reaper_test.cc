// The reaper purges by itself, and nothing runs without one.
// Method: a manual clock moves; the test waits for the event of a purge, or for the reaper to be
// idle. No sleeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <semaphore>
#include <thread>

#include "core/each_engine.h"
#include "core/layout/limits.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

// Counts events and lets a thread wait for them.
class EventCounter {
 public:
  explicit EventCounter(Database& database)
      : subscription_(*database.Subscribe([this](const Event& event) {
          const std::lock_guard lock(mutex_);
          ++count_;
          last_ = event.sequence;
          counted_.notify_all();
        })) {}

  void AwaitCount(int count) {
    std::unique_lock lock(mutex_);
    counted_.wait(lock, [&] { return count_ >= count; });
  }

  int count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable counted_;
  int count_ = 0;  // Guarded by mutex_, like the next.
  std::uint64_t last_ = 0;
  std::unique_ptr<EventSubscription> subscription_;  // Last: the callback uses the members above.
};

class Reaping : public EachEngine {
 protected:
  Reaping() { EXPECT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKey})), kOk); }

  void Put(const std::string& key, Millis ttl) {
    ASSERT_EQ(CodeOf(rows().Put(key, "value", Lifetime::For(ttl))), kOk);
  }
  void Put(int count, Millis ttl) {
    for (int i = 0; i < count; ++i) Put(std::to_string(i), ttl);
  }
};

TEST_P(Reaping, HappensWithoutBeingAskedWhenTheClockMoves) {
  EventCounter events(database());
  const auto reaper = *database().StartReaper();
  Put(10, 5ms);
  Put("later", 1h);
  clock().Advance(5ms);
  events.AwaitCount(10);
  reaper->AwaitIdle();
  EXPECT_EQ(events.count(), 10);
  EXPECT_EQ(StatisticsOf(database()).rows, 1u);
  clock().Advance(1h);
  events.AwaitCount(11);
}

TEST_P(Reaping, TellsHowLongItHasBeenPurging) {
  EventCounter events(database());
  std::atomic<int> told{0};
  std::atomic<bool> negative{false};
  const auto reaper =
      *database().StartReaper({.on_progress = [&](std::chrono::nanoseconds purging) {
        ++told;
        if (purging.count() < 0) negative = true;
      }});
  Put("later", 1h);
  reaper->AwaitIdle();
  EXPECT_EQ(told, 0);
  Put(10, 5ms);
  clock().Advance(5ms);
  events.AwaitCount(10);
  reaper->AwaitIdle();
  EXPECT_GE(told, 1);
  EXPECT_FALSE(negative);
}

TEST_P(Reaping, ARowThatDiesBeforeTheOneItWaitsForIsNotMissed) {
  EventCounter events(database());
  const auto reaper = *database().StartReaper();
  Put("late", 1h);
  reaper->AwaitIdle();
  Put("early", 5ms);
  clock().Advance(5ms);
  events.AwaitCount(1);
  EXPECT_FALSE(rows().Exists("early").value());
  EXPECT_TRUE(rows().Exists("late").value());
}

TEST_P(Reaping, FindsWhatWasDueWhenItStarted) {
  Put(1000, 5ms);
  clock().Advance(5ms);
  const auto reaper = *database().StartReaper({.step_rows_max = 7, .work_percent = 100});
  reaper->AwaitIdle();
  EXPECT_EQ(StatisticsOf(database()).rows, 0u);
}

TEST_P(Reaping, IdleMeansThatNothingIsDueAtTheTimeOfAsking) {
  const auto reaper = *database().StartReaper();
  for (int round = 0; round < 50; ++round) {
    Put(20, 5ms);
    clock().Advance(5ms);
    reaper->AwaitIdle();
    ASSERT_EQ(StatisticsOf(database()).due_rows, 0u);
    ASSERT_EQ(StatisticsOf(database()).rows, 0u);
  }
}

TEST_P(Reaping, WhoAsksWhileItRestsIsAnswered) {
  std::binary_semaphore purged(0);
  const auto subscription = *database().Subscribe([&](const Event&) {
    clock().Advance(1s);  // The batch took that long; at one percent its rest takes 99 s.
    purged.release();
  });
  const auto reaper = *database().StartReaper({.work_percent = 1});
  Put("key", 5ms);
  clock().Advance(5ms);
  purged.acquire();
  reaper->AwaitIdle();  // Ends the rest, which alone must not make it return.
  EXPECT_EQ(StatisticsOf(database()).rows, 0u);
}

TEST_P(Reaping, WorksInShortStepsHoweverFarBehindItIs) {
  std::atomic<int> told{0};
  Put(3000, 5ms);
  clock().Advance(1h);
  const auto reaper =
      *database().StartReaper({.on_progress = [&](std::chrono::nanoseconds) { ++told; }});
  reaper->AwaitIdle();
  EXPECT_EQ(StatisticsOf(database()).rows, 0u);
  EXPECT_GE(told, 3000 / static_cast<int>(core::kReaperStepRowsMax)) << "in short steps";
}

TEST_P(Reaping, TwoOfThemPurgeEachRowOnce) {
  EventCounter events(database());
  const auto one = *database().StartReaper({.step_rows_max = 16});
  const auto other = *database().StartReaper({.step_rows_max = 16});
  for (int round = 1; round <= 5; ++round) {
    Put(500, 5ms);
    clock().Advance(5ms);
    one->AwaitIdle();
    other->AwaitIdle();
    EXPECT_EQ(StatisticsOf(database()).rows, 0u);
    EXPECT_EQ(database().GetStatistics().value().events_last, 500u * static_cast<unsigned>(round));
  }
  EXPECT_EQ(database().GetStatistics().value().stale_entries, 0u);
}

TEST_P(Reaping, EndsWithItsHandle) {
  auto reaper = *database().StartReaper();
  reaper->AwaitIdle();
  reaper.reset();
  Put(1, 5ms);
  clock().Advance(5ms);
  EXPECT_EQ(StatisticsOf(database()).due_rows, 1u);
}

TEST_P(Reaping, KeepsTheDatabaseFromClosing) {
  auto reaper = *database().StartReaper();
  const Status busy = database().Close();
  EXPECT_EQ(CodeOf(busy), kBusy);
  EXPECT_NE(busy.message().find('1'), std::string::npos) << busy.ToString();
  EXPECT_EQ(CodeOf(rows().Put("key", "value")), kOk) << "nothing was closed";
  reaper.reset();
  EXPECT_EQ(CodeOf(database().Close()), kOk);
  EXPECT_EQ(CodeOf(database().StartReaper()), kInvalid);
}

TEST_P(Reaping, RefusesToWorkNeverOrMoreThanAlways) {
  EXPECT_EQ(CodeOf(database().StartReaper({.step_rows_max = 0})), kInvalid);
  EXPECT_EQ(CodeOf(database().StartReaper({.work_percent = 0})), kInvalid);
  EXPECT_EQ(CodeOf(database().StartReaper({.work_percent = 101})), kInvalid);
}

TEST_P(Reaping, WaitsForAWordWhileTheClockIsNotTrusted) {
  EventCounter events(database());
  const auto reaper = *database().StartReaper();
  Put(10, 5ms);
  clock().Set(kStart + 13h);
  reaper->AwaitIdle();
  EXPECT_EQ(StatisticsOf(database()).due_rows, 10u);
  ASSERT_EQ(CodeOf(database().ConfirmClock()), kOk);
  events.AwaitCount(10);
}

TEST_P(Reaping, LeavesNewKeyspacesNoLessThanOld) {
  const auto reaper = *database().StartReaper();
  reaper->AwaitIdle();
  const auto fresh = *database().CreateKeyspace("fresh");
  ASSERT_EQ(CodeOf(fresh->Put("key", "value", Lifetime::For(5ms))), kOk);
  clock().Advance(5ms);
  reaper->AwaitIdle();
  EXPECT_EQ(StatisticsOf(database(), "fresh").rows, 0u);
}

// In a callback on the reaper's own thread, which cannot wait for itself.
TEST_P(Reaping, ACallbackThatAwaitsItsOwnReaperGoesOn) {
  std::unique_ptr<Reaper> reaper;
  std::atomic<int> own{0};
  const auto subscription = *database().Subscribe([&](const Event&) {
    if (reaper->IsOwnThread()) ++own;
    reaper->AwaitIdle();
  });
  reaper = *database().StartReaper();
  Put(10, 5ms);
  clock().Advance(5ms);
  reaper->AwaitIdle();
  EXPECT_EQ(own, 10);
  EXPECT_FALSE(reaper->IsOwnThread());
}

TEST_P(Reaping, ACallbackThatStopsItsOwnReaperEndsTheThreadAfterwards) {
  std::unique_ptr<Reaper> reaper;
  std::binary_semaphore began{0};
  std::binary_semaphore stopped{0};
  StatusCode closed = kOk;
  const auto subscription = *database().Subscribe([&](const Event&) {
    if (reaper == nullptr) return;
    began.acquire();
    reaper.reset();
    closed = CodeOf(database().Close());
    stopped.release();
  });
  reaper = *database().StartReaper();
  Put(10, 5ms);
  clock().Advance(5ms);
  began.release();
  stopped.acquire();
  EXPECT_EQ(closed, kBusy) << "the thread is still in the callback";
  StatusCode after = kBusy;
  while (after == kBusy) {
    after = CodeOf(database().Close());
    std::this_thread::yield();
  }
  EXPECT_EQ(after, kOk);
}

INSTANTIATE_TEST_SUITE_P(On, Reaping, AllEngines(), NameOfEngine);

std::size_t ThreadsOfThisProcess() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

// The kernel lists a thread for a moment after it was joined.
std::size_t ThreadsThatStay() {
  std::size_t fewest = ThreadsOfThisProcess();
  for (int look = 0; look < 20; ++look) {
    Waker().WaitFor(1ms);
    fewest = std::min(fewest, ThreadsOfThisProcess());
  }
  return fewest;
}

// On memory alone: RocksDB has threads of its own.
TEST(Threads, NoneExistsUnlessAReaperIsStarted) {
  std::thread([] {}).join();  // A sanitizer starts its own thread with the first of the program's.
  const std::size_t before = ThreadsThatStay();
  DatabaseHome home(EngineKind::kMemory);
  ASSERT_EQ(CodeOf(home.keyspace().Put("key", "value", Lifetime::For(5ms))), kOk);
  home.clock().Advance(5ms);
  EXPECT_EQ(CodeOf(home.keyspace().Get("key")), kNotFound);
  EXPECT_EQ(CodeOf(home.database().Purge()), kOk);
  EXPECT_EQ(ThreadsOfThisProcess(), before);
  {
    const auto reaper = *home.database().StartReaper();
    EXPECT_EQ(ThreadsThatStay(), before + 1);
  }
  EXPECT_EQ(ThreadsThatStay(), before);
}

}  // namespace
}  // namespace mayfly
