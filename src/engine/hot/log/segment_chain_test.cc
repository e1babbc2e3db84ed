// The chain of segments by itself: what is prepared, synced and removed.
// Method: segments begin at chosen sequences on a disk in memory.
#include "engine/hot/log/segment_chain.h"

#include <gtest/gtest.h>

#include "engine/hot/log/limits.h"
#include "engine/hot/log/testing/faulty_log_disk.h"

namespace mayfly::engine::hot {
namespace {

class SegmentChainTest : public ::testing::Test {
 protected:
  void Begin(std::uint64_t first_sequence) {
    ASSERT_TRUE(chain_.Prepare(0).ok());
    ASSERT_TRUE(chain_.Begin({.first_sequence = first_sequence, .previous_end = 0, .durable = 0})
                    .has_value());
  }

  FaultyLogDisk disk_;
  SegmentChain chain_{
      {.files = &disk_, .segment_bytes = kSegmentBytesMin, .mapped = false, .key = nullptr}, 0};
};

// Catches the mutant "segment with late copies called synced": the sync came before the copy.
TEST_F(SegmentChainTest, ASegmentIsSyncedOnlyWhenAllItsRecordsWerePublishedBefore) {
  Begin(1);
  Begin(6);
  chain_.SetSynced(1, 4);
  EXPECT_EQ(chain_.Unsynced().size(), 2U);
  chain_.SetSynced(1, 5);
  EXPECT_EQ(chain_.Unsynced().size(), 1U);
  chain_.SetSynced(2, 100);
  EXPECT_EQ(chain_.Unsynced().size(), 1U) << "the active segment goes on";
}

TEST_F(SegmentChainTest, ASegmentThatCannotBePreparedLeavesNothing) {
  disk_.SetRoom(kSegmentBytesMin / 2);
  EXPECT_EQ(chain_.Prepare(0).code(), StatusCode::kBusy);
  EXPECT_FALSE(disk_.Has(SegmentName(1)));
  disk_.SetRoom(FaultyLogDisk::kNever);
  EXPECT_TRUE(chain_.Prepare(0).ok());
  EXPECT_TRUE(disk_.Has(SegmentName(1)));
}

TEST_F(SegmentChainTest, APreparedSegmentGrowsForALargeRecord) {
  ASSERT_TRUE(chain_.Prepare(0).ok());
  ASSERT_TRUE(chain_.Prepare(3 * kSegmentBytesMin).ok());
  EXPECT_EQ(disk_.BytesOf(SegmentName(1)).size(), 3 * kSegmentBytesMin + kSegmentHeaderBytes);
  EXPECT_FALSE(disk_.Has(SegmentName(2)));
}

TEST_F(SegmentChainTest, TheActiveSegmentIsNeverRemoved) {
  Begin(1);
  Begin(6);
  EXPECT_EQ(chain_.OldestKept(4), nullptr);
  EXPECT_EQ(chain_.OldestKept(100)->number(), 2U);
  EXPECT_EQ(*chain_.RemoveThrough(100), 2U);
  EXPECT_TRUE(disk_.Has(SegmentName(2)));
}

}  // namespace
}  // namespace mayfly::engine::hot
