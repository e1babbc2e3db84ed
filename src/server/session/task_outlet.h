// task_outlet.h - stands in for a socket, for a session that has none: replies stay in the session's
// out(), and tasks of other threads wait until the session's thread asks for them.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <vector>

#include "mayfly/clock.h"
#include "server/session/session.h"

namespace mayfly::server {

class TaskOutlet final : public Outlet {
 public:
  void Post(std::function<void()> task) override;
  void Flush() override {}
  void Resume() override {}
  void ServeOthers() override {}
  void Close() override {}
  BufferBytes buffers() const override { return {}; }

  // On the session's thread: runs the tasks, once there are some or `wait` is over.
  void RunTasks(std::chrono::nanoseconds wait);

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> tasks_;  // Guarded by mutex_.
  Waker waker_;
};

}  // namespace mayfly::server
