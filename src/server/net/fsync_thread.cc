#include "server/net/fsync_thread.h"

#include <chrono>

#include "server/session/promised_memory.h"

namespace mayfly::server {

void FsyncThread::Start() {
  thread_ = std::thread([this] { Run(); });
}

void FsyncThread::Stop() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  waker_.Wake();
  thread_.join();
}

void FsyncThread::Run() {
  while (!stopping_) {
    waker_.WaitFor(std::chrono::seconds(1));
    if (!stopping_) Tick();
  }
}

void FsyncThread::Tick() {
  // First, since the rest may take long.
  server_.throughput().Note(server_.Steady(), server_.statistics().totals());
  const auto mode = static_cast<FsyncMode>(server_.config().Number(Setting::kAppendFsync));
  // Covers all commits: commands, tables, purges. The database knows whether there is anything to
  // do. A failure is logged and shown in INFO persistence; the next second tries again.
  if (mode == FsyncMode::kEverySecond) static_cast<void>(server_.Save());
  KeepPromisesInMemory(server_);
  trimmer_.Tick(server_.Steady(), stopping_);
}

}  // namespace mayfly::server
