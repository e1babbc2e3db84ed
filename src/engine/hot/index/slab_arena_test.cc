// Goal: blocks of every size are apart from each other, and their memory serves again.
// Method: fill blocks with their own pattern, free and allocate at random, and count.
#include "engine/hot/index/slab_arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "base/random.h"
#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {
namespace {

// A unit is 8 bytes, and 16 where handles would not reach otherwise.
TEST(SlabArena, RoundsSizesUpToTheNextClass) {
  for (const std::size_t reserved : {kFineArenaBytesMax, kFineArenaBytesMax + kSlabBytes}) {
    const SlabArena arena(reserved, false);
    const std::size_t unit = arena.unit_bytes();
    EXPECT_EQ(unit, reserved == kFineArenaBytesMax ? 8u : 16u);
    std::size_t before = 0;
    for (std::size_t bytes = 1; bytes <= 2 * kSharedBlockBytesMax; ++bytes) {
      const std::size_t block = arena.BlockBytesFor(bytes);
      ASSERT_GE(block, bytes);
      ASSERT_GE(block, before) << "classes are in order";
      ASSERT_EQ(block % unit, 0u);
      if (bytes <= 512) {
        ASSERT_LT(block - bytes, unit) << bytes;
      } else if (bytes <= kSharedBlockBytesMax) {
        ASSERT_LE(block - bytes, bytes / 8) << bytes;
      }
      before = block;
    }
  }
}

class SlabArenaOfUnits : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Units, SlabArenaOfUnits,
                         ::testing::Values(std::size_t{256} << 20,
                                           kFineArenaBytesMax + kSlabBytes));

TEST_P(SlabArenaOfUnits, KeepsBlocksApartAndTakesThemBack) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  SlabArena arena(GetParam(), false);
  std::map<Handle, std::string> live;
  for (int i = 0; i < 60000; ++i) {
    if (live.empty() || random.Below(100) < (i < 30000 ? 55u : 45u)) {
      const std::size_t size = random.OneIn(200)
                                   ? random.Between(8000, random.OneIn(2) ? 70000 : 300000)
                                   : random.Between(1, 600);
      const Handle block = arena.Allocate(size);
      ASSERT_NE(block, 0u);
      ASSERT_GE(arena.BlockBytes(block), size);
      const std::string bytes(size, static_cast<char>(random.Next()));
      CopyIn(arena.At(block), bytes);
      ASSERT_TRUE(live.emplace(block, bytes).second);
    } else {
      auto block = live.lower_bound(static_cast<Handle>(random.Below(live.rbegin()->first + 1)));
      if (block == live.end()) block = live.begin();
      std::string bytes(block->second.size(), '\0');
      CopyOut(arena.At(block->first), bytes.data(), bytes.size());
      ASSERT_EQ(bytes, block->second);
      arena.Free(block->first);
      live.erase(block);
    }
  }
  std::size_t used = 0;
  for (const auto& [block, bytes] : live) used += arena.BlockBytes(block);
  EXPECT_EQ(arena.used_bytes(), used);
  for (const auto& [block, bytes] : live) arena.Free(block);
  EXPECT_EQ(arena.used_bytes(), 0u);
  EXPECT_EQ(arena.held_bytes(), 0u) << "an empty slab was not given back";
}

TEST(SlabArena, SlabsOfOneSizeServeAnother) {
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  SlabArena arena(kBytes, false);
  for (const std::size_t size : {16u, 100u, 500u, 4000u, 8000u, 20000u, 65536u, 200000u, 16u}) {
    std::vector<Handle> blocks;
    for (Handle block = 0; (block = arena.Allocate(size)) != 0;) blocks.push_back(block);
    EXPECT_GT(blocks.size() * arena.BlockBytesFor(size), kBytes * 3 / 4) << size;
    for (const Handle block : blocks) arena.Free(block);
  }
  EXPECT_EQ(arena.held_bytes(), 0u);
}

TEST(SlabArena, ServesThreads) {
  SlabArena arena(std::size_t{256} << 20, false);
  const auto work = [&](std::uint64_t seed) {
    Random random(seed);
    std::vector<std::pair<Handle, Word>> mine;
    for (int i = 0; i < 30000; ++i) {
      if (mine.size() < 500) {
        const Handle block = arena.Allocate(random.Between(8, 200));
        const Word mark = random.Next();
        StoreWord(arena.At(block), mark);
        mine.emplace_back(block, mark);
      } else {
        const std::size_t pick = random.Below(mine.size());
        EXPECT_EQ(LoadWord(arena.At(mine[pick].first)), mine[pick].second);
        arena.Free(mine[pick].first);
        mine[pick] = mine.back();
        mine.pop_back();
      }
    }
    for (const auto& [block, mark] : mine) arena.Free(block);
  };
  std::thread other(work, 1);
  work(2);
  other.join();
  EXPECT_EQ(arena.held_bytes(), 0u);
}

TEST(SlabArena, AnEmptiedSlabServesOtherClasses) {
  SlabArena arena(std::size_t{64} << 20, false);
  std::vector<Handle> blocks;
  for (int i = 0; i < 5000; ++i) blocks.push_back(arena.Allocate(128));
  EXPECT_FALSE(arena.BeginEmptying()) << "all are full, or the only one with room";
  // One block in eight stays in each slab.
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i % 8 != 0) arena.Free(blocks[i]);
  }
  const std::size_t held = arena.held_bytes();
  const auto slab = arena.BeginEmptying();
  ASSERT_TRUE(slab);
  EXPECT_EQ(slab->block_bytes, 128U);
  const auto is_inside = [&](Handle block) {
    return block >= slab->first && block < slab->first + slab->blocks * 128 / arena.unit_bytes();
  };
  for (std::size_t i = 0; i < blocks.size(); i += 8) {
    if (!is_inside(blocks[i])) continue;
    const Handle moved = arena.Allocate(128);
    EXPECT_FALSE(is_inside(moved));
    arena.Free(blocks[i]);
    blocks[i] = moved;
  }
  EXPECT_TRUE(arena.EndEmptying(*slab));
  EXPECT_EQ(arena.held_bytes(), held - kSlabBytes);
  EXPECT_EQ(arena.taken_bytes(), held);
  arena.GiveBackFree();
  EXPECT_EQ(arena.taken_bytes(), held - kSlabBytes);
  for (std::size_t i = 0; i < blocks.size(); i += 8) arena.Free(blocks[i]);
  EXPECT_EQ(arena.held_bytes(), 0U);
}

TEST(SlabArena, ASlabThatCouldNotBeEmptiedIsUsedAgain) {
  SlabArena arena(std::size_t{64} << 20, false);
  std::vector<Handle> blocks;
  for (int i = 0; i < 5000; ++i) blocks.push_back(arena.Allocate(128));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i % 8 != 0) arena.Free(blocks[i]);
  }
  const std::size_t held = arena.held_bytes();
  const auto slab = arena.BeginEmptying();
  ASSERT_TRUE(slab);
  EXPECT_FALSE(arena.EndEmptying(*slab));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i % 8 != 0) blocks[i] = arena.Allocate(128);
  }
  EXPECT_EQ(arena.held_bytes(), held) << "every free block was handed out";
  for (const Handle block : blocks) arena.Free(block);
  EXPECT_EQ(arena.held_bytes(), 0U);
}

}  // namespace
}  // namespace mayfly::engine::hot
