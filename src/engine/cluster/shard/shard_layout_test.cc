// Goal: the map of a shard has the bytes that docs/formats/cluster_shard.md shows, and others are
// refused.
#include "engine/cluster/shard/shard_layout.h"

#include <gtest/gtest.h>

#include "engine/cluster/objects/limits.h"

namespace mayfly::engine::cluster {
namespace {

using namespace std::string_literals;

TEST(ShardLayout, KeysHaveTheirBytes) {
  EXPECT_EQ(OwnerKey(), "\x01"s);
  EXPECT_EQ(SequenceKey(), "\x02"s);
  EXPECT_EQ(AnnouncementKey({.epoch = 1, .number = 2}),
            "\x03\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x02"s);
  EXPECT_EQ(RowKey({.role = Role::kExpiry, .slot = 0x0102}, "key"), "\x12\x01\x02key"s);
  EXPECT_LT(KeyBeforeRows(), AnnouncementKey({}));
  EXPECT_LT(AnnouncementKey({.epoch = ~0ULL, .number = ~0ULL}), RowKey({}, "a"));
}

TEST(ShardLayout, KeysAreParsedBack) {
  const std::string row = RowKey({.role = Role::kMeta, .slot = 16383}, "k\0y"s);
  const auto parsed = ParseMapKey(row);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_FALSE(parsed->announced.has_value());
  EXPECT_EQ(parsed->at.role, Role::kMeta);
  EXPECT_EQ(parsed->at.slot, 16383);
  EXPECT_EQ(parsed->key, "k\0y"s);
  const LargeId id{.epoch = 7, .number = 9};
  EXPECT_EQ(ParseMapKey(AnnouncementKey(id))->announced, id);
}

TEST(ShardLayout, OtherKeysAreRefused) {
  for (const std::string& bad :
       {""s, "\x01"s, "\x0f"s, "\x10"s, "\x10\0\0"s, "\x10\x40\0k"s, "\x15\0\0k"s, "\x03short"s}) {
    EXPECT_EQ(ParseMapKey(bad).status().code(), StatusCode::kCorruption) << bad.size();
  }
}

TEST(ShardLayout, ValuesAreInlineOrNameALargeOne) {
  EXPECT_EQ(EncodeInline("v"), "\0v"s);
  EXPECT_EQ(DecodeRowValue(EncodeInline(""))->bytes, "");
  const LargeValue large{.id = {.epoch = 3, .number = 4}, .size = 5};
  const std::string bytes = EncodeLarge(large);
  ASSERT_TRUE(DecodeRowValue(bytes)->large.has_value());
  EXPECT_EQ(DecodeRowValue(bytes)->large->id, large.id);
  EXPECT_EQ(DecodeRowValue(bytes)->large->size, 5u);
  for (const std::string& bad : {""s, "\x02"s, bytes.substr(1), bytes + "x", bytes.substr(0, 20)}) {
    EXPECT_EQ(DecodeRowValue(bad).status().code(), StatusCode::kCorruption) << bad.size();
  }
}

TEST(ShardLayout, TheFirstSequenceIsNoBytes) {
  EXPECT_EQ(EncodeSequence(0), "");
  for (const std::uint64_t sequence : {0ULL, 1ULL, ~0ULL}) {
    EXPECT_EQ(DecodeSequence(EncodeSequence(sequence)).value(), sequence);
  }
  EXPECT_EQ(DecodeSequence("short").status().code(), StatusCode::kCorruption);
}

TEST(ShardLayout, LargeValuesHaveAsManyPartsAsTheyNeed) {
  EXPECT_EQ(PartsOf(1), 1u);
  EXPECT_EQ(PartsOf(kPlainObjectBytesMax), 1u);
  EXPECT_EQ(PartsOf(kPlainObjectBytesMax + 1), 2u);
  EXPECT_EQ(LargeObjectName("db.shard.3", {.epoch = 2, .number = 5}, 1), "db.shard.3.large.2.5.1");
}

}  // namespace
}  // namespace mayfly::engine::cluster
