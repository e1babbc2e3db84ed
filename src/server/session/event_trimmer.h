// event_trimmer.h - keeps expiry events from growing without bound: events-keep, events-keep-ms.
// Events are there for whoever reads them (TTL.EVENTS), which may be nobody: notifications switch
// them on by themselves. Work is done in steps, so that those who purge, and wait for a step, do
// not wait for long. One thread.
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

  // Trims if it is time: a setting has changed, the last time is long ago, or it did not come to
  // the end of it. Returns early when `stopping`. A failure is logged, and tried again in time.
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
