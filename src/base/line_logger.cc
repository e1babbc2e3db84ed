#include "base/line_logger.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <cstdint>
#include <fstream>
#include <mutex>
#include <utility>

#include "base/text.h"

namespace mayfly {
namespace {

constexpr const char* kPlainPattern = "%Y-%m-%dT%H:%M:%S.%e%z %l %v";
constexpr const char* kLogfmtPattern = "ts=%Y-%m-%dT%H:%M:%S.%e%z level=%l msg=%v";

enum class LineFormat : std::uint8_t { kPlain, kLogfmt };

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
  }
  return spdlog::level::err;
}

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

class LineLogger final : public LevelledLogger {
 public:
  LineLogger(LineFormat format, LogLevel lowest, const std::string& path)
      : format_(format), logger_("mayfly", NewSink(path)) {
    SetLevel(lowest, false);
    logger_.set_pattern(format == LineFormat::kPlain ? kPlainPattern : kLogfmtPattern);
  }

  bool Wants(LogLevel level) const override { return logger_.should_log(ToSpdlog(level)); }
  void Write(LogLevel level, std::string_view line) override {
    if (!Wants(level)) return;
    if (format_ == LineFormat::kPlain) {
      logger_.log(ToSpdlog(level), line);
    } else {
      logger_.log(ToSpdlog(level), LogfmtQuoted(line));
    }
  }
  void SetLevel(LogLevel lowest, bool silent) override {
    logger_.set_level(silent ? spdlog::level::off : ToSpdlog(lowest));
  }

 private:
  const LineFormat format_;
  spdlog::logger logger_;
};

}  // namespace

std::unique_ptr<LevelledLogger> NewStderrLogger(LogLevel lowest) {
  return std::make_unique<LineLogger>(LineFormat::kPlain, lowest, std::string());
}

std::unique_ptr<LevelledLogger> NewLogfmtLogger(LogLevel lowest, const std::string& path) {
  return std::make_unique<LineLogger>(LineFormat::kLogfmt, lowest, path);
}

std::string LogfmtQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted.append({'\\', c});
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < ' ') {
      AppendEscape(quoted, c);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace mayfly
