#include "base/stderr_logger.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "base/spdlog_level.h"

namespace mayfly {
namespace {

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
