// Goal: publishers, subscribers that come and go, and one that refuses are safe on many threads.
// Method: several threads at once; afterwards all subscribers must have seen one order. For tsan.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/pubsub/subscriptions.h"

namespace mayfly::server {
namespace {

constexpr int kPublishers = 3;
constexpr int kMessages = 2000;

// ThreadNotes under no lock of its own: the registry promises one call at a time.
class ThreadNotes final : public Subscriber {
 public:
  bool Deliver(const PubSubMessage& message) override {
    taken.emplace_back(message.payload);
    return true;
  }
  std::vector<std::string> taken;
};

class Refuses final : public Subscriber {
 public:
  bool Deliver(const PubSubMessage&) override { return ++calls < 10; }
  int calls = 0;
};

TEST(PubSubThreads, AllListenersSeeOneOrder) {
  PubSub registry;
  ThreadNotes notes[3];
  std::vector<std::unique_ptr<Subscriptions>> mine;
  for (ThreadNotes& one : notes) mine.push_back(std::make_unique<Subscriptions>(registry, one));
  mine[0]->Subscribe(ChannelKind::kChannel, "c");
  mine[1]->Subscribe(ChannelKind::kChannel, "c");
  mine[2]->Subscribe(ChannelKind::kPattern, "c*");
  std::vector<std::thread> threads;
  for (int p = 0; p < kPublishers; ++p) {
    threads.emplace_back([&registry, p] {
      for (int i = 0; i < kMessages; ++i) {
        registry.Publish("c", std::to_string(p) + ":" + std::to_string(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(notes[0].taken.size(), static_cast<std::size_t>(kPublishers * kMessages));
  EXPECT_EQ(notes[0].taken, notes[1].taken);
  EXPECT_EQ(notes[0].taken, notes[2].taken);
}

TEST(PubSubThreads, SubscribersMayGoWhileMessagesFly) {
  PubSub registry;
  std::atomic<bool> done = false;
  std::vector<std::thread> publishers;
  for (int p = 0; p < kPublishers; ++p) {
    publishers.emplace_back([&] {
      while (!done) registry.Publish("c", "x");
    });
  }
  std::vector<std::thread> comers;
  for (int c = 0; c < 2; ++c) {
    comers.emplace_back([&registry] {
      for (int i = 0; i < 500; ++i) {
        // The subscriber dies right after its subscriptions: a late delivery would touch it.
        auto notes = std::make_unique<ThreadNotes>();
        auto mine = std::make_unique<Subscriptions>(registry, *notes);
        mine->Subscribe(ChannelKind::kChannel, "c");
        mine->Subscribe(ChannelKind::kPattern, "*");
        if (i % 2 == 0) mine->Unsubscribe(ChannelKind::kChannel, "c");
        mine.reset();
        notes.reset();
      }
    });
  }
  Refuses refuses;
  Subscriptions refused(registry, refuses);
  refused.Subscribe(ChannelKind::kChannel, "c");
  while (refused.any()) std::this_thread::yield();
  for (std::thread& thread : comers) thread.join();
  done = true;
  for (std::thread& thread : publishers) thread.join();
  EXPECT_EQ(refuses.calls, 10);
  EXPECT_EQ(registry.CountReceivers(ChannelKind::kChannel, "c"), 0u);
}

}  // namespace
}  // namespace mayfly::server
