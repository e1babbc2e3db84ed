// logfmt_logger.h - a logger of structured lines, to standard error or a file.
//   ts=2023-11-14T22:13:20.000+0000 level=info msg="the port \"6379\" is taken"
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

// Appends lines to the file; an empty path is standard error. The file is opened for each line, so
// it can be moved away at any time; if it cannot be opened, the line is lost.
std::unique_ptr<LevelledLogger> NewLogfmtLogger(LogLevel lowest, const std::string& path = {});

// The text between quotes, with quotes, backslashes and line breaks escaped: one line stays one.
std::string LogfmtQuoted(std::string_view text);

}  // namespace mayfly
