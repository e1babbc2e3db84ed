// recording_logger.h - keeps every line that is logged.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/logger.h"

namespace mayfly::server {

class RecordingLogger final : public Logger {
 public:
  bool Wants(LogLevel /*level*/) const override { return true; }
  void Write(LogLevel /*level*/, std::string_view line) override {
    const std::lock_guard lock(mutex_);
    lines_.emplace_back(line);
  }

  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

  // Lines that contain this text.
  int Count(std::string_view text) const {
    int count = 0;
    for (const std::string& line : lines()) {
      count += line.find(text) != std::string::npos ? 1 : 0;
    }
    return count;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;  // Guarded by mutex_.
};

}  // namespace mayfly::server
