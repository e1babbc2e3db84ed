// spdlog_level.h - LogLevel as spdlog's level. For the sources of loggers only: it includes spdlog.
#pragma once

#include <spdlog/common.h>

#include "mayfly/logger.h"

namespace mayfly {

inline spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
  }
  return spdlog::level::err;
}

}  // namespace mayfly
