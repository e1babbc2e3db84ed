// logger.h - where mayfly logs background work, recovery and anomalies.
// Results of calls are returned, never logged. The library is silent by default; the server brings
// a logger of its own.
#pragma once

#include <cstdint>
#include <string_view>

namespace mayfly {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

// Safe to call from any thread, background threads of the engine included; must not throw and must
// not call back into the database.
class Logger {
 public:
  virtual ~Logger() = default;

  // Lines below this level need not be built at all.
  virtual bool Wants(LogLevel level) const = 0;

  virtual void Write(LogLevel level, std::string_view line) = 0;
};

// Discards everything. Lives until the process ends.
Logger& SilentLogger();

}  // namespace mayfly
