#include "engine/cluster/ownership/shard_map.h"

#include <fmt/format.h>

#include <bit>

#include "engine/cluster/ownership/limits.h"

namespace mayfly::engine::cluster {

Result<ShardMap> ShardMap::Make(std::uint32_t shards, std::uint32_t shards_per_group) {
  if (!std::has_single_bit(shards) || shards > kShardsMax) {
    return Status::Invalid(
        fmt::format("{} shards: the number must be a power of two, up to {}", shards, kShardsMax));
  }
  if (!std::has_single_bit(shards_per_group) || shards_per_group > shards) {
    return Status::Invalid(fmt::format(
        "{} shards in a group: the number must be a power of two, up to the number of shards ({})",
        shards_per_group, shards));
  }
  return ShardMap(shards, shards_per_group);
}

SlotRange ShardMap::SlotsOf(ShardId shard) const {
  const std::uint32_t slots = kSlotCount / shards_;
  const std::uint32_t first = shard * slots;
  return {.first = static_cast<Slot>(first), .last = static_cast<Slot>(first + slots - 1)};
}

}  // namespace mayfly::engine::cluster
