// Goal: the conformance suite and the model play notice each kind of broken engine.
// Method: run them on engines broken on purpose, with GTest's failures caught instead of reported,
// and expect some; run them on the same wrapper unbroken, and expect none.
#include "tests/engine/mutants.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "tests/engine/cases.h"
#include "tests/engine/forwarding_engine.h"
#include "tests/engine/model_player.h"

namespace mayfly::engine::suite {
namespace {

constexpr Play kPlay = {.seed = 20'241'115, .operations = 5'000};

// The names of those cases that fail on engines of `kind`.
std::vector<std::string> FailingCases(const EngineKind& kind, const Cases& cases) {
  std::vector<std::string> failing;
  for (const Case& one_case : cases) {
    testing::TestPartResultArray results;
    {
      const testing::ScopedFakeTestPartResultReporter reporter(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
      Rig rig(kind);
      one_case.run(rig);
    }
    for (int i = 0; i < results.size(); ++i) {
      if (!results.GetTestPartResult(i).failed()) continue;
      failing.push_back(one_case.name);
      break;
    }
  }
  return failing;
}

EngineKind KindOf(const Mutant& mutant, EngineKind inner = MemoryKind()) {
  return WrappedKind(mutant.name, std::move(inner), mutant.make);
}

class Mutants : public testing::TestWithParam<Mutant> {};

TEST_P(Mutants, AreCaughtByTheConformanceSuite) {
  // Files are slow, and only these cases use them.
  const auto failing = GetParam().needs == Mutant::Needs::kFiles
                           ? FailingCases(KindOf(GetParam(), RocksKind()), ReclaimCases())
                           : FailingCases(KindOf(GetParam()), AllCases());
  EXPECT_FALSE(failing.empty());
  RecordProperty("caught_by", testing::PrintToString(failing));
}

TEST_P(Mutants, AreCaughtByTheModelPlay) {
  const auto difference = PlayAgainstModel(KindOf(GetParam()), kPlay);
  EXPECT_EQ(difference.has_value(), GetParam().needs == Mutant::Needs::kNothing)
      << difference.value_or("");
}

INSTANTIATE_TEST_SUITE_P(Broken, Mutants, testing::ValuesIn(AllMutants()),
                         [](const auto& one) { return one.param.name; });

TEST(Unbroken, PassesTheConformanceSuite) {
  const auto kind = WrappedKind("Unbroken", MemoryKind(), NewForwardingEngine);
  EXPECT_EQ(FailingCases(kind, AllCases()), std::vector<std::string>());
}

TEST(Unbroken, PassesTheCasesThatLookAtFiles) {
  const auto kind = WrappedKind("Unbroken", RocksKind(), NewForwardingEngine);
  EXPECT_EQ(FailingCases(kind, ReclaimCases()), std::vector<std::string>());
}

TEST(Unbroken, PassesTheModelPlay) {
  const auto kind = WrappedKind("Unbroken", MemoryKind(), NewForwardingEngine);
  EXPECT_EQ(PlayAgainstModel(kind, kPlay), std::nullopt);
}

}  // namespace
}  // namespace mayfly::engine::suite
