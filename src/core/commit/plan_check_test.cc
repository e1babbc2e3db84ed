// Goal: the check of a batch finds what would make the index or a count wrong, and nothing else.
// Method: batches made by hand, each with one fault.
#include "core/commit/plan_check.h"

#include <gtest/gtest.h>

#include "core/layout/collection_codec.h"
#include "core/layout/keys.h"
#include "core/layout/row_codec.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kRows{engine::Role::kRows};
constexpr engine::Address kExpiry{engine::Role::kExpiry};
constexpr engine::Address kMembers{engine::Role::kMembers};
constexpr KeyspaceId kKeyspace = 7;
constexpr std::uint64_t kCollection = 1;
constexpr WallTime kDeadline = WallTimeFromMs(1000);

class PlanCheck : public ::testing::Test {
 protected:
  void PutRow(const RowView& row) {
    std::string stored;
    AppendRow(stored, row);
    batch_.Put(kRows, RowKey(kKeyspace, "key"), stored);
  }
  void PutEntry(WallTime deadline) {
    batch_.Put(kExpiry, EntryKey(kKeyspace, deadline, "key"), {});
  }
  void DeleteEntry(WallTime deadline) {
    batch_.Delete(kExpiry, EntryKey(kKeyspace, deadline, "key"));
  }
  void PutCollection(const Collection& collection,
                     std::optional<WallTime> deadline = std::nullopt) {
    std::string payload;
    AppendCollection(payload, collection);
    PutRow({.deadline = deadline, .payload = payload, .collection_id = kCollection});
  }
  void PutMember(Bytes name, std::optional<WallTime> deadline = std::nullopt) {
    std::string stored;
    AppendRow(stored, {.deadline = deadline, .payload = "value"});
    batch_.Put(kMembers, keys_.Of(PartKind::kMember, name), stored);
  }
  void PutMemberEntry(Bytes name, WallTime deadline) {
    batch_.Put(kExpiry, MemberEntry(name, deadline), {});
  }
  void PutOrder(Bytes name, WallTime deadline) {
    batch_.Put(kMembers, keys_.OfOrder(deadline, name), {});
  }
  std::string MemberEntry(Bytes name, WallTime deadline) const {
    return EntryKey(MembersOf(kKeyspace), deadline, UserKeyOf(keys_.Of(PartKind::kMember, name)));
  }

  const PartKeys keys_{kKeyspace, kCollection};

  engine::Batch batch_;
};

TEST_F(PlanCheck, ARowWithItsEntryIsRight) {
  PutRow({.deadline = kDeadline, .payload = "value"});
  PutEntry(kDeadline);
  EXPECT_EQ(FaultOf(batch_), "");
}

TEST_F(PlanCheck, ARowThatKeepsItsDeadlineNeedsNoEntry) {
  PutRow({.deadline = kDeadline, .payload = "value"});
  EXPECT_EQ(FaultOf(batch_), "");
}

TEST_F(PlanCheck, ARowThatMovesItsDeadlineIsRight) {
  DeleteEntry(kDeadline);
  PutRow({.deadline = kDeadline + Millis(1), .payload = "value"});
  PutEntry(kDeadline + Millis(1));
  EXPECT_EQ(FaultOf(batch_), "");
}

TEST_F(PlanCheck, AnEntryThatIsDeletedUnderItsRowIsAFault) {
  PutRow({.deadline = kDeadline, .payload = "value"});
  PutEntry(kDeadline);
  DeleteEntry(kDeadline);
  EXPECT_EQ(FaultOf(batch_), "a row whose entry is deleted");
}

TEST_F(PlanCheck, AnEntryWithoutARowIsAFault) {
  PutEntry(kDeadline);
  EXPECT_EQ(FaultOf(batch_), "an entry without its row");
  batch_.Delete(kRows, RowKey(kKeyspace, "key"));
  EXPECT_EQ(FaultOf(batch_), "an entry without its row");
}

TEST_F(PlanCheck, AnEntryOfAnotherDeadlineIsAFault) {
  PutRow({.deadline = kDeadline, .payload = "value"});
  PutEntry(kDeadline + Millis(1));
  EXPECT_EQ(FaultOf(batch_), "an entry of another deadline");
}

