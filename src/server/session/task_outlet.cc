#include "server/session/task_outlet.h"

#include <utility>

namespace mayfly::server {

void TaskOutlet::Post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  waker_.Wake();
}

void TaskOutlet::RunTasks(std::chrono::nanoseconds wait) {
  waker_.WaitFor(wait);
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  for (const auto& task : tasks) task();
}

}  // namespace mayfly::server
