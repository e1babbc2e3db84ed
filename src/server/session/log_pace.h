// log_pace.h - keeps what may happen again and again from filling the log.
// Safe to call from any thread.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "mayfly/clock.h"

namespace mayfly::server {

class LogPace {
 public:
  // True at most once a minute for each subject. With too many subjects in a minute, new ones are not
  // logged.
  bool IsDue(const std::string& subject, SteadyTime now) {
    const std::lock_guard lock(mutex_);
    std::erase_if(logged_, [&](const auto& one) { return now - one.second >= kPause; });
    return logged_.size() < kSubjectsMax && logged_.try_emplace(subject, now).second;
  }

 private:
  static constexpr std::chrono::minutes kPause{1};
  static constexpr std::size_t kSubjectsMax = 256;

  std::mutex mutex_;
  std::map<std::string, SteadyTime> logged_;  // Guarded by mutex_. By subject.
};

}  // namespace mayfly::server
