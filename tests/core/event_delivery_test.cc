// Goal: events reach every subscriber once, in order, by one thread at a time, whatever callbacks
// do: write, wait, throw, or end subscriptions; and no threads deadlock. Method: rows that are born
// dead make events at once; threads make them together.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <map>
#include <set>
#include <thread>

#include "core/each_engine.h"
#include "tests/engine/together.h"

namespace mayfly {
namespace {

using engine::suite::RunTogether;

// The events of one subscriber; checks that it is called by one thread at a time.
class Listener {
 public:
  void Hear(const Event& event) {
    EXPECT_FALSE(inside_.exchange(true)) << "two threads at once";
    heard_.push_back(event.sequence);
    keys_.push_back(event.key);
    inside_ = false;
  }

  void ExpectOnceEach(const std::vector<Event>& events) const {
    std::multiset<std::uint64_t> told(heard_.begin(), heard_.end());
    std::multiset<std::uint64_t> written;
    for (const Event& event : events) written.insert(event.sequence);
    EXPECT_EQ(told, written);
  }

  const std::vector<std::uint64_t>& heard() const { return heard_; }
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  std::atomic<bool> inside_{false};
  // Written by the calling thread, one at a time: the log orders the calls.
  std::vector<std::uint64_t> heard_;
  std::vector<std::string> keys_;
};

// A round of promises purges, and so makes events, while it holds the lock of reclaiming.
class DeliveryWhileReclaiming : public EachEngine {};

TEST_P(DeliveryWhileReclaiming, ACallbackThatReclaimsIsRefusedAndDoesNotWaitForItself) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKey, .purge_within = Millis(1000)})),
            kOk);
  ASSERT_EQ(CodeOf(rows().Put("key", "value", Lifetime::For(Millis(1)))), kOk);
  clock().Advance(Millis(10));
  std::vector<StatusCode> codes;
  auto subscription = database().Subscribe([&](const Event&) {
    codes.push_back(CodeOf(database().Reclaim({})));
    codes.push_back(CodeOf(database().RevertClock()));
    codes.push_back(CodeOf(rows().Put("other", "value")));
  });
  ASSERT_TRUE(subscription.has_value());
  ASSERT_EQ(CodeOf(database().Reclaim({.everything = true})), kOk);
  EXPECT_EQ(codes, (std::vector<StatusCode>{kBusy, kBusy, kOk}));
  EXPECT_EQ(CodeOf(database().Reclaim({})), kOk) << "the lock was kept";
}

INSTANTIATE_TEST_SUITE_P(On, DeliveryWhileReclaiming, AllEngines(), NameOfEngine);

class EventDelivery : public EachEngine {
 protected:
  EventDelivery() { EXPECT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKey})), kOk); }

  // Makes an event, at once.
  void Emit(const std::string& key) {
    EXPECT_EQ(CodeOf(rows().Put(key, "", Lifetime::Until(clock().Now()))), kOk);
  }

  std::unique_ptr<EventSubscription> Subscribe(EventCallback callback) {
    auto subscription = database().Subscribe(std::move(callback));
    EXPECT_TRUE(subscription.has_value());
    return *std::move(subscription);
  }

  std::vector<Event> All() { return database().ReadEvents(0, SIZE_MAX).value(); }
};

TEST_P(EventDelivery, TwoSubscribersWhoseCallbacksCauseEventsDoNotWaitForEachOther) {
  Listener one;
  Listener two;
  // Each event of a thread makes two more in the callbacks, and these make none.
  const auto first = Subscribe([&](const Event& event) {
    one.Hear(event);
    if (event.key.starts_with("thread")) Emit("first heard " + event.key);
  });
  const auto second = Subscribe([&](const Event& event) {
    two.Hear(event);
    if (event.key.starts_with("thread")) Emit("second heard " + event.key);
  });
  constexpr int kEach = 300;
  RunTogether(2, [&](std::size_t thread) {
    for (int i = 0; i < kEach; ++i) Emit(fmt::format("thread {} {}", thread, i));
  });
  const auto events = All();
  EXPECT_EQ(events.size(), 2u * kEach * 3u);
  one.ExpectOnceEach(events);
  two.ExpectOnceEach(events);
}

TEST_P(EventDelivery, IsInOrderForTheEventsOfOneThread) {
  Listener listener;
  const auto subscription = Subscribe([&](const Event& event) { listener.Hear(event); });
  for (int i = 0; i < 100; ++i) Emit(std::to_string(i));
  EXPECT_EQ(listener.heard().size(), 100u);
  EXPECT_TRUE(std::is_sorted(listener.heard().begin(), listener.heard().end()));
}

