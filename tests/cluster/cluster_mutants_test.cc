// Goal: each safeguard of ownership is needed, and its loss is seen.
// Method: one thing is taken out, the trouble it is there for is played, and the fault that follows is
// found; the same play with everything in place finds nothing.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>

#include "base/testing/environment.h"
#include "tests/cluster/simulation.h"

namespace mayfly::engine::cluster::suite {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kServers = 100;

struct Loss {
  std::string name;
  Mutant mutant;
  Fault fault;
  std::function<void(Simulation&)> trouble;
};

void StandStillForLong(Simulation& cluster) {
  for (std::uint32_t server = 0; server < 30; ++server) cluster.StandStill(server, seconds(12));
  cluster.RunFor(seconds(16));
}

void StandStillForLessThanALease(Simulation& cluster) {
  for (std::uint32_t server = 0; server < 30; ++server) {
    cluster.StandStill(server, milliseconds(3600));
  }
  cluster.RunFor(seconds(8));
}

void Die(Simulation& cluster) {
  for (std::uint32_t server = 0; server < 30; ++server) cluster.Kill(server);
  cluster.RunFor(seconds(12));
  cluster.CheckFences();
}

void DieWhileRequestsTakeLong(Simulation& cluster) {
  for (std::uint32_t server = 0; server < kServers; ++server) {
    cluster.SlowDown(server, milliseconds(300));
  }
  for (std::uint32_t server = 0; server < 30; ++server) cluster.Kill(3 * server);
  cluster.RunFor(seconds(8));
  cluster.CheckFences();
  std::cout << cluster.counts().fences_tried << " requests for " << cluster.counts().fences << "\n";
}

void StallAPage(Simulation& cluster) {
  for (std::uint32_t page = 0; page < 8; ++page) {
    cluster.StallPage(page, seconds(10));
    cluster.RunFor(seconds(14));
  }
}

void DoNothing(Simulation& cluster) {
  cluster.BeginLoad();
  cluster.RunFor(seconds(5));
  cluster.EndLoad();
}

std::vector<Loss> AllLosses() {
  return {
      {"TheEpochIsNotCompared", Mutant::kNoEpochCompare, Fault::kLostUpdate, StandStillForLong},
      {"RenewalsOverwriteAFencedRecord", Mutant::kBlindRenewal, Fault::kTwoOwners,
       StandStillForLong},
      {"OthersTakeOverBeforeTheLeaseIsOver", Mutant::kEarlyTakeover, Fault::kTwoOwners,
       StandStillForLessThanALease},
      {"AServerServesWhenItsLeaseIsOver", Mutant::kServesAfterLease, Fault::kTwoOwners,
       StandStillForLong},
      {"FencingDoesNothing", Mutant::kNoFence, Fault::kUnownedTooLong, Die},
      {"AStallCountsAsSilence", Mutant::kStallIsSilence, Fault::kInnocentFenced, StallAPage},
      {"MovesAreNotBounded", Mutant::kUnboundedMoves, Fault::kStorm, Die},
      {"NothingVaries", Mutant::kNoJitter, Fault::kInStep, DoNothing},
      {"AllFenceAtOnce", Mutant::kNoTurns, Fault::kManyFences, DieWhileRequestsTakeLong},
  };
}

SimulationOptions OptionsFor(Mutant mutant) {
  SimulationOptions options;
  options.seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  std::cout << "MAYFLY_SEED=" << options.seed << "\n";
  options.servers = kServers;
  options.shards = 1024;
  options.ownership.moves_per_second = 192;
  options.drift_ppm = 20;  // As real clocks have it.
  options.mutant = mutant;
  return options;
}

void PlayTrouble(const Loss& loss, Simulation& cluster) {
  for (std::uint32_t server = 0; server < kServers; ++server) cluster.Start(server);
  cluster.RunFor(seconds(16));
  loss.trouble(cluster);
}

class ClusterMutants : public ::testing::TestWithParam<Loss> {};

TEST_P(ClusterMutants, AreFound) {
  Simulation cluster(OptionsFor(GetParam().mutant));
  PlayTrouble(GetParam(), cluster);
  EXPECT_TRUE(cluster.findings().Has(GetParam().fault)) << cluster.findings().ToString();
}

TEST_P(ClusterMutants, AreFoundForNothingElse) {
  Simulation cluster(OptionsFor(Mutant::kNone));
  PlayTrouble(GetParam(), cluster);
  EXPECT_EQ(cluster.findings().ToString(), "");
}

std::string NameOfLoss(const testing::TestParamInfo<Loss>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(When, ClusterMutants, testing::ValuesIn(AllLosses()), NameOfLoss);

}  // namespace
}  // namespace mayfly::engine::cluster::suite
