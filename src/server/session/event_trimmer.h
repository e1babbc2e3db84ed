// event_trimmer.h - keeps expiry events from growing without bound: events-keep, events-keep-ms.
// Notifications switch events on by themselves, even if no client reads them (TTL.EVENTS). Trims in
// steps, so that purges, which wait for a step, do not wait for long. One thread.
#pragma once

#include <atomic>

#include "mayfly/clock.h"
#include "server/config/config.h"
#include "server/session/server.h"

namespace mayfly::server {

class EventTrimmer {
 public:
  // The server must outlive it.
  explicit EventTrimmer(Server& server);

  // Trims when due: a setting has changed, the interval has passed, or the last run did not finish.
  // Returns early when `stopping`. A failure is logged and retried later.
  void Tick(SteadyTime now, const std::atomic<bool>& stopping);

 private:
  // False when nothing is left to trim.
  Result<bool> Step();
  bool Due(SteadyTime now);

  Server& server_;
  const std::atomic<std::int64_t>& keep_;
  const std::atomic<std::int64_t>& keep_ms_;
  std::int64_t last_keep_ = -1;  // The settings when it trimmed last; -1: not yet.
  std::int64_t last_keep_ms_ = -1;
  SteadyTime next_;
};

}  // namespace mayfly::server
