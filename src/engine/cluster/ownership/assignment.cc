#include "engine/cluster/ownership/assignment.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mayfly::engine::cluster {

namespace {

// Mixes a number well (the finisher of SplitMix64).
std::uint64_t Mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The takers in a ring, each with room for some groups.
class Ring {
 public:
  explicit Ring(std::vector<std::uint32_t> room) : room_(std::move(room)), next_(room_.size() + 1) {
    std::iota(next_.begin(), next_.end(), std::uint32_t{0});
    for (std::uint32_t i = 0; i < room_.size(); ++i) next_[i] += room_[i] == 0 ? 1U : 0U;
  }

  // Puts a group with the first taker that has room, from `start` on. There must be one.
  std::uint32_t Place(std::uint32_t start) {
    std::uint32_t at = Find(start);
    if (at == room_.size()) at = Find(0);
    if (--room_[at] == 0) next_[at] = at + 1;
    return at;
  }

 private:
  // The first taker with room at `at` or behind; room_.size() when there is none.
  std::uint32_t Find(std::uint32_t at) {
    std::uint32_t root = at;
    while (next_[root] != root) root = next_[root];
    while (next_[at] != root && at != root) at = std::exchange(next_[at], root);
    return root;
  }

  std::vector<std::uint32_t> room_;
  std::vector<std::uint32_t> next_;  // Itself while it has room; else where to look on.
};

struct Shares {
  std::vector<std::uint32_t> takers;   // Indexes of participants.
  std::vector<std::uint32_t> room;     // By taker: how many it is to get.
  std::vector<std::uint32_t> surplus;  // By participant: how many it is to give.
};

// Groups that do not divide evenly go to servers that have one more already, then to the first ones.
// So a server that is to have one more is so, too, when it has got it.
Shares SharesOf(std::span<const Participant> participants, std::size_t unowned) {
  Shares shares;
  std::uint64_t groups = unowned;
  for (std::uint32_t i = 0; i < participants.size(); ++i) {
    groups += participants[i].load;
    if (participants[i].takes) shares.takers.push_back(i);
  }
  shares.surplus.assign(participants.size(), 0);
  if (shares.takers.empty()) return shares;
  const auto even = static_cast<std::uint32_t>(groups / shares.takers.size());
  std::uint64_t left = groups % shares.takers.size();
  std::vector<std::uint32_t> quota(participants.size(), 0);
  for (const std::uint32_t taker : shares.takers) {
    quota[taker] = even;
    if (participants[taker].load <= even || left == 0) continue;
    ++quota[taker];
    --left;
  }
  for (const std::uint32_t taker : shares.takers) {
    if (left == 0) break;
    if (participants[taker].load > even) continue;
    ++quota[taker];
    --left;
  }
  for (const std::uint32_t taker : shares.takers) {
    const std::uint32_t load = participants[taker].load;
    shares.room.push_back(load < quota[taker] ? quota[taker] - load : 0);
  }
  for (std::uint32_t i = 0; i < participants.size(); ++i) {
    const std::uint32_t load = participants[i].load;
    shares.surplus[i] = load > quota[i] ? load - quota[i] : 0;
  }
  return shares;
}

}  // namespace

Deal DealFor(std::uint32_t self, std::span<const Participant> participants,
             std::span<const GroupId> unowned) {
  Deal deal;
  const Shares shares = SharesOf(participants, unowned.size());
  if (shares.takers.empty() || (unowned.empty() && shares.surplus[self] == 0)) return deal;
  Ring ring(shares.room);
  // There is room for all: the shares add up to the groups.
  const auto place = [&](GroupId group) {
    const auto start = static_cast<std::uint32_t>(Mixed(group) % shares.takers.size());
    return shares.takers[ring.Place(start)];
  };
  for (const GroupId group : unowned) {
    if (place(group) == self) deal.takes.push_back(group);
  }
  for (std::uint32_t i = 0; i < participants.size(); ++i) {
    const std::span<const GroupId> groups = participants[i].groups;
    const std::size_t given = std::min<std::size_t>(shares.surplus[i], groups.size());
    for (std::size_t k = 0; k < given; ++k) {
      const GroupId group = groups[groups.size() - 1 - k];
      const std::uint32_t to = place(group);
      if (i == self) deal.gives.push_back({.group = group, .to = to});
    }
  }
  return deal;
}

}  // namespace mayfly::engine::cluster
