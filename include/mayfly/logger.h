// logger.h - where mayfly says what it does behind the caller's back.
// Results are returned, never logged: a line here is about background work, recovery and anomalies.
// A library stays silent by default; the server brings a logger of its own.
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

// Swallows everything. Lives until the process ends.
Logger& SilentLogger();

}  // namespace mayfly
