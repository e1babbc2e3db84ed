// Goal: every engine keeps the contract of engine/engine.h.
// Method: every case of cases.h on a fresh engine of every kind, and on one behind a plain wrapper.
#include <gtest/gtest.h>

#include "tests/engine/cases.h"
#include "tests/engine/cluster_homes.h"
#include "tests/engine/forwarding_engine.h"

namespace mayfly::engine::suite {
namespace {

std::vector<EngineKind> Kinds() {
  std::vector<EngineKind> kinds = AllEngineKinds();
  kinds.push_back(ClusterKind());
  kinds.push_back(WrappedKind("Forwarding", MemoryKind(), NewForwardingEngine));
  return kinds;
}

class Conformance : public testing::TestWithParam<std::tuple<EngineKind, Case>> {};

TEST_P(Conformance, Holds) {
  const auto& [kind, one_case] = GetParam();
  Rig rig(kind);
  one_case.run(rig);
}

INSTANTIATE_TEST_SUITE_P(Engines, Conformance,
                         testing::Combine(testing::ValuesIn(Kinds()),
                                          testing::ValuesIn(AllCases())),
                         [](const auto& one) {
                           return std::get<0>(one.param).name + "_" + std::get<1>(one.param).name;
                         });

}  // namespace
}  // namespace mayfly::engine::suite
