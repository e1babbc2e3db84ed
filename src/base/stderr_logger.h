// stderr_logger.h - a logger to standard error, with time and level, through spdlog.
#pragma once

#include <memory>

#include "mayfly/logger.h"

namespace mayfly {

// Lines below `lowest` are dropped.
std::unique_ptr<Logger> NewStderrLogger(LogLevel lowest);

}  // namespace mayfly
