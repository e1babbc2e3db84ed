// Goal: no sequence of operations tells a database from plain maps with deadlines.
// Method: a seeded random play per engine, on a clock that the play moves. MAYFLY_SEED repeats one,
// MAYFLY_OPERATIONS sets its length; a difference is reported with as few operations as show it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/testing/environment.h"
#include "tests/core/model_play.h"

namespace mayfly::core::suite {
namespace {

constexpr std::uint64_t kOperations = 25'000;

class CoreModelPlay : public testing::TestWithParam<Subject> {};

TEST_P(CoreModelPlay, FindsNoDifference) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  const std::uint64_t operations = NumberFromEnvironment("MAYFLY_OPERATIONS", kOperations);
  fmt::print("MAYFLY_SEED={} MAYFLY_OPERATIONS={}\n", seed, operations);
  const auto difference = PlayAgainstModel(GetParam(), seed, operations);
  EXPECT_FALSE(difference.has_value()) << difference.value_or("");
}

INSTANTIATE_TEST_SUITE_P(Engines, CoreModelPlay, testing::ValuesIn(AllSubjects()),
                         [](const auto& one) { return one.param.kind.name; });

}  // namespace
}  // namespace mayfly::core::suite
