// Goal: the engines of a cluster keep the contract of engine/engine.h on a real Ceph.
// Method: the conformance suite and the model play on a Ceph of three OSDs with their data in
// memory, which this program starts and stops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/testing/environment.h"
#include "engine/cluster/objects/await.h"
#include "engine/cluster/plugin/rados_plugin.h"
#include "tests/ceph/lab_environment.h"
#include "tests/engine/cases.h"
#include "tests/engine/cluster_homes.h"
#include "tests/engine/model_player.h"

namespace mayfly::engine::cluster::suite {
namespace {

using engine::suite::AllCases;
using engine::suite::Case;
using engine::suite::EngineKind;

[[maybe_unused]] testing::Environment* const kLab = testing::AddGlobalTestEnvironment(new Lab);

engine::suite::ObjectSource OnCeph() {
  return {.connect = [] { return Lab::store(); }, .database = FreshDatabase()};
}

std::vector<EngineKind> Kinds() {
  return {{"Shard", [] { return engine::suite::NewShardHome(OnCeph()); }},
          {"Cluster", [] { return engine::suite::NewClusterHome(OnCeph()); }}};
}

class CephConformance : public testing::TestWithParam<std::tuple<EngineKind, Case>> {};

TEST_P(CephConformance, Holds) {
  const auto& [kind, one_case] = GetParam();
  engine::suite::Rig rig(kind);
  one_case.run(rig);
}

INSTANTIATE_TEST_SUITE_P(Engines, CephConformance,
                         testing::Combine(testing::ValuesIn(Kinds()),
                                          testing::ValuesIn(AllCases())),
                         [](const auto& one) {
                           return std::get<0>(one.param).name + "_" + std::get<1>(one.param).name;
                         });

TEST(CephModel, FindsNoDifference) {
  const engine::suite::Play play = {.seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed()),
                                    .operations = NumberFromEnvironment("MAYFLY_OPERATIONS", 3000)};
  fmt::print("MAYFLY_SEED={} MAYFLY_OPERATIONS={}\n", play.seed, play.operations);
  const auto difference = engine::suite::PlayAgainstModel(Kinds().front(), play);
  EXPECT_FALSE(difference.has_value()) << difference.value_or("");
}

TEST(CephObjects, KeepTheContractOfAStore) {
  ObjectStore& store = *Lab::store();
  const auto write = [&](MapWrite one) {
    return AwaitWrite(store, "o", std::make_shared<const MapWrite>(std::move(one))).code();
  };
  const std::string zero("\0", 1);
  EXPECT_EQ(write({.conditions = {{"a", "1"}}, .sets = {{"x", "1"}}}), StatusCode::kConflict);
  EXPECT_TRUE(AwaitPage(store, "o", "", 10).value().entries.empty());
  EXPECT_EQ(write({.conditions = {{"a", ""}}, .sets = {{"a", zero}, {"a" + zero, "2"}}}),
            StatusCode::kOk);
  EXPECT_EQ(write({.conditions = {{"a", zero}, {"b", "1"}}, .removals = {"a"}}),
            StatusCode::kConflict);
  EXPECT_EQ(AwaitKeys(store, "o", {"a" + zero, "b", "a"}).value(),
            (std::vector<std::string>{"2", "", zero}));
  const MapPage first = AwaitPage(store, "o", "", 1).value();
  EXPECT_EQ(first.entries, (std::vector<MapEntry>{{"a", zero}}));
  EXPECT_TRUE(first.more);
  const MapPage second = AwaitPage(store, "o", "a", 1).value();
  EXPECT_EQ(second.entries, (std::vector<MapEntry>{{"a" + zero, "2"}}));
  EXPECT_FALSE(second.more);
  EXPECT_EQ(write({.conditions = {{"a", zero}}, .removals = {"a", "absent"}}), StatusCode::kOk);
  EXPECT_EQ(AwaitPage(store, "o", "", 10).value().entries.size(), 1u);
  EXPECT_TRUE(AwaitPage(store, "absent", "", 10).value().entries.empty());
  EXPECT_TRUE(AwaitObject(store, "absent").status().IsNotFound());
  ASSERT_TRUE(AwaitWriteObject(store, "p", "longer").ok());
  ASSERT_TRUE(AwaitWriteObject(store, "p", zero).ok());
  EXPECT_EQ(AwaitObject(store, "p").value(), zero);
  EXPECT_TRUE(AwaitRemoval(store, "p").ok());
  EXPECT_TRUE(AwaitRemoval(store, "p").ok());
}

TEST(CephObjects, AnAbsentPoolIsNotFoundAndABadConfigurationIsRefused) {
  RadosOptions options = Lab::lab().options();
  options.pool = "absent";
  EXPECT_TRUE(OpenRados(options, MAYFLY_RADOS_PLUGIN).status().IsNotFound());
  options.conf_file = "/nowhere/ceph.conf";
  EXPECT_EQ(OpenRados(options, MAYFLY_RADOS_PLUGIN).status().code(), StatusCode::kIoError);
}

}  // namespace
}  // namespace mayfly::engine::cluster::suite
