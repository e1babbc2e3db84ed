// Structured log lines: one line each, whatever is in the message; levels that can be changed.
// Method: standard error is caught.
#include "base/line_logger.h"

#include <gtest/gtest.h>

namespace mayfly {
namespace {

TEST(LogfmtLogger, AMessageStaysOneLine) {
  EXPECT_EQ(LogfmtQuoted("a \"b\"\\\n\x01"), "\"a \\\"b\\\"\\\\\\n\\x01\"");
  testing::internal::CaptureStderr();
  NewLogfmtLogger(LogLevel::kInfo)->Write(LogLevel::kWarning, "two\nlines");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(text.starts_with("ts=")) << text;
  EXPECT_TRUE(text.ends_with(" level=warning msg=\"two\\nlines\"\n")) << text;
}

TEST(LogfmtLogger, TheLevelCanBeChanged) {
  const auto logger = NewLogfmtLogger(LogLevel::kWarning);
  EXPECT_FALSE(logger->Wants(LogLevel::kInfo));
  EXPECT_TRUE(logger->Wants(LogLevel::kWarning));
  logger->SetLevel(LogLevel::kInfo);
  EXPECT_TRUE(logger->Wants(LogLevel::kInfo));
  logger->SetLevel(LogLevel::kError, true);
  EXPECT_FALSE(logger->Wants(LogLevel::kError));
}

}  // namespace
}  // namespace mayfly
