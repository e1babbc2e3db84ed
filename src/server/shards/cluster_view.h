// cluster_view.h - the servers of a cluster and their shards, at one moment.
// A shard is a range of slots; a slot is the number that Redis Cluster's clients compute from a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/address.h"

namespace mayfly::server {

struct SlotRange {
  engine::Slot first = 0;
  engine::Slot last = 0;

  friend bool operator==(const SlotRange&, const SlotRange&) = default;
};

constexpr std::size_t ShardOf(engine::Slot slot, std::size_t shards) {
  return slot * shards / engine::kSlotCount;
}

constexpr SlotRange SlotsOf(std::size_t shard, std::size_t shards) {
  const std::size_t size = engine::kSlotCount / shards;
  return {static_cast<engine::Slot>(shard * size),
          static_cast<engine::Slot>((shard + 1) * size - 1)};
}

struct ServerAddress {
  std::string host;
  int port = 0;  // 0: none.

  friend auto operator<=>(const ServerAddress&, const ServerAddress&) = default;
};

// "10.0.0.1:6379", as in MOVED.
std::string ToText(const ServerAddress& address);

struct ClusterMember {
  enum class State : std::uint8_t {
    kReachable,
    kSilent,  // Nothing has been heard of it for a while; it still owns its shards.
    kGone,    // Its shards are taken over.
  };

  std::string id;  // 40 hexadecimal digits, as Redis names its nodes.
  ServerAddress address;
  State state = State::kReachable;
  bool is_self = false;
  std::uint64_t epoch = 0;  // Grows when it joins again.

  friend bool operator==(const ClusterMember&, const ClusterMember&) = default;
};

struct ClusterView {
  static constexpr std::size_t kNobody = SIZE_MAX;

  std::uint64_t epoch = 0;  // Grows with every change.
  std::vector<ClusterMember> members;
  std::vector<std::size_t> owners;  // By shard: a place in `members`, or kNobody.

  // Null: it is not a member.
  const ClusterMember* self() const;
};

// Where the other servers are that may own shards.
std::vector<ServerAddress> OthersIn(const ClusterView& view);

// Whether every shard has an owner.
bool IsWhole(const ClusterView& view);

// The slots of a member, in order; neighbours are joined.
std::vector<SlotRange> SlotsOfMember(const ClusterView& view, std::size_t member);

// How many slots the members have that are in this state.
std::size_t CountSlots(const ClusterView& view, ClusterMember::State state);

}  // namespace mayfly::server
