#include "cluster/lanes.h"

#include <utility>

namespace mayfly::cluster {

Lanes::Lanes(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    lanes_.push_back(std::make_unique<Lane>());
    lanes_.back()->thread = std::thread([&lane = *lanes_.back()] { Run(lane); });
  }
}

void Lanes::Add(std::size_t lane, std::function<void()> task) {
  Lane& chosen = *lanes_[lane % lanes_.size()];
  {
    const std::lock_guard lock(chosen.mutex);
    if (!chosen.stopping) {
      chosen.tasks.push_back(std::move(task));
      chosen.changed.notify_one();
      return;
    }
  }
  task();
}

void Lanes::Stop() {
  for (const auto& lane : lanes_) {
    const std::lock_guard lock(lane->mutex);
    lane->stopping = true;
    lane->changed.notify_one();
  }
  for (const auto& lane : lanes_) {
    if (lane->thread.joinable()) lane->thread.join();
  }
}

void Lanes::Run(Lane& lane) {
  std::unique_lock lock(lane.mutex);
  while (true) {
    lane.changed.wait(lock, [&] { return !lane.tasks.empty() || lane.stopping; });
    if (lane.tasks.empty()) return;
    const auto task = std::move(lane.tasks.front());
    lane.tasks.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace mayfly::cluster
