#include "server/lead/copy_queue.h"

#include <utility>

namespace mayfly::server {
namespace {

constexpr std::size_t kQueuedBytesMax = std::size_t{2} << 20;

}  // namespace

bool CopyQueue::Push(std::string bytes) {
  if (bytes.empty()) return true;
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return cancelled_ || bytes_ < kQueuedBytesMax; });
  if (cancelled_) return false;
  bytes_ += bytes.size();
  chunks_.push_back(std::move(bytes));
  const bool wakes = std::exchange(found_empty_, false);
  lock.unlock();
  if (wakes) wake_();
  return true;
}

void CopyQueue::Finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  wake_();
}

void CopyQueue::Cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  chunks_.clear();
  bytes_ = 0;
  room_.notify_all();
}

CopyQueue::State CopyQueue::Take(std::size_t bytes_max, ByteBuffer& out) {
  const std::lock_guard lock(mutex_);
  std::size_t taken = 0;
  while (!chunks_.empty() && taken < bytes_max) {
    out.Append(chunks_.front());
    taken += chunks_.front().size();
    chunks_.pop_front();
  }
  bytes_ -= taken;
  if (taken > 0) room_.notify_all();
  found_empty_ = chunks_.empty();
  return finished_ && chunks_.empty() ? State::kFinished : State::kOpen;
}

}  // namespace mayfly::server
