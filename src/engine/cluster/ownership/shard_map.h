// shard_map.h - from slots to shards, and from shards to groups.
//   shard = slot * shards / 16384       group = shard / shards_per_group
// A shard is one object of the store, and atomic. A group is what servers give each other: its shards
// are neighbours and go to the same server. Both numbers are powers of two, fixed when the database
// is created, so that slots never move between shards.
#pragma once

#include <cstdint>

#include "engine/address.h"
#include "mayfly/result.h"

namespace mayfly::engine::cluster {

using ShardId = std::uint16_t;
using GroupId = std::uint16_t;

struct SlotRange {
  Slot first = 0;
  Slot last = 0;  // Inclusive.
};

class ShardMap {
 public:
  // Invalid unless both are powers of two and 1 <= shards_per_group <= shards <= kShardsMax.
  static Result<ShardMap> Make(std::uint32_t shards, std::uint32_t shards_per_group);

  std::uint32_t shards() const { return shards_; }
  std::uint32_t groups() const { return shards_ / shards_per_group_; }
  std::uint32_t shards_per_group() const { return shards_per_group_; }

  ShardId ShardOf(Slot slot) const {
    return static_cast<ShardId>(std::uint32_t{slot} * shards_ / kSlotCount);
  }
  SlotRange SlotsOf(ShardId shard) const;

  GroupId GroupOf(ShardId shard) const { return static_cast<GroupId>(shard / shards_per_group_); }
  ShardId FirstShardOf(GroupId group) const {
    return static_cast<ShardId>(group * shards_per_group_);
  }

 private:
  ShardMap(std::uint32_t shards, std::uint32_t shards_per_group)
      : shards_(shards), shards_per_group_(shards_per_group) {}

  std::uint32_t shards_;
  std::uint32_t shards_per_group_;
};

}  // namespace mayfly::engine::cluster
