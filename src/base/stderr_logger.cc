#include "base/stderr_logger.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace mayfly {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
  }
  return spdlog::level::err;
}

class StderrLogger final : public Logger {
 public:
  explicit StderrLogger(LogLevel lowest)
      : logger_("mayfly", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger_.set_level(ToSpdlog(lowest));
    logger_.set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  }

  bool Wants(LogLevel level) const override { return logger_.should_log(ToSpdlog(level)); }

  void Write(LogLevel level, std::string_view line) override { logger_.log(ToSpdlog(level), line); }

 private:
  spdlog::logger logger_;
};

}  // namespace

std::unique_ptr<Logger> NewStderrLogger(LogLevel lowest) {
  return std::make_unique<StderrLogger>(lowest);
}

}  // namespace mayfly
