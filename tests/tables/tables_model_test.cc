// Goal: tables reply as a plain map does, whatever is called, and the comparison notices when they
// do not. Method: seeded random calls on both, on each engine and in both modes; then the same on
// tables that are broken on purpose.
#include <gtest/gtest.h>

#include <iostream>

#include "tables/random_posts.h"
#include "tables/tables_play.h"

namespace mayfly {
namespace {

class TablesPlay : public ::testing::TestWithParam<PlaySubject> {};

TEST_P(TablesPlay, AnswersAsTheModelDoes) {
  const std::uint64_t seed = PlaySeed();
  std::cout << "MAYFLY_SEED=" << seed << "\n";
  EXPECT_EQ(PlayTables(GetParam(), seed, NumberFromEnvironment("MAYFLY_CALLS", 6000)).value_or(""),
            "");
}

constexpr PlaySubject Alone(PlaySubject subject) {
  subject.indexed = false;
  return subject;
}

INSTANTIATE_TEST_SUITE_P(Whole, TablesPlay,
                         ::testing::Values(PlaySubject{EngineKind::kMemory, TtlMode::kExact},
                                           PlaySubject{EngineKind::kMemory, TtlMode::kUntilSwept},
                                           PlaySubject{EngineKind::kRocks, TtlMode::kExact},
                                           PlaySubject{EngineKind::kMemoryFirst, TtlMode::kExact},
                                           PlaySubject{EngineKind::kRocks, TtlMode::kUntilSwept},
                                           Alone({EngineKind::kMemory, TtlMode::kExact}),
                                           Alone({EngineKind::kRocks, TtlMode::kExact})),
                         ::testing::PrintToStringParamName());

class BrokenTables : public ::testing::TestWithParam<PlaySubject> {};

TEST_P(BrokenTables, AreCaught) {
  constexpr std::uint64_t kSeed = 20'261'115;
  EXPECT_NE(PlayTables(GetParam(), kSeed, 6000), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(
    Broken, BrokenTables,
    ::testing::Values(PlaySubject{EngineKind::kMemory, TtlMode::kExact, Broken::kLateClock},
                      PlaySubject{EngineKind::kMemory, TtlMode::kUntilSwept, Broken::kLateClock},
                      PlaySubject{EngineKind::kMemory, TtlMode::kExact, Broken::kIgnoresConditions},
                      PlaySubject{EngineKind::kMemory, TtlMode::kExact, Broken::kKeepsEntries},
                      Alone({EngineKind::kMemory, TtlMode::kExact, Broken::kLateClock}),
                      Alone({EngineKind::kMemory, TtlMode::kExact, Broken::kIgnoresConditions})),
    ::testing::PrintToStringParamName());

}  // namespace
}  // namespace mayfly
