#include "server/net/eviction_thread.h"

#include "base/log.h"
#include "server/command/limits.h"

namespace mayfly::server {

void EvictionThread::Start() {
  server_.data_limit().set_counted_by_thread(true);
  thread_ = std::thread([this] { Run(); });
}

void EvictionThread::Stop() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  server_.data_limit().waker().Wake();
  thread_.join();
  server_.data_limit().set_counted_by_thread(false);
  server_.data_limit().NoteCounted();
}

void EvictionThread::Run() {
  while (!stopping_) {
    Tick();
    DataLimit& limit = server_.data_limit();
    if (limit.on()) {
      limit.waker().WaitFor(kEvictionInterval);
    } else {
      limit.waker().Wait();
    }
  }
}

void EvictionThread::Tick() {
  DataLimit& limit = server_.data_limit();
  if (!limit.on()) return limit.StopCounting();
  Count();
  while (!stopping_ && executor_.MakeRoomBeside()) {
  }
}

void EvictionThread::Count() {
  DataLimit& limit = server_.data_limit();
  while (!stopping_ && limit.on()) {
    const Result<bool> more = limit.CountMore(*server_.databases().mapping());
    if (more && *more) continue;
    // A database may have been dropped meanwhile; the next look begins with the others.
    if (!more) {
      Log(server_.logger(), LogLevel::kWarning, "maxmemory: the data cannot be counted: {}",
          more.error().message());
    }
    break;
  }
  limit.NoteCounted();
}

}  // namespace mayfly::server
