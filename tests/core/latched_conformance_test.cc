// Goal: no sequence of transactions, with collections and deadlines of members, tells a database
// from plain maps. Method: seeded random play on each engine; MAYFLY_SEED repeats one.
#include <gtest/gtest.h>

#include <cstdio>

#include "base/testing/environment.h"
#include "core/each_engine.h"
#include "core/latched_player.h"

namespace mayfly {
namespace {

constexpr std::uint64_t kSteps = 3'000;

class LatchedConformance : public ::testing::TestWithParam<EngineKind> {};

void Play(EngineKind engine, TransactionKind transactions) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  const std::uint64_t steps = NumberFromEnvironment("MAYFLY_OPERATIONS", kSteps);
  std::printf("MAYFLY_SEED=%llu MAYFLY_OPERATIONS=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(steps));
  LatchedPlayer player(engine, transactions, seed);
  for (std::uint64_t i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    player.Step();
  }
  player.CompareAll();
  player.home().ExpectClean();
  player.ExpectNothingLeftOver();
  player.CompareAll();
  std::printf("%llu calls\n", static_cast<unsigned long long>(player.calls()));
}

TEST_P(LatchedConformance, FindsNoDifferenceToPlainMaps) {
  Play(GetParam(), TransactionKind::kLatched);
}

TEST_P(LatchedConformance, FindsNoneInOptimisticTransactionsEither) {
  Play(GetParam(), TransactionKind::kOptimistic);
}

INSTANTIATE_TEST_SUITE_P(Engines, LatchedConformance, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
