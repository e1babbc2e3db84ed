// Goal: the parts in a collection's row come back as they were written, and damaged ones are told
// from whole ones. Method: round trips, every truncation, and orders that no writer makes.
#include "core/layout/packed_parts.h"

#include <gtest/gtest.h>

#include <set>

namespace mayfly::core {
namespace {

std::string Packed() {
  std::string packed;
  AppendPackedPart(packed, PartKind::kMember, "", "of no name");
  AppendPackedPart(packed, PartKind::kMember, "a", "");
  AppendPackedPart(packed, PartKind::kMember, std::string(200, 'b'), std::string(300, 'v'));
  AppendPackedPart(packed, PartKind::kSide, "a", "beside");
  return packed;
}

std::string ValueOf(Bytes packed, PartKind kind, Bytes name) {
  const auto found = FindPackedPart(packed, kind, name);
  if (!found) return found.status().ToString();
  if (!*found) return "(none)";
  return std::string(DecodeRow(**found)->payload);
}

TEST(PackedParts, AreFoundByKindAndName) {
  const std::string packed = Packed();
  EXPECT_EQ(ValueOf(packed, PartKind::kMember, ""), "of no name");
  EXPECT_EQ(ValueOf(packed, PartKind::kMember, "a"), "");
  EXPECT_EQ(ValueOf(packed, PartKind::kSide, "a"), "beside");
  EXPECT_EQ(ValueOf(packed, PartKind::kMember, std::string(200, 'b')), std::string(300, 'v'));
  EXPECT_EQ(ValueOf(packed, PartKind::kSide, ""), "(none)");
  EXPECT_EQ(ValueOf(packed, PartKind::kMember, "b"), "(none)");
  EXPECT_EQ(ValueOf({}, PartKind::kMember, ""), "(none)");
}

TEST(PackedParts, GoThroughTheRowOfTheirCollection) {
  const std::string packed = Packed();
  for (const auto& own : {std::optional<WallTime>(), std::optional(WallTimeFromMs(7))}) {
    std::string payload;
    AppendCollection(payload,
                     {.members = 3, .own_deadline = own, .head = "head", .packed = packed});
    const auto decoded = DecodeCollection(payload);
    ASSERT_TRUE(decoded.has_value()) << decoded.status().ToString();
    EXPECT_EQ(decoded->head, "head");
    EXPECT_EQ(decoded->packed, packed);
    EXPECT_EQ(decoded->own_deadline, own);
    EXPECT_EQ(CountPacked(*decoded).value(), 3u);
    EXPECT_TRUE(IsPacked({.deadline = {}, .payload = payload, .collection_id = 1}));
    EXPECT_FALSE(IsPacked({.deadline = {}, .payload = payload}));  // A plain value.
  }
  std::string payload;
  AppendCollection(payload, {.members = 3, .head = "head"});
  EXPECT_FALSE(IsPacked({.deadline = {}, .payload = payload, .collection_id = 1}));
}

TEST(PackedParts, AreNeverMortalNorNamed) {
  std::string payload;
  AppendCollection(payload, {.members = 3, .mortal = 1, .packed = Packed()});
  EXPECT_EQ(DecodeCollection(payload).status().code(), StatusCode::kCorruption);
  payload.clear();
  AppendCollection(payload, {.members = 3, .named = true, .packed = Packed()});
  EXPECT_EQ(DecodeCollection(payload).status().code(), StatusCode::kCorruption);
}

TEST(PackedParts, ThatAreCutAreDamaged) {
  const std::string packed = Packed();
  std::set<std::size_t> ends = {0};
  for (PackedReader reader(packed); reader.Valid();) {
    reader.Next();
    ends.insert(static_cast<std::size_t>(reader.begin() - packed.data()));
  }
  EXPECT_EQ(ends.size(), 5u);
  for (std::size_t size = 0; size < packed.size(); ++size) {
    const Bytes cut = Bytes(packed).substr(0, size);
    const bool whole = ends.contains(size);
    EXPECT_EQ(CountPacked({.packed = cut}).has_value(), whole) << size;
    EXPECT_EQ(FindPackedPart(cut, PartKind::kSide, "z").has_value(), whole) << size;
  }
}

TEST(PackedParts, OutOfOrderTwiceOrWithADeadlineAreDamaged) {
  const auto counts = [](Bytes packed) { return CountPacked({.packed = packed}).has_value(); };
  std::string packed;
  AppendPackedPart(packed, PartKind::kMember, "b", "v");
  EXPECT_TRUE(counts(packed));
  std::string twice = packed;
  AppendPackedPart(twice, PartKind::kMember, "b", "v");
  EXPECT_FALSE(counts(twice));
  std::string reversed = packed;
  AppendPackedPart(reversed, PartKind::kMember, "a", "v");
  EXPECT_FALSE(counts(reversed));
  std::string behind;
  AppendPackedPart(behind, PartKind::kSide, "a", "v");
  EXPECT_TRUE(counts(behind));
  AppendPackedPart(behind, PartKind::kMember, "b", "v");
  EXPECT_FALSE(counts(behind));
  std::string row;
  AppendRow(row, {.deadline = WallTimeFromMs(5), .payload = "v"});
  EXPECT_FALSE(counts(std::string("\x02"
                                  "a") +
                      static_cast<char>(row.size()) + row));
}

}  // namespace
}  // namespace mayfly::core