TEST_P(EventDelivery, IsInOrderWithinEachBatchOfManyThreads) {
  constexpr int kBatches = 50;
  constexpr int kBatchEvents = 5;
  std::vector<Listener> listeners(2);
  const auto first = Subscribe([&](const Event& event) { listeners[0].Hear(event); });
  const auto second = Subscribe([&](const Event& event) { listeners[1].Hear(event); });
  RunTogether(3, [&](std::size_t thread) {
    for (int batch = 0; batch < kBatches; ++batch) {
      const Status done = database().Transact([&](Transaction& transaction) {
        for (int i = 0; i < kBatchEvents; ++i) {
          const std::string key = fmt::format("{} {} {}", thread, batch, i);
          MAYFLY_RETURN_IF_ERROR(
              transaction.In(rows()).Put(key, "", Lifetime::Until(clock().Now())));
        }
        return Status();
      });
      EXPECT_EQ(CodeOf(done), kOk);
    }
  });
  const auto events = All();
  ASSERT_EQ(events.size(), 3u * kBatches * kBatchEvents);
  for (const Listener& listener : listeners) {
    listener.ExpectOnceEach(events);
    std::map<std::string, std::uint64_t> last_of_batch;
    for (std::size_t i = 0; i < listener.keys().size(); ++i) {
      const std::string& key = listener.keys()[i];
      std::uint64_t& last = last_of_batch[key.substr(0, key.rfind(' '))];
      EXPECT_LT(last, listener.heard()[i]);
      last = listener.heard()[i];
    }
  }
}

TEST_P(EventDelivery, AThreadThatWaitsInACallbackStopsNoWriter) {
  std::latch inside(1);
  std::latch go(1);
  Listener listener;
  const auto subscription = Subscribe([&](const Event& event) {
    listener.Hear(event);
    if (event.key != "slow") return;
    inside.count_down();
    go.wait();
  });
  RunTogether({[&] { Emit("slow"); },
               [&] {
                 inside.wait();
                 for (int i = 0; i < 10; ++i) Emit("quick");  // Returns; the other one delivers.
                 EXPECT_EQ(rows().Count().value(), 0u);
                 go.count_down();
               }});
  EXPECT_EQ(listener.keys().size(), 11u);
  EXPECT_TRUE(std::is_sorted(listener.heard().begin(), listener.heard().end()));
}

TEST_P(EventDelivery, ASubscriptionThatEndsWaitsForACallOnAnotherThread) {
  constexpr int kRounds = 50;
  for (int round = 0; round < kRounds; ++round) {
    std::latch inside(1);
    std::atomic<bool> ending{false};
    std::atomic<bool> finished{false};
    int calls = 0;
    auto subscription = Subscribe([&](const Event&) {
      ++calls;
      inside.count_down();
      while (!ending) std::this_thread::yield();
      for (int i = 0; i < 100; ++i) std::this_thread::yield();
      finished = true;
    });
    RunTogether({[&] {
                   Emit("one");
                   Emit("after the end, or heard");
                 },
                 [&] {
                   inside.wait();
                   ending = true;
                   subscription.reset();
                   EXPECT_TRUE(finished) << "what the callback uses may go from here on";
                 }});
    EXPECT_LE(calls, 2);
    Emit("nobody hears this");
    EXPECT_LE(calls, 2);
  }
}

TEST_P(EventDelivery, ACallbackEndsItsOwnSubscriptionWhileOthersBringMore) {
  constexpr int kRounds = 50;
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> calls{0};
    std::mutex mutex;
    std::unique_ptr<EventSubscription> subscription;
    std::unique_lock made(mutex);
    subscription = Subscribe([&](const Event&) {
      const std::lock_guard lock(mutex);
      ++calls;
      subscription.reset();
    });
    made.unlock();
    RunTogether(3, [&](std::size_t thread) { Emit(std::to_string(thread)); });
    EXPECT_EQ(calls, 1);
  }
}

TEST_P(EventDelivery, ACallbackMayEndAnotherSubscriptionThatCalledItsWriter) {
  Listener listener;
  std::unique_ptr<EventSubscription> first;
  first = Subscribe([&](const Event& event) {
    if (event.key == "cause") Emit("effect");
  });
  const auto second = Subscribe([&](const Event& event) {
    listener.Hear(event);
    if (event.key == "effect") first.reset();  // Further up on this very thread.
  });
  Emit("cause");
  EXPECT_EQ(first, nullptr);
  listener.ExpectOnceEach(All());
}

TEST_P(EventDelivery, WhatACallbackThrowsLosesNoOtherEvent) {
  Listener listener;
  const auto subscription = Subscribe([&](const Event& event) {
    listener.Hear(event);
    if (event.sequence % 2 == 0) throw std::runtime_error("even");
    if (event.sequence % 3 == 0) throw 3;
  });
  RunTogether(2, [&](std::size_t) {
    for (int i = 0; i < 100; ++i) Emit("key");
  });
  listener.ExpectOnceEach(All());
}

INSTANTIATE_TEST_SUITE_P(On, EventDelivery, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