TEST_F(PlanCheck, CountsOfACollectionMustFit) {
  PutCollection({.members = 3, .mortal = 2, .dead = 1});
  EXPECT_EQ(FaultOf(batch_), "");
  PutCollection({.members = 0});
  EXPECT_NE(FaultOf(batch_), "");
  PutCollection({.members = 1, .mortal = 2});
  EXPECT_NE(FaultOf(batch_), "");
  PutCollection({.members = 2, .mortal = 1, .dead = 2});
  EXPECT_NE(FaultOf(batch_), "");
}

TEST_F(PlanCheck, ACollectionDiesAtItsOwnDeadlineIfAMemberLivesForEver) {
  PutCollection({.members = 2, .mortal = 1, .own_deadline = kDeadline}, kDeadline);
  EXPECT_EQ(FaultOf(batch_), "");
  PutCollection({.members = 2, .mortal = 2}, kDeadline);
  EXPECT_EQ(FaultOf(batch_), "");
  PutCollection({.members = 2, .mortal = 1}, kDeadline);
  EXPECT_EQ(FaultOf(batch_), "a collection that does not die at its own deadline");
}

TEST_F(PlanCheck, ACollectionCountsTheMembersItGets) {
  PutMember("one");
  PutMember("another");
  PutCollection({.members = 2});
  EXPECT_EQ(FaultOf(batch_), "");
  PutCollection({.members = 1});
  EXPECT_EQ(FaultOf(batch_), "a collection that counts fewer members than it gets");
}

TEST_F(PlanCheck, ACollectionCountsTheMortalMembersItGets) {
  PutMember("mortal", kDeadline);
  PutOrder("mortal", kDeadline);
  PutMemberEntry("mortal", kDeadline);
  PutCollection({.members = 2, .mortal = 1});
  EXPECT_EQ(FaultOf(batch_), "");
  PutCollection({.members = 2});
  EXPECT_EQ(FaultOf(batch_), "a collection that counts fewer members than it gets");
}

TEST_F(PlanCheck, MembersOfAnotherCollectionAreNotCounted) {
  const PartKeys others(kKeyspace, kCollection + 1);
  for (const Bytes name : {"a", "b"}) {
    std::string stored;
    AppendRow(stored, {.deadline = std::nullopt, .payload = "value"});
    batch_.Put(kMembers, others.Of(PartKind::kMember, name), stored);
  }
  PutCollection({.members = 1});
  EXPECT_EQ(FaultOf(batch_), "");
}

TEST_F(PlanCheck, APackedCollectionHasNoPartsOfItsOwn) {
  batch_.Put(kMembers, keys_.Of(PartKind::kSide, "side"), {});
  PutCollection({.members = 1, .packed = Bytes()});
  EXPECT_EQ(FaultOf(batch_), "a packed collection with parts of their own");
}

TEST_F(PlanCheck, AMemberWithADeadlineHasItsEntryAndItsPlaceInTheOrder) {
  PutMember("mortal", kDeadline);
  EXPECT_EQ(FaultOf(batch_), "") << "it may keep its deadline";
  PutMemberEntry("mortal", kDeadline);
  EXPECT_EQ(FaultOf(batch_), "an entry of a member that does not enter its collection's order");
  PutOrder("mortal", kDeadline);
  EXPECT_EQ(FaultOf(batch_), "");
  batch_.Delete(kMembers, keys_.OfOrder(kDeadline, "mortal"));
  EXPECT_EQ(FaultOf(batch_), "a member that is taken out of its collection's order");
  PutOrder("mortal", kDeadline);
  batch_.Delete(kExpiry, MemberEntry("mortal", kDeadline));
  EXPECT_EQ(FaultOf(batch_), "a member whose entry is deleted");
}

TEST_F(PlanCheck, AnEntryOfAMemberHasItsDeadline) {
  PutMember("mortal", kDeadline);
  PutOrder("mortal", kDeadline);
  PutMemberEntry("mortal", kDeadline + Millis(1));
  EXPECT_EQ(FaultOf(batch_), "an entry of another deadline");
}

}  // namespace
}  // namespace mayfly::core
