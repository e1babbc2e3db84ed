// Records become visible in order, whoever completes them, and nothing behind a missing one does.
// Method: threads complete sequences in chosen and random orders.
#include "engine/hot/log/publication.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace mayfly::engine::hot {
namespace {

// Catches the mutant "wrong order of publication".
TEST(Publication, NothingBehindAMissingRecordIsPublished) {
  std::atomic<std::uint64_t> published{10};
  Publication publication(published);
  std::atomic<bool> begun{false};
  std::atomic<bool> returned{false};
  std::jthread behind([&] {
    begun = true;
    publication.Complete(12, 14);
    returned = true;
  });
  std::jthread further([&] { publication.Complete(15, 15); });
  while (!begun) std::this_thread::yield();
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(published.load(), 10U);
    ASSERT_FALSE(returned.load());
    std::this_thread::yield();
  }
  publication.Complete(11, 11);
  behind.join();
  further.join();
  EXPECT_EQ(published.load(), 15U);
  EXPECT_TRUE(returned.load());
}

TEST(Publication, ManyThreadsPublishEverySequenceOnce) {
  constexpr std::uint64_t kLast = 100000;
  std::atomic<std::uint64_t> published{0};
  std::atomic<std::uint64_t> next{1};
  Publication publication(published);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (std::uint64_t first = next.fetch_add(3); first <= kLast; first = next.fetch_add(3)) {
          publication.Complete(first, first + 2);
          ASSERT_GE(published.load(), first + 2);
        }
      });
    }
  }
  EXPECT_GE(published.load(), kLast);
  EXPECT_LE(published.load(), kLast + 3);
}

}  // namespace
}  // namespace mayfly::engine::hot
