// log.h - formatted lines for a Logger, built only when wanted.
//   Log(logger, LogLevel::kWarning, "{} rows behind", backlog);
#pragma once

#include <fmt/format.h>

#include <utility>

#include "mayfly/logger.h"

namespace mayfly {

template <typename... Args>
void Log(Logger& logger, LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (!logger.Wants(level)) return;
  logger.Write(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace mayfly
