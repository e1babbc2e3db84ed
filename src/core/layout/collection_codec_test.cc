// Goal: a collection's row and keys come back as they were written, lie in the order that cursors
// rely on, and other bytes are refused. Method: round trips at the edges, every truncation, keys
// with every byte that is escaped.
#include "core/layout/collection_codec.h"

#include <gtest/gtest.h>

#include "core/layout/row_codec.h"
#include "core/layout/version_codec.h"

namespace mayfly::core {
namespace {

TEST(CollectionCodec, GivesBackWhatWasWritten) {
  for (const auto& own : {std::optional<WallTime>(), std::optional(WallTimeFromMs(7))}) {
    for (const std::uint64_t mortal : {0u, 3u, 300u}) {
      Collection collection{.members = 300, .mortal = mortal, .own_deadline = own, .head = "head"};
      if (mortal > 0) collection.first_deadline = WallTimeFromMs(5);
      collection.named = mortal > 0;
      if (mortal > 3) collection.dead = 200;
      std::string payload;
      AppendCollection(payload, collection);
      const auto decoded = DecodeCollection(payload);
      ASSERT_TRUE(decoded.has_value()) << decoded.status().ToString();
      EXPECT_EQ(decoded->members, 300u);
      EXPECT_EQ(decoded->mortal, mortal);
      EXPECT_EQ(decoded->own_deadline, own);
      EXPECT_EQ(decoded->named, collection.named);
      EXPECT_EQ(decoded->first_deadline, collection.first_deadline);
      EXPECT_EQ(decoded->dead, collection.dead);
      EXPECT_EQ(decoded->head, "head");
      for (std::size_t size = 0; size + 4 < payload.size(); ++size) {
        EXPECT_FALSE(DecodeCollection(Bytes(payload).substr(0, size)).has_value()) << size;
      }
    }
  }
}

TEST(CollectionCodec, RefusesUnknownFlagsAndMoreMortalsThanMembers) {
  EXPECT_EQ(DecodeCollection(std::string("\x10\x01\0h", 4)).status().code(),
            StatusCode::kUnsupported);
  EXPECT_EQ(DecodeCollection(std::string("\0\x01\x02", 3) + std::string(8, '\0')).status().code(),
            StatusCode::kCorruption);
}

TEST(CollectionCodec, RefusesMoreDeadThanMortals) {
  const std::string front("\x04\x03\x02", 3);
  const std::string first(8, '\0');
  EXPECT_TRUE(DecodeCollection(front + first + '\x02').has_value());
  EXPECT_EQ(DecodeCollection(front + first + '\x03').status().code(), StatusCode::kCorruption);
  EXPECT_EQ(DecodeCollection(front + first + '\0').status().code(), StatusCode::kCorruption);
}

TEST(CollectionCodec, DiesWithTheLastMemberIfAllAreMortal) {
  const WallTime early = WallTimeFromMs(5);
  const WallTime late = WallTimeFromMs(9);
  EXPECT_EQ(DeadlineOf({.members = 2, .mortal = 2}, late), late);
  EXPECT_EQ(DeadlineOf({.members = 2, .mortal = 1}, late), std::nullopt);
  EXPECT_EQ(DeadlineOf({.members = 2, .mortal = 2, .own_deadline = early}, late), early);
  EXPECT_EQ(DeadlineOf({.members = 2, .mortal = 2, .own_deadline = late}, early), early);
  EXPECT_EQ(DeadlineOf({.members = 2, .mortal = 1, .own_deadline = early}, std::nullopt), early);
}

TEST(PartKeys, AreTakenApartAgain) {
  for (const std::uint64_t collection_id : {std::uint64_t{0}, std::uint64_t{0x0102}, UINT64_MAX}) {
    for (const std::string& name : {std::string(), std::string("m"), std::string("\0\x01", 2)}) {
      for (const PartKind part :
           {PartKind::kMember, PartKind::kSide, PartKind::kOrder, PartKind::kName}) {
        const std::string bytes(Bytes(PartKeys(3, collection_id).Of(part, name)));
        const auto view = DecodePartKey(UserKeyOf(bytes));
        ASSERT_TRUE(view.has_value());
        EXPECT_EQ(view->collection_id, collection_id);
        EXPECT_EQ(view->part, part);
        EXPECT_EQ(view->name, name);
        EXPECT_TRUE(IsPartKey(UserKeyOf(bytes)));
      }
    }
  }
}

TEST(PartKeys, AreNoneOfVersions) {
  EXPECT_FALSE(IsPartKey(MarkerKey("key")));
  EXPECT_FALSE(IsPartKey(VersionKey("key", WallTimeFromMs(5))));
  const std::string bytes(Bytes(PartKeys(3, 1).Of(PartKind::kMember, {})));
  for (std::size_t size = 0; size < bytes.size() - 4; ++size) {
    EXPECT_FALSE(DecodePartKey(UserKeyOf(bytes).substr(0, size)).has_value()) << size;
  }
}

TEST(PartKeys, OfOneVersionLieTogetherAndItsOrderInTheOrderOfDeadlines) {
  const PartKeys keys(3, 7);
  const PartKeys next(3, 8);
  const std::string last_member(Bytes(keys.Of(PartKind::kMember, std::string(100, '\xff'))));
  EXPECT_LT(Bytes(keys.begin()), Bytes(keys.Of(PartKind::kMember, {})));
  EXPECT_LT(last_member, keys.End(PartKind::kMember));
  EXPECT_LE(keys.End(PartKind::kMember), keys.Begin(PartKind::kSide));
  const std::string first = keys.OfOrder(WallTimeFromMs(255), "z");
  const std::string second = keys.OfOrder(WallTimeFromMs(256), "a");
  EXPECT_LT(keys.Begin(PartKind::kOrder), first);
  EXPECT_LT(first, second);
  EXPECT_LT(second, keys.OfName());
  EXPECT_LT(keys.OfName(), keys.end());
  EXPECT_LT(keys.end(), next.begin());
  EXPECT_LT(next.end(), PartKeys(4, 1).begin());
}

TEST(PartKeys, TellWhenAPartDies) {
  const PartKeys keys(3, 7);
  std::string row;
  AppendRow(row, {.deadline = WallTimeFromMs(5), .payload = "v"});
  EXPECT_EQ(DeadlineOfPart(UserKeyOf(keys.Of(PartKind::kMember, "m")), row), WallTimeFromMs(5));
  const std::string order = keys.OfOrder(WallTimeFromMs(6), "m");
  EXPECT_EQ(DeadlineOfPart(UserKeyOf(order), {}), WallTimeFromMs(6));
  EXPECT_EQ(DeadlineOfPart(UserKeyOf(keys.Of(PartKind::kSide, "s")), std::string(1, '\0')),
            std::nullopt);
  EXPECT_EQ(DeadlineOfPart(UserKeyOf(keys.Of(PartKind::kMember, "m")), "\x7f"), std::nullopt);
}

TEST(Orphans, AreTakenApartAgain) {
  const std::string record = OrphanKey(3, 7);
  const auto orphan = DecodeOrphan(record, EncodeOrphan(WallTimeFromMs(5)));
  ASSERT_TRUE(orphan.has_value()) << orphan.status().ToString();
  EXPECT_EQ(orphan->keyspace, 3u);
  EXPECT_EQ(orphan->collection_id, 7u);
  EXPECT_EQ(orphan->ended, WallTimeFromMs(5));
  EXPECT_EQ(DecodeOrphan(record, "1234567").status().code(), StatusCode::kCorruption);
  EXPECT_EQ(DecodeOrphan(record + "key", EncodeOrphan(WallTimeFromMs(5))).status().code(),
            StatusCode::kCorruption);
}

}  // namespace
}  // namespace mayfly::core
