// line_logger.h - log lines with time and level, on standard error or in a file.
//   plain    2023-11-14T22:13:20.000+00:00 info the port "6379" is taken
//   logfmt   ts=2023-11-14T22:13:20.000+00:00 level=info msg="the port \"6379\" is taken"
// The tools write plain lines for people; the server writes logfmt for collectors of logs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mayfly/logger.h"

namespace mayfly {

// A logger whose level can be changed while it is in use.
class LevelledLogger : public Logger {
 public:
  // Lines below `lowest` are dropped; nothing is dropped above kError, unless `silent`.
  virtual void SetLevel(LogLevel lowest, bool silent = false) = 0;
};

// Plain lines on standard error.
std::unique_ptr<LevelledLogger> NewStderrLogger(LogLevel lowest);

// Logfmt lines, added to the file; an empty path is standard error. The file is opened for each
// line, so it can be moved away at any time; one that cannot be opened loses the line.
std::unique_ptr<LevelledLogger> NewLogfmtLogger(LogLevel lowest, const std::string& path = {});

// The text between quotes, with quotes, backslashes and control characters escaped: one line stays
// one. Bytes beyond ASCII stay as they are: logfmt is UTF-8.
std::string LogfmtQuoted(std::string_view text);

}  // namespace mayfly
