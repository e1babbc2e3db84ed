// Goal: a line below the level costs nothing; one at or above it arrives whole, once, at its level.
// Method: a logger that records, arguments that count how often they are formatted, captured
// stderr.
#include "base/log.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/line_logger.h"

namespace mayfly {
namespace {

class RecordingLogger final : public Logger {
 public:
  explicit RecordingLogger(LogLevel lowest) : lowest_(lowest) {}

  bool Wants(LogLevel level) const override { return level >= lowest_; }
  void Write(LogLevel level, std::string_view line) override { lines.emplace_back(level, line); }

  std::vector<std::pair<LogLevel, std::string>> lines;

 private:
  const LogLevel lowest_;
};

// A value that counts how often it is formatted.
struct Dear {
  int* formatted;
};

}  // namespace
}  // namespace mayfly

template <>
struct fmt::formatter<mayfly::Dear> : fmt::formatter<int> {
  template <typename Context>
  auto format(const mayfly::Dear& dear, Context& context) const {
    return fmt::formatter<int>::format(++*dear.formatted, context);
  }
};

namespace mayfly {
namespace {

TEST(Log, FormatsItsArguments) {
  RecordingLogger logger(LogLevel::kDebug);
  Log(logger, LogLevel::kWarning, "{} rows behind in {}", 7, "rows");
  ASSERT_EQ(logger.lines.size(), 1u);
  EXPECT_EQ(logger.lines[0].first, LogLevel::kWarning);
  EXPECT_EQ(logger.lines[0].second, "7 rows behind in rows");
}

TEST(Log, DoesNotFormatALineNobodyWants) {
  RecordingLogger logger(LogLevel::kWarning);
  int formatted = 0;
  Log(logger, LogLevel::kInfo, "{}", Dear{&formatted});
  EXPECT_EQ(formatted, 0);
  EXPECT_TRUE(logger.lines.empty());
  Log(logger, LogLevel::kWarning, "{}", Dear{&formatted});
  EXPECT_EQ(formatted, 1);
  EXPECT_EQ(logger.lines.size(), 1u);
}

TEST(SilentLogger, WantsNothingAndSaysNothing) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    EXPECT_FALSE(SilentLogger().Wants(level));
    SilentLogger().Write(level, "a line");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(&SilentLogger(), &SilentLogger());
}

TEST(StderrLogger, WantsItsLevelAndWhatIsAboveIt) {
  const auto logger = NewStderrLogger(LogLevel::kWarning);
  EXPECT_FALSE(logger->Wants(LogLevel::kDebug));
  EXPECT_FALSE(logger->Wants(LogLevel::kInfo));
  EXPECT_TRUE(logger->Wants(LogLevel::kWarning));
  EXPECT_TRUE(logger->Wants(LogLevel::kError));
}

TEST(StderrLogger, WritesTimeLevelAndLine) {
  testing::internal::CaptureStderr();
  NewStderrLogger(LogLevel::kInfo)->Write(LogLevel::kWarning, "the disk is full");
  const std::string text = testing::internal::GetCapturedStderr();
  const std::regex expected(
      R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d warning the disk is full\n)");
  EXPECT_TRUE(std::regex_match(text, expected)) << text;
}

TEST(StderrLogger, DropsLinesBelowItsLevel) {
  testing::internal::CaptureStderr();
  const auto logger = NewStderrLogger(LogLevel::kWarning);
  logger->Write(LogLevel::kInfo, "unwanted");
  logger->Write(LogLevel::kError, "wanted");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("unwanted"), std::string::npos) << text;
  EXPECT_NE(text.find("error wanted"), std::string::npos) << text;
}

TEST(StderrLogger, LeavesBracesInALineAlone) {
  testing::internal::CaptureStderr();
  NewStderrLogger(LogLevel::kInfo)->Write(LogLevel::kInfo, "key {tag}:1 {} %v");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("key {tag}:1 {} %v\n"), std::string::npos) << text;
}

TEST(StderrLogger, KeepsLinesOfManyThreadsWhole) {
  constexpr int kThreads = 4;
  constexpr int kLines = 100;
  const std::string line(200, 'x');
  testing::internal::CaptureStderr();
  const auto logger = NewStderrLogger(LogLevel::kInfo);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kLines; ++i) logger->Write(LogLevel::kInfo, line);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = testing::internal::GetCapturedStderr();
  int whole = 0;
  const std::string wanted = " info " + line + "\n";
  for (auto at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
    ++whole;
  }
  EXPECT_EQ(whole, kThreads * kLines);
}

TEST(StderrLogger, ExistsTwiceSideBySide) {
  const auto one = NewStderrLogger(LogLevel::kError);
  const auto two = NewStderrLogger(LogLevel::kDebug);
  EXPECT_FALSE(one->Wants(LogLevel::kInfo));
  EXPECT_TRUE(two->Wants(LogLevel::kInfo));
}

}  // namespace
}  // namespace mayfly
