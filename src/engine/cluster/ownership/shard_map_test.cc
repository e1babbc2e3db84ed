// Goal: every slot has one shard and every shard one group, in order.
// Method: all slots of all sizes.
#include "engine/cluster/ownership/shard_map.h"

#include <gtest/gtest.h>

namespace mayfly::engine::cluster {
namespace {

TEST(ShardMap, CoversEverySlotOnceForEverySize) {
  for (std::uint32_t shards = 1; shards <= kSlotCount; shards *= 2) {
    const ShardMap map = ShardMap::Make(shards, 1).value();
    std::uint32_t next = 0;
    for (std::uint32_t shard = 0; shard < shards; ++shard) {
      const SlotRange slots = map.SlotsOf(static_cast<ShardId>(shard));
      ASSERT_EQ(slots.first, next);
      for (std::uint32_t slot = slots.first; slot <= slots.last; ++slot) {
        ASSERT_EQ(map.ShardOf(static_cast<Slot>(slot)), shard);
      }
      next = slots.last + 1U;
    }
    ASSERT_EQ(next, kSlotCount);
  }
}

TEST(ShardMap, PutsNeighboursInOneGroup) {
  const ShardMap map = ShardMap::Make(1024, 16).value();
  EXPECT_EQ(map.groups(), 64U);
  EXPECT_EQ(map.GroupOf(0), 0);
  EXPECT_EQ(map.GroupOf(15), 0);
  EXPECT_EQ(map.GroupOf(16), 1);
  EXPECT_EQ(map.FirstShardOf(1), 16);
  EXPECT_EQ(map.GroupOf(1023), 63);
}

TEST(ShardMap, RefusesWhatIsNoPowerOfTwoOrTooMany) {
  for (const std::uint32_t shards : {0U, 3U, 1000U, 32768U}) {
    EXPECT_EQ(ShardMap::Make(shards, 1).error().code(), StatusCode::kInvalid) << shards;
  }
  for (const std::uint32_t per_group : {0U, 3U, 128U}) {
    EXPECT_EQ(ShardMap::Make(64, per_group).error().code(), StatusCode::kInvalid) << per_group;
  }
  EXPECT_TRUE(ShardMap::Make(16384, 16384).has_value());
}

}  // namespace
}  // namespace mayfly::engine::cluster
