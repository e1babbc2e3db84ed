#include "engine/rocks/files/rocks_logger.h"

#include <array>
#include <cstdarg>
#include <cstdio>

#include "base/log.h"
#include "base/printable.h"

namespace mayfly::engine {
namespace {

// RocksDB's info lines are detailed; they are debug lines here.
LogLevel ToLevel(rocksdb::InfoLogLevel level) {
  switch (level) {
    case rocksdb::InfoLogLevel::WARN_LEVEL: return LogLevel::kWarning;
    case rocksdb::InfoLogLevel::ERROR_LEVEL:
    case rocksdb::InfoLogLevel::FATAL_LEVEL: return LogLevel::kError;
    default: return LogLevel::kDebug;
  }
}

rocksdb::InfoLogLevel LowestWanted(const Logger& logger) {
  if (logger.Wants(LogLevel::kDebug)) return rocksdb::InfoLogLevel::INFO_LEVEL;
  if (logger.Wants(LogLevel::kWarning)) return rocksdb::InfoLogLevel::WARN_LEVEL;
  return rocksdb::InfoLogLevel::ERROR_LEVEL;
}

class RocksLogger final : public rocksdb::Logger {
 public:
  explicit RocksLogger(mayfly::Logger& logger)
      : rocksdb::Logger(LowestWanted(logger)), logger_(logger) {}

  using rocksdb::Logger::Logv;

  void Logv(const char* format, va_list arguments) override {
    Logv(rocksdb::InfoLogLevel::INFO_LEVEL, format, arguments);
  }

  void Logv(rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (level < GetInfoLogLevel() || !logger_.Wants(ToLevel(level))) return;
    std::array<char, 1024> line;  // Longer lines are cut: they are lists of options.
    std::vsnprintf(line.data(), line.size(), format, arguments);
    Log(logger_, ToLevel(level), "rocksdb: {}", Printable(line.data(), line.size()));
  }

 private:
  mayfly::Logger& logger_;
};

}  // namespace

std::shared_ptr<rocksdb::Logger> NewRocksLogger(Logger& logger) {
  return std::make_shared<RocksLogger>(logger);
}

}  // namespace mayfly::engine
