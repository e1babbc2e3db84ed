// assignment.h - who should have what: the moves that even out the groups.
// Every server works it out by itself from what it sees of the roster, and does its own part: it
// takes the groups without an owner that fall to it, and gives away what falls to others. Two
// servers that see different things may both want a group; the store lets one have it, and the next
// look shows the other. So no coordinator is needed, and none can fail.
// Invariants:
// (1) After all moves every taker has floor(groups / takers) or one more; one move each, and none
//     that this does not need.
// (2) What was dealt stays dealt: when some of the moves have been made, the rest comes out the same.
// A group without a place goes to the first server with room clockwise of its hash on the ring of
// takers (consistent hashing with bounded loads).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/cluster/ownership/lease_records.h"

namespace mayfly::engine::cluster {

struct Participant {
  ServerId server = kNobody;
  std::uint32_t load = 0;  // Groups it has, and those on their way to it.
  bool takes = true;       // False: its groups are dealt to the others, and it gets none.
  // What it would give away first comes last. Empty for a silent server, which can do nothing.
  std::span<const GroupId> groups;
};

struct Deal {
  struct Gift {
    GroupId group = 0;
    std::uint32_t to = 0;  // An index of the participants.
  };
  std::vector<GroupId> takes;
  std::vector<Gift> gives;
};

// The part of the participant `self`. `participants` are sorted by server, `unowned` ascending.
Deal DealFor(std::uint32_t self, std::span<const Participant> participants,
             std::span<const GroupId> unowned);

}  // namespace mayfly::engine::cluster
