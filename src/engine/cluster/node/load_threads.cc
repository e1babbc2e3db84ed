#include "engine/cluster/node/load_threads.h"

#include <utility>

namespace mayfly::engine::cluster {

LoadThreads::LoadThreads(std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) threads_.emplace_back([this] { Run(); });
}

void LoadThreads::Add(std::function<void()> load) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    queue_.push_back(std::move(load));
  }
  changed_.notify_one();
}

void LoadThreads::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void LoadThreads::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    const auto load = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    load();
    lock.lock();
  }
}

}  // namespace mayfly::engine::cluster
