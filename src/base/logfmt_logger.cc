#include "base/logfmt_logger.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "base/spdlog_level.h"

namespace mayfly {
namespace {

class LogfmtLogger final : public LevelledLogger {
 public:
  explicit LogfmtLogger(LogLevel lowest)
      : logger_("mayfly", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    SetLevel(lowest, false);
    logger_.set_pattern("ts=%Y-%m-%dT%H:%M:%S.%e%z level=%l msg=%v");
  }

  bool Wants(LogLevel level) const override { return logger_.should_log(ToSpdlog(level)); }
  void Write(LogLevel level, std::string_view line) override {
    logger_.log(ToSpdlog(level), LogfmtQuoted(line));
  }
  void SetLevel(LogLevel lowest, bool silent) override {
    logger_.set_level(silent ? spdlog::level::off : ToSpdlog(lowest));
  }

 private:
  spdlog::logger logger_;
};

}  // namespace

std::unique_ptr<LevelledLogger> NewLogfmtLogger(LogLevel lowest) {
  return std::make_unique<LogfmtLogger>(lowest);
}

std::string LogfmtQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += fmt::format("\\{}", c);
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < ' ') {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace mayfly
