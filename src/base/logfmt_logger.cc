#include "base/logfmt_logger.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <fstream>
#include <mutex>
#include <utility>

#include "base/spdlog_level.h"

namespace mayfly {
namespace {

class MovableFileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit MovableFileSink(std::string path) : path_(std::move(path)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::ofstream(path_, std::ios::app | std::ios::binary)
        .write(line.data(), static_cast<std::streamsize>(line.size()));
  }
  void flush_() override {}

 private:
  const std::string path_;
};

spdlog::sink_ptr NewSink(const std::string& path) {
  if (path.empty()) return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  return std::make_shared<MovableFileSink>(path);
}

class LogfmtLogger final : public LevelledLogger {
 public:
  LogfmtLogger(LogLevel lowest, const std::string& path) : logger_("mayfly", NewSink(path)) {
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

std::unique_ptr<LevelledLogger> NewLogfmtLogger(LogLevel lowest, const std::string& path) {
  return std::make_unique<LogfmtLogger>(lowest, path);
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
