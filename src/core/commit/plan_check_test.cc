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
constexpr KeyspaceId kKeyspace = 7;
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
  void PutCollection(const Collection& collection) {
    std::string payload;
    AppendCollection(payload, collection);
    PutRow({.deadline = std::nullopt, .payload = payload, .collection_id = 1});
  }

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

}  // namespace
}  // namespace mayfly::core
