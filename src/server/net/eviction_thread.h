// eviction_thread.h - counts what is stored when `maxmemory` is first set, and makes room when no
// command does: after the limit was lowered, or where what is added is no command's.
// Sleeps while there is no limit.
#pragma once

#include <atomic>
#include <thread>

#include "server/executor/executor.h"
#include "server/session/server.h"

namespace mayfly::server {

class EvictionThread {
 public:
  // Before the server runs.
  EvictionThread(Server& server, std::uint64_t seed) : server_(server), executor_(server, seed) {}
  ~EvictionThread() { Stop(); }

  void Start();
  void Stop();

  // Runs every so often. Tests call it instead of the thread, never beside it.
  void Tick();

 private:
  void Run();
  void Count();

  Server& server_;
  Executor executor_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace mayfly::server
