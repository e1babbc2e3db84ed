// Goal: bytes arrive whole and in order, a full queue waits, and a cancelled one lets its writer go.
// Method: a writer in a thread, and the reader here; waits are by the queue's own, without a clock.
#include "server/lead/copy_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace mayfly::server {
namespace {

TEST(CopyQueue, HandsOverAllBytesInOrder) {
  std::atomic<int> woken{0};
  CopyQueue queue([&] { ++woken; });
  std::string sent;
  for (int i = 0; i < 200; ++i) sent += std::string(50'000, static_cast<char>('a' + i % 26));
  std::thread writer([&] {
    for (std::size_t at = 0; at < sent.size(); at += 50'000) {
      EXPECT_TRUE(queue.Push(sent.substr(at, 50'000)));
    }
    queue.Finish();
  });
  std::string got;
  ByteBuffer out;
  while (queue.Take(100'000, out) == CopyQueue::State::kOpen) {
    got += out.view();
    out.Clear();
    std::this_thread::yield();
  }
  got += out.view();
  writer.join();
  EXPECT_EQ(got, sent);
  EXPECT_GE(woken, 1);
}

TEST(CopyQueue, HoldsABoundedNumberOfBytes) {
  CopyQueue queue([] {});
  std::atomic<std::size_t> pushed{0};
  std::thread writer([&] {
    while (queue.Push(std::string(100'000, 'x'))) ++pushed;
  });
  // The writer stops by itself: only a reader makes room.
  std::size_t before = 0;
  do {
    before = pushed;
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  } while (before != pushed || before == 0);
  EXPECT_LE(pushed, 22U);
  queue.Cancel();
  writer.join();
  EXPECT_FALSE(queue.Push("more"));
}

}  // namespace
}  // namespace mayfly::server
