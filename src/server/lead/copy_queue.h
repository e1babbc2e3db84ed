// copy_queue.h - the bytes of a full copy on their way from the thread that reads the database to
// the thread that sends them. Bounded: the reader waits for a slow follower, in memory that does not
// grow. Safe to use from both threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

#include "wire/byte_buffer.h"

namespace mayfly::server {

class CopyQueue {
 public:
  // `wake` is called when bytes come to a queue that was found empty, and at its end.
  explicit CopyQueue(std::function<void()> wake) : wake_(std::move(wake)) {}

  // Waits for room. False: nobody takes the bytes any more.
  bool Push(std::string bytes);

  // No more bytes come.
  void Finish();

  // Nobody takes bytes any more.
  void Cancel();

  enum class State : std::uint8_t { kOpen, kFinished };

  // Moves about `bytes_max` to `out`, without waiting. kFinished: those were the last.
  State Take(std::size_t bytes_max, ByteBuffer& out);

 private:
  const std::function<void()> wake_;
  std::mutex mutex_;  // Guards the rest.
  std::condition_variable room_;
  std::deque<std::string> chunks_;
  std::size_t bytes_ = 0;
  bool found_empty_ = false;
  bool finished_ = false;
  bool cancelled_ = false;
};

}  // namespace mayfly::server
