// Goal: groups end up even with as few moves as that takes, and every server finds the same moves.
// Method: random clusters; each server's part is worked out alone, and all parts are carried out, in
// random order with a fresh look after each.
#include "engine/cluster/ownership/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "base/random.h"

namespace mayfly::engine::cluster {
namespace {

struct Cluster {
  std::map<ServerId, std::set<GroupId>> servers;
  std::set<ServerId> leaving;
  std::set<GroupId> unowned;

  std::size_t groups() const {
    std::size_t sum = unowned.size();
    for (const auto& [server, groups] : servers) sum += groups.size();
    return sum;
  }
};

struct Seen {
  explicit Seen(const Cluster& cluster) : unowned(cluster.unowned.begin(), cluster.unowned.end()) {
    for (const auto& [server, groups] : cluster.servers)
      lists.emplace_back(groups.begin(), groups.end());
    std::size_t i = 0;
    for (const auto& [server, groups] : cluster.servers) {
      participants.push_back({.server = server,
                              .load = static_cast<std::uint32_t>(groups.size()),
                              .takes = !cluster.leaving.contains(server),
                              .groups = lists[i++]});
    }
  }

  std::vector<std::vector<GroupId>> lists;
  std::vector<Participant> participants;
  std::vector<GroupId> unowned;
};

struct OneMove {
  GroupId group;
  ServerId from;  // kNobody: it had no owner.
  ServerId to;

