// Goal: RocksDB's lines arrive whole, at the right level, and cannot forge lines or move a cursor.
// Method: lines logged as RocksDB logs them.
#include "engine/rocks/files/rocks_logger.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mayfly::engine {
namespace {

class Lines final : public Logger {
 public:
  explicit Lines(LogLevel lowest) : lowest_(lowest) {}

  bool Wants(LogLevel level) const override { return level >= lowest_; }
  void Write(LogLevel level, std::string_view line) override {
    levels.push_back(level);
    lines.emplace_back(line);
  }

  std::vector<LogLevel> levels;
  std::vector<std::string> lines;

 private:
  const LogLevel lowest_;
};

TEST(RocksLogger, ControlBytesAreShownAsNumbers) {
  Lines lines(LogLevel::kDebug);
  const auto logger = NewRocksLogger(lines);
  rocksdb::Error(logger, "key %s", "a\n\r\x1b[2J\x7f\t\xc3\xa4\\z");
  ASSERT_EQ(lines.lines.size(), 1u);
  EXPECT_EQ(lines.lines[0], R"(rocksdb: key a\x0a\x0d\x1b[2J\x7f\x09\xc3\xa4\x5cz)");
}

TEST(RocksLogger, ALineIsNotCutBeforeItsCause) {
  Lines lines(LogLevel::kDebug);
  const auto logger = NewRocksLogger(lines);
  const std::string path(300, 'p');
  rocksdb::Warn(logger, "%s: No space left on device", path.c_str());
  ASSERT_EQ(lines.lines.size(), 1u);
  EXPECT_EQ(lines.lines[0], "rocksdb: " + path + ": No space left on device");
}

TEST(RocksLogger, InformationIsForDebuggingAndErrorsAreErrors) {
  Lines all(LogLevel::kDebug);
  Lines few(LogLevel::kInfo);
  for (Lines* const lines : {&all, &few}) {
    const auto logger = NewRocksLogger(*lines);
    rocksdb::Info(logger, "information");
    rocksdb::Warn(logger, "warning");
    rocksdb::Error(logger, "error");
    rocksdb::Fatal(logger, "fatal");
  }
  using enum LogLevel;
  EXPECT_EQ(all.levels, (std::vector{kDebug, kWarning, kError, kError}));
  EXPECT_EQ(few.levels, (std::vector{kWarning, kError, kError}));
}

}  // namespace
}  // namespace mayfly::engine
