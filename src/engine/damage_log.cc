#include "engine/damage_log.h"

#include <bit>
#include <utility>

#include "base/log.h"

namespace mayfly::engine {

Status DamageLog::Note(Status status) {
  if (status.code() != StatusCode::kCorruption) return status;
  const std::uint64_t times = times_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (times == 1) {
    const std::lock_guard lock(mutex_);
    first_ = status.message();
  }
  if (std::has_single_bit(times)) {
    Log(logger_, LogLevel::kError,
        "storage is damaged, seen {} times: {}; run a check, and restore a backup or salvage what "
        "can be read",
        times, status.message());
  }
  return status;
}

std::string DamageLog::first() const {
  const std::lock_guard lock(mutex_);
  return first_;
}

}  // namespace mayfly::engine
