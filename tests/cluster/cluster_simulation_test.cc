// Goal: whatever happens to servers, clocks, network and store, no shard has two owners, nobody dies
// of another's trouble, moves come at a bounded rate, and soon every shard is owned and loads are even.
// Method: simulated clusters (simulation.h) on the real code of ownership. Every test prints its seed;
// MAYFLY_SEED repeats it. MAYFLY_SIMULATED_SECONDS=3600 makes the random play that long, and
// MAYFLY_SERVERS=1000 that large.
#include <gtest/gtest.h>

#include <iostream>

#include "base/testing/environment.h"
#include "tests/cluster/simulation.h"

namespace mayfly::engine::cluster::suite {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A fifth of the largest cluster, with as many shards for each server.
SimulationOptions Small() {
  SimulationOptions options;
  options.seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  options.servers = 200;
  options.shards = 4096;
  std::cout << "MAYFLY_SEED=" << options.seed << "\n";
  return options;
}

void StartAll(Simulation& cluster, std::uint32_t servers) {
  for (std::uint32_t server = 0; server < servers; ++server) cluster.Start(server);
  cluster.RunFor(seconds(10));
  cluster.CheckEven();
  cluster.CheckMoves(cluster.counts().claims);
  ASSERT_EQ(cluster.findings().ToString(), "");
}

void Print(const Simulation& cluster, const char* what) {
  const StoreCounts& counts = cluster.counts();
  const Measured& measured = cluster.measured();
  const auto ms = [](Nanos time) { return static_cast<double>(time.count()) / 1e6; };
  std::cout << what << ": at " << ms(cluster.now()) / 1000 << " s; longest without an owner "
            << ms(measured.unowned_max) / 1000 << " s; moves in a second up to "
            << measured.moves_per_second_max << "; fenced " << counts.fences << " by "
            << counts.fences_tried << " requests; claims " << counts.claims << " of "
            << counts.owner_swaps << " swaps; roster reads " << counts.page_reads << ", renewals "
            << counts.renewals << "; writes " << counts.writes << ", refused "
            << counts.writes_refused << "; handovers " << measured.handovers.size() << ", p50 "
            << ms(measured.HandoverAt(0.5)) << " ms, p99 " << ms(measured.HandoverAt(0.99))
            << " ms; events " << measured.events << "\n";
}

TEST(ClusterSimulation, AThousandServersLoseAThirdAtOnceAndGetItBack) {
  SimulationOptions options = Small();
  options.servers = 1000;
  options.shards = 16384;
  Simulation cluster(options);
  StartAll(cluster, options.servers);
  Print(cluster, "started");
  cluster.BeginLoad();
  cluster.RunFor(seconds(2));
  cluster.EndLoad();
  std::cout << "requests in 10 ms: " << cluster.measured().requests_per_10ms_mean
            << " on average, at most " << cluster.measured().requests_per_10ms_max << "\n";

  std::uint64_t lost = 0;
  for (std::uint32_t server = 0; server < options.servers; server += 3) {
    lost += cluster.LoadOf(server);
    cluster.Kill(server);
  }
  cluster.RunFor(seconds(13));
  Print(cluster, "a third died");
  cluster.CheckEven();
  cluster.CheckMoves(lost);
  cluster.CheckFences();

  for (std::uint32_t server = 0; server < options.servers; server += 3) cluster.Start(server);
  cluster.RunFor(seconds(13));
  Print(cluster, "it came back");
  cluster.CheckEven();
  cluster.CheckMoves(lost);
  EXPECT_EQ(cluster.findings().ToString(), "");
  EXPECT_LE(cluster.measured().HandoverAt(0.5), milliseconds(10));
}

TEST(ClusterSimulation, ServersThatDieInWavesAreReplacedWithinTenSeconds) {
  const SimulationOptions options = Small();
  Simulation cluster(options);
  StartAll(cluster, options.servers);
  std::uint32_t next = 0;
  for (const std::uint32_t wave : {10U, 30U, 60U}) {
    for (const std::uint32_t end = next + wave; next < end; ++next) {
      cluster.Kill(next);
      cluster.RunFor(milliseconds(20));
    }
    cluster.RunFor(seconds(14));
    cluster.CheckEven();
  }
  cluster.CheckFences();
  Print(cluster, "half died in three waves");
  EXPECT_EQ(cluster.findings().ToString(), "");
}

TEST(ClusterSimulation, ServersThatStandStillAreSlowOrCutOffWriteNothingOnceReplaced) {
  const SimulationOptions options = Small();
  Simulation cluster(options);
  StartAll(cluster, options.servers);
  for (std::uint32_t i = 0; i < 10; ++i) {
    cluster.StandStill(i, seconds(3));            // Not long enough to be replaced.
    cluster.StandStill(20 + i, seconds(12));      // Long enough.
    cluster.SlowDown(40 + i, milliseconds(700));  // A renewal takes 1.4 s: it stays.
    cluster.SlowDown(60 + i, seconds(3));         // 6 s: it cannot.
    cluster.CutOff(80 + i, true);
  }
  cluster.RunFor(seconds(25));
  for (std::uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(cluster.ownership(i).counts().ended, 0U);
    EXPECT_EQ(cluster.ownership(20 + i).counts().ended, 1U);
    EXPECT_EQ(cluster.ownership(40 + i).counts().ended, 0U);
    EXPECT_EQ(cluster.LoadOf(80 + i), 0U);
    cluster.SlowDown(40 + i, Nanos(0));
    cluster.SlowDown(60 + i, Nanos(0));
    cluster.CutOff(80 + i, false);
  }
  cluster.RunFor(seconds(60));  // The slow ones wait before they join again.
  cluster.CheckEven();
  cluster.CheckFences();
  Print(cluster, "slow, standing, cut off");
  EXPECT_GT(cluster.counts().writes_refused, 0U) << "nobody was there to be fenced";
  EXPECT_EQ(cluster.findings().ToString(), "");
}

TEST(ClusterSimulation, AStallOfTheStoreEndsNobodyAndMovesNothing) {
  const SimulationOptions options = Small();
  Simulation cluster(options);
  StartAll(cluster, options.servers);
  for (const Stall what : {Stall::kAll, Stall::kWrites}) {
    for (const seconds length : {seconds(2), seconds(4), seconds(5), seconds(20)}) {
      cluster.StallStore(what, length);
      cluster.RunFor(length + seconds(9));
      ASSERT_EQ(cluster.counts().fences, 0U) << length.count() << " s";
      cluster.CheckMoves(0);
    }
  }
  cluster.StallPage(3, seconds(20));
  cluster.RunFor(seconds(29));
  EXPECT_EQ(cluster.counts().fences, 0U);
  cluster.CheckEven();
  Print(cluster, "nine stalls");
  EXPECT_EQ(cluster.findings().ToString(), "");
}

TEST(ClusterSimulation, AnOutageThatLosesAllMessagesEndsNobody) {
  const SimulationOptions options = Small();
  Simulation cluster(options);
  StartAll(cluster, options.servers);
  for (const milliseconds length : {milliseconds(3900), milliseconds(8100), milliseconds(15'100)}) {
    for (std::uint32_t server = 0; server < options.servers; ++server) cluster.CutOff(server, true);
    cluster.RunFor(length);
    for (std::uint32_t server = 0; server < options.servers; ++server)
      cluster.CutOff(server, false);
    cluster.RunFor(seconds(10));
    EXPECT_EQ(cluster.counts().fences, 0U) << length.count() << " ms";
  }
  cluster.CheckMoves(0);
  cluster.CheckEven();
}

TEST(ClusterSimulation, ServersThatDieWhileTheStoreStallsAreReplacedAfterIt) {
  const SimulationOptions options = Small();
  Simulation cluster(options);
  StartAll(cluster, options.servers);
  cluster.StallStore(Stall::kAll, seconds(8));
  for (std::uint32_t server = 0; server < 40; ++server) cluster.Kill(server);
  cluster.RunFor(seconds(8 + 12));
  cluster.CheckEven();
  EXPECT_EQ(cluster.counts().fences, 40U);
  EXPECT_EQ(cluster.findings().ToString(), "");
}

TEST(ClusterSimulation, ClocksAnywhereWithinTheBoundAreSafe) {
  SimulationOptions options = Small();
  options.drift_ppm = 20'000;
  options.unserved_max = seconds(12);  // Slow clocks wait longer.
  Simulation cluster(options);
  StartAll(cluster, options.servers);
  for (std::uint32_t i = 0; i < 50; ++i) {
    cluster.Kill(4 * i);
    cluster.StandStill(4 * i + 2, milliseconds(3500 + 40 * i));  // Around the lease and the wait.
  }
  cluster.RunFor(seconds(20));
  cluster.CheckFences();
  EXPECT_EQ(cluster.findings().ToString(), "");
}

TEST(ClusterSimulation, AServerWhoseClockIsBeyondTheBoundWithdraws) {
  SimulationOptions options = Small();
  options.servers = 40;
  options.shards = 1024;
  options.drift_ppm = 200;
  Simulation cluster(options);
  StartAll(cluster, options.servers);
  cluster.RunFor(seconds(320));  // Long enough that clocks were known to be right.
  cluster.SetDrift(3, 50'000);
  cluster.SetDrift(17, -50'000);
  cluster.SetDrift(29, 150'000);
  cluster.RunFor(seconds(240));
  for (std::uint32_t server = 0; server < options.servers; ++server) {
    const bool wrong = server == 3 || server == 17 || server == 29;
    EXPECT_EQ(cluster.ownership(server).IsWithdrawn(), wrong) << server;
    if (wrong) {
      EXPECT_EQ(cluster.LoadOf(server), 0U);
    }
  }
  cluster.CheckEven();
  EXPECT_EQ(cluster.findings().ToString(), "");
}

TEST(ClusterSimulation, ServersThatLeaveHandTheirShardsOverInMilliseconds) {
  SimulationOptions options = Small();
  options.late_per_million = 0;
  options.lost_per_million = 0;
  Simulation cluster(options);
  StartAll(cluster, options.servers);
  std::uint64_t given = 0;
  for (std::uint32_t server = 0; server < 20; ++server) {
    given += cluster.LoadOf(server);
    cluster.Leave(server);
  }
  cluster.RunFor(seconds(10));
  for (std::uint32_t server = 0; server < 20; ++server) {
    EXPECT_TRUE(cluster.ownership(server).HasLeft());
    cluster.Kill(server);
  }
  cluster.CheckEven();
  cluster.CheckMoves(given);
  Print(cluster, "a tenth left");
  EXPECT_EQ(cluster.counts().fences, 0U);
  EXPECT_EQ(cluster.findings().ToString(), "");
  EXPECT_LE(cluster.measured().HandoverAt(0.99), milliseconds(15));
}

// Anything at any time, and quiet at the end. Troubles come one upon another: a server may die that
// is just taking over from a dead one, so a shard may be without an owner for longer.
void Play(SimulationOptions options, std::uint64_t length_s) {
  options.unserved_max = seconds(30);
  Random random(options.seed);
  Simulation cluster(options);
  StartAll(cluster, options.servers);
  for (std::uint64_t second = 0; second < length_s; ++second) {
    const auto server = static_cast<std::uint32_t>(random.Below(options.servers));
    switch (random.Below(24)) {
      case 0:
        for (std::uint32_t i = 0; i < options.servers / 8; ++i) {
          cluster.Kill(static_cast<std::uint32_t>(random.Below(options.servers)));
        }
        break;
      case 1: cluster.Kill(server); break;
      case 2: cluster.StandStill(server, milliseconds(random.Between(100, 20'000))); break;
      case 3: cluster.SlowDown(server, milliseconds(random.Between(1, 4000))); break;
      case 4: cluster.SlowDown(server, Nanos(0)); break;
      case 5: cluster.CutOff(server, true); break;
      case 6: cluster.CutOff(server, false); break;
      case 7: cluster.Leave(server); break;
      case 8: cluster.StallPage(static_cast<std::uint32_t>(random.Below(8)), seconds(6)); break;
      case 9:
        cluster.StallStore(random.OneIn(2) ? Stall::kAll : Stall::kWrites,
                           milliseconds(random.Between(100, 9000)));
        break;
      default:
        for (std::uint32_t i = 0; i < options.servers; ++i) {
          if (random.OneIn(40)) cluster.Start(i);
        }
        break;
    }
    cluster.RunFor(seconds(1));
    if (!cluster.findings().empty()) break;
  }
  for (std::uint32_t server = 0; server < options.servers; ++server) {
    cluster.CutOff(server, false);
    cluster.SlowDown(server, Nanos(0));
    cluster.Kill(server);
    if (server % 4 != 0) cluster.Start(server);
  }
  cluster.RunFor(seconds(40));
  cluster.CheckEven();
  Print(cluster, "played");
  EXPECT_EQ(cluster.findings().ToString(), "");
}

TEST(ClusterSimulation, SurvivesARandomPlay) {
  SimulationOptions options = Small();
  options.servers = static_cast<std::uint32_t>(NumberFromEnvironment("MAYFLY_SERVERS", 60));
  options.shards = 1024;
  while (options.shards < options.servers * 16 && options.shards < 16384) options.shards *= 2;
  Play(options, NumberFromEnvironment("MAYFLY_SIMULATED_SECONDS", 120));
}

TEST(ClusterSimulation, SurvivesARandomPlayInGroupsOfShards) {
  SimulationOptions options = Small();
  options.servers = 20;
  options.shards = 1024;
  options.shards_per_group = 4;
  Play(options, NumberFromEnvironment("MAYFLY_SIMULATED_SECONDS", 120));
}

}  // namespace
}  // namespace mayfly::engine::cluster::suite
