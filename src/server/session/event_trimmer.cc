#include "server/session/event_trimmer.h"

#include "base/log.h"
#include "server/command/limits.h"

namespace mayfly::server {

EventTrimmer::EventTrimmer(Server& server)
    : server_(server),
      keep_(server.config().Watched(Setting::kEventsKeep)),
      keep_ms_(server.config().Watched(Setting::kEventsKeepMs)) {}

bool EventTrimmer::Due(SteadyTime now) {
  const bool changed = last_keep_ != keep_ || last_keep_ms_ != keep_ms_;
  if (!changed && now < next_) return false;
  last_keep_ = keep_;
  last_keep_ms_ = keep_ms_;
  next_ = now + kEventTrimInterval;
  return true;
}

void EventTrimmer::Tick(SteadyTime now, const std::atomic<bool>& stopping) {
  if (!Due(now)) return;
  for (int i = 0; i < kEventTrimSteps && !stopping; ++i) {
    const Result<bool> more = Step();
    if (!more) {
      Log(server_.logger(), LogLevel::kError, "cannot trim events: {}", more.error().ToString());
      return;
    }
    if (!*more) return;
  }
  next_ = now;
}

Result<bool> EventTrimmer::Step() {
  EventTrim trim{.keep_newest = static_cast<std::uint64_t>(last_keep_),
                 .events_max = kEventTrimStep};
  if (last_keep_ms_ > 0) trim.older_than = Millis(last_keep_ms_);
  std::uint64_t removed = 0;
  for (const auto& data : server_.DataHere()) {
    MAYFLY_TRY(const std::uint64_t some, data->database.TrimEvents(trim));
    removed += some;
  }
  return removed > 0;
}

}  // namespace mayfly::server
