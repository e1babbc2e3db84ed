// Goal: no sequence of operations tells an engine from a plain map.
// Method: a seeded random play per engine. MAYFLY_SEED repeats one, MAYFLY_OPERATIONS sets its
// length.
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/testing/environment.h"
#include "tests/engine/cluster_homes.h"
#include "tests/engine/model_player.h"

namespace mayfly::engine::suite {
namespace {

constexpr std::uint64_t kOperations = 20'000;

class ModelPlay : public testing::TestWithParam<EngineKind> {};

TEST_P(ModelPlay, FindsNoDifference) {
  const Play play = {.seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed()),
                     .operations = NumberFromEnvironment("MAYFLY_OPERATIONS", kOperations)};
  RecordProperty("seed", std::to_string(play.seed));
  const auto difference = PlayAgainstModel(GetParam(), play);
  EXPECT_FALSE(difference.has_value()) << difference.value_or("");
}

std::vector<EngineKind> Kinds() {
  std::vector<EngineKind> kinds = AllEngineKinds();
  kinds.push_back(ClusterKind());
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Engines, ModelPlay, testing::ValuesIn(Kinds()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace mayfly::engine::suite
