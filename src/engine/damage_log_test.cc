// Goal: damage is counted, its first message kept, and logged without flooding the log.
// Method: statuses passed through, and a logger that keeps its lines.
#include "engine/damage_log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mayfly::engine {
namespace {

class KeepingLogger final : public Logger {
 public:
  bool Wants(LogLevel level) const override { return level == LogLevel::kError; }
  void Write(LogLevel /*level*/, std::string_view line) override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

TEST(DamageLog, OnlyCorruptionIsDamage) {
  KeepingLogger logger;
  DamageLog damage(logger);
  EXPECT_TRUE(damage.Note(Status()).ok());
  EXPECT_TRUE(damage.Note(Status::NotFound()).IsNotFound());
  EXPECT_EQ(damage.Note(Status::IoError("no room")).code(), StatusCode::kIoError);
  EXPECT_EQ(damage.times(), 0U);
  EXPECT_EQ(damage.first(), "");
  EXPECT_TRUE(logger.lines.empty());
}

TEST(DamageLog, TheFirstMessageIsKept) {
  KeepingLogger logger;
  DamageLog damage(logger);
  EXPECT_EQ(damage.Note(Status::Corruption("block 7")).code(), StatusCode::kCorruption);
  EXPECT_EQ(damage.Note(Status::Corruption("block 9")).message(), "block 9");
  EXPECT_EQ(damage.times(), 2U);
  EXPECT_EQ(damage.first(), "block 7");
}

TEST(DamageLog, TheLogIsToldEverMoreRarely) {
  KeepingLogger logger;
  DamageLog damage(logger);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(damage.Note(Status::Corruption("block")).ok());
  EXPECT_EQ(logger.lines.size(), 10U);  // 1, 2, 4, ... 512.
  EXPECT_NE(logger.lines.front().find("block"), std::string::npos);
}

}  // namespace
}  // namespace mayfly::engine
