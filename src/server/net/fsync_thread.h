// fsync_thread.h - makes commits durable every second: appendfsync everysec. It also trims events,
// which is not urgent either, and samples the throughput, for INFO's rates.
#pragma once

#include <atomic>
#include <thread>

#include "mayfly/clock.h"
#include "server/session/event_trimmer.h"
#include "server/session/server.h"

namespace mayfly::server {

class FsyncThread {
 public:
  explicit FsyncThread(Server& server) : server_(server), trimmer_(server) {}
  ~FsyncThread() { Stop(); }

  void Start();
  void Stop();

  // Runs every second. Tests call it instead of the thread, never beside it.
  void Tick();

 private:
  void Run();

  Server& server_;
  EventTrimmer trimmer_;
  Waker waker_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace mayfly::server