  friend auto operator<=>(const OneMove&, const OneMove&) = default;
};

void PrintTo(const OneMove& move, std::ostream* out) {
  *out << move.group << ": " << move.from << " -> " << move.to;
}

std::vector<OneMove> AllMoves(const Cluster& cluster) {
  const Seen seen(cluster);
  std::vector<OneMove> moves;
  for (std::uint32_t i = 0; i < seen.participants.size(); ++i) {
    const ServerId self = seen.participants[i].server;
    const Deal deal = DealFor(i, seen.participants, seen.unowned);
    for (const GroupId group : deal.takes) moves.push_back({group, kNobody, self});
    for (const Deal::Gift& gift : deal.gives) {
      moves.push_back({gift.group, self, seen.participants[gift.to].server});
    }
  }
  std::sort(moves.begin(), moves.end());
  return moves;
}

void Carry(Cluster& cluster, const OneMove& move) {
  const std::size_t had = move.from == kNobody ? cluster.unowned.erase(move.group)
                                               : cluster.servers[move.from].erase(move.group);
  ASSERT_EQ(had, 1U);
  cluster.servers[move.to].insert(move.group);
}

void ExpectEven(const Cluster& cluster) {
  const std::size_t takers = cluster.servers.size() - cluster.leaving.size();
  const std::size_t even = cluster.groups() / takers;
  EXPECT_TRUE(cluster.unowned.empty());
  for (const auto& [server, groups] : cluster.servers) {
    if (cluster.leaving.contains(server)) {
      EXPECT_TRUE(groups.empty());
    } else {
      EXPECT_GE(groups.size(), even);
      EXPECT_LE(groups.size(), even + (even * takers == cluster.groups() ? 0 : 1));
    }
  }
}

// The moves that evenness needs.
std::size_t MovesMin(const Cluster& cluster) {
  const std::size_t takers = cluster.servers.size() - cluster.leaving.size();
  const std::size_t even = cluster.groups() / takers;
  std::size_t more = cluster.groups() - even * takers;  // Servers that may have one more.
  std::size_t moves = cluster.unowned.size();
  std::vector<std::size_t> loads;
  for (const auto& [server, groups] : cluster.servers) {
    if (cluster.leaving.contains(server)) {
      moves += groups.size();
    } else if (groups.size() > even) {
      moves += groups.size() - even - (more > 0 ? 1 : 0);
      more -= more > 0 ? 1 : 0;
    }
  }
  return moves;
}

Cluster RandomCluster(Random& random) {
  Cluster cluster;
  const std::uint64_t servers = random.Between(1, 40);
  std::vector<ServerId> ids;
  while (ids.size() < servers) {
    const ServerId id = random.Between(1, 1000);
    if (cluster.servers.try_emplace(id).second) ids.push_back(id);
  }
  const auto groups = static_cast<GroupId>(random.Between(1, 600));
  for (GroupId group = 0; group < groups; ++group) {
    const std::uint64_t place = random.Below(servers + 1);
    if (place == servers) {
      cluster.unowned.insert(group);
    } else {
      cluster.servers[ids[place]].insert(group);
    }
  }
  if (servers > 3 && random.OneIn(2)) cluster.leaving = {ids[0], ids[1]};
  return cluster;
}

TEST(Assignment, EndsEvenWithTheFewestMoves) {
  const std::uint64_t seed = FreshSeed();
  std::cout << "MAYFLY_SEED=" << seed << "\n";
  Random random(seed);
  for (int i = 0; i < 300; ++i) {
    Cluster cluster = RandomCluster(random);
    const std::vector<OneMove> moves = AllMoves(cluster);
    ASSERT_EQ(moves.size(), MovesMin(cluster));
    for (const OneMove& move : moves) Carry(cluster, move);
    ExpectEven(cluster);
    ASSERT_TRUE(AllMoves(cluster).empty());
    if (HasFailure()) return;
  }
}

TEST(Assignment, OfUnownedGroupsStaysWhileItIsCarriedOut) {
  const std::uint64_t seed = FreshSeed();
  std::cout << "MAYFLY_SEED=" << seed << "\n";
  Random random(seed);
  for (int i = 0; i < 50; ++i) {
    Cluster cluster = RandomCluster(random);
    for (std::vector<OneMove> moves = AllMoves(cluster); !moves.empty();) {
      const auto chosen = moves.begin() + static_cast<std::ptrdiff_t>(random.Below(moves.size()));
      // Gifts are chosen by their giver; which receiver gets which of them may change on the way.
      const bool taken = chosen->from == kNobody;
      Carry(cluster, *chosen);
      moves.erase(chosen);
      std::vector<OneMove> next = AllMoves(cluster);
      ASSERT_EQ(next.size(), moves.size());
      if (taken) {
        ASSERT_EQ(next, moves);
      }
      moves = std::move(next);
    }
    ExpectEven(cluster);
    if (HasFailure()) return;
  }
}

TEST(Assignment, GivesANewServerAnEvenShareAndMovesNothingElse) {
  Cluster cluster;
  for (GroupId group = 0; group < 1000; ++group) cluster.servers[1 + group % 10].insert(group);
  cluster.servers.try_emplace(11);
  const std::vector<OneMove> moves = AllMoves(cluster);
  EXPECT_EQ(moves.size(), 90U);
  for (const OneMove& move : moves) EXPECT_EQ(move.to, 11U);
}

TEST(Assignment, LeavesTheGroupsOfASilentServerAlone) {
  const std::vector<GroupId> groups = {0, 1, 2};
  const std::vector<Participant> participants = {
      {.server = 1, .load = 3, .takes = true, .groups = groups},
      {.server = 2, .load = 3, .takes = false, .groups = {}},
      {.server = 3, .load = 3, .takes = true, .groups = groups}};
  for (std::uint32_t self = 0; self < 3; ++self) {
    const Deal deal = DealFor(self, participants, {});
    EXPECT_TRUE(deal.takes.empty());
    EXPECT_TRUE(deal.gives.empty());
  }
}

TEST(Assignment, WithoutATakerMovesNothing) {
  const std::vector<GroupId> groups = {0, 1, 2};
  const std::vector<Participant> participants = {
      {.server = 1, .load = 3, .takes = false, .groups = groups}};
  EXPECT_TRUE(DealFor(0, participants, {}).gives.empty());
}

}  // namespace
}  // namespace mayfly::engine::cluster
