// The calls of the log, one by one, written and mapped, plain and encrypted.
// Method: a log on a disk in memory, killed and opened again; what it replays is compared with what
// was appended.
#include "engine/hot/log/hot_log.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "engine/hot/log/change_codec.h"
#include "engine/hot/log/testing/log_fixture.h"

namespace mayfly::engine::hot {
namespace {

class HotLogTest : public LogTest {};
INSTANTIATE_TEST_SUITE_P(Modes, HotLogTest, AllLogModes(), NameOf);

TEST_P(HotLogTest, RecordsComeBackInOrderAfterAKill) {
  Open();
  EXPECT_EQ(log_->report().is_mapped, GetParam().mapped);
  for (std::uint64_t i = 1; i <= 100; ++i) EXPECT_EQ(Append("record " + std::to_string(i)), i);
  Kill();
  Open();
  EXPECT_EQ(replayed_, appended_);
  EXPECT_FALSE(log_->report().cut.has_value());
  EXPECT_EQ(Append("one more"), 101U);
  Kill();
  Open();
  EXPECT_EQ(replayed_, appended_);
}

TEST_P(HotLogTest, ABatchComesBack) {
  Open();
  Batch batch;
  batch.Put({Role::kRows}, "key", "value");
  batch.Delete({Role::kExpiry}, "entry");
  std::string room;
  const std::string payload(EncodeBatch(batch, room));
  Append(payload);
  Kill();
  Open();
  EXPECT_EQ(replayed_[1], payload);
}

TEST_P(HotLogTest, TheBytesOfAnEncryptedRecordAreNotInItsFile) {
  Open();
  Append("a secret that nobody should read");
  ASSERT_TRUE(log_->Sync(1).ok());
  const bool found = disk_.BytesOf(SegmentName(1)).find("a secret") != std::string::npos;
  EXPECT_EQ(found, !GetParam().encrypted);
}

TEST_P(HotLogTest, AGroupIsOneWriteAndHasConsecutiveSequences) {
  Open();
  std::vector<std::string> payloads;
  for (int i = 0; i < 16; ++i) payloads.push_back("row " + std::to_string(i));
  const std::vector<Bytes> views(payloads.begin(), payloads.end());
  const std::uint64_t writes = disk_.writes();
  const auto first = log_->Append(views);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(*first, 1U);
  EXPECT_EQ(disk_.writes() - writes, GetParam().mapped ? 0U : 1U);
  Kill();
  Open();
  ASSERT_EQ(replayed_.size(), 16U);
  EXPECT_EQ(replayed_[16], "row 15");
}

TEST_P(HotLogTest, RecordsLargerThanASegmentWork) {
  Open();
  Append("before");
  Append(Random(3).Bytes(5 * kSegmentBytesMin));
  Append("between");
  Append(Random(4).Bytes(kGatheredRecordMax + 1));
  Append(Random(5).Bytes(kSegmentBytesMin - kSegmentHeaderBytes - kRecordHeaderBytes));
  Append("");
  Append("after");
  appended_.erase(6);
  Kill();
  Open();
  EXPECT_EQ(replayed_, appended_);
}

TEST_P(HotLogTest, TheLogRotatesByItselfAndListsItsSegments) {
  Open();
  FillSegments(3);
  const auto segments = log_->Segments();
  ASSERT_EQ(segments.size(), 4U);
  std::uint64_t next = 1;
  for (const SegmentInfo& segment : segments) {
    EXPECT_EQ(segment.first_sequence, next);
    next = segment.last_sequence + 1;
    EXPECT_EQ(segment.is_active, segment.number == 4);
    EXPECT_TRUE(disk_.Has(SegmentName(segment.number)));
  }
  EXPECT_EQ(next, log_->last_sequence() + 1);
}

TEST_P(HotLogTest, RotateBeginsASegmentOnlyIfThereIsARecord) {
  Open();
  ASSERT_TRUE(log_->Rotate().ok());
  EXPECT_EQ(log_->Segments().size(), 1U);
  Append("x");
  ASSERT_TRUE(log_->Rotate().ok());
  ASSERT_TRUE(log_->Rotate().ok());
  EXPECT_EQ(log_->Segments().size(), 2U);
}

// Catches the mutant "segment dropped early".
TEST_P(HotLogTest, RemoveLeavesEverySegmentWithARecordThatIsNeeded) {
  Open();
  FillSegments(4);
  const auto segments = log_->Segments();
  ASSERT_TRUE(log_->Remove(segments[1].last_sequence - 1).ok());
  EXPECT_EQ(log_->Segments().front().number, 2U);
  ASSERT_TRUE(log_->Remove(segments[1].last_sequence).ok());
  EXPECT_EQ(log_->Segments().front().number, 3U);
  replay_from_ = segments[1].last_sequence + 1;
  Kill();
  Open();
  appended_.erase(appended_.begin(), appended_.lower_bound(replay_from_));
  EXPECT_EQ(replayed_, appended_);
}

TEST_P(HotLogTest, RemoveOfEverythingLeavesTheActiveSegment) {
  Open();
  FillSegments(2);
  ASSERT_TRUE(log_->Remove(log_->last_sequence()).ok());
  ASSERT_EQ(log_->Segments().size(), 1U);
  EXPECT_TRUE(log_->Segments()[0].is_active);
  replay_from_ = log_->last_sequence() + 1;
  const std::uint64_t next = replay_from_;
  Kill();
  Open();
  EXPECT_TRUE(replayed_.empty());
  EXPECT_EQ(Append("next"), next);
}

TEST_P(HotLogTest, SyncIsNeededOnceAndNotBelowKDisk) {
  Open();
  Append("a");
  Append("b");
  const std::uint64_t syncs = disk_.syncs();
  ASSERT_TRUE(log_->Sync(2, Durability::kProcess).ok());
  EXPECT_EQ(disk_.syncs(), syncs);
  ASSERT_TRUE(log_->Sync(1).ok());
  EXPECT_EQ(log_->durable_sequence(), 2U);
  ASSERT_TRUE(log_->Sync(2).ok());
  EXPECT_EQ(disk_.syncs(), syncs + 1);
  EXPECT_EQ(log_->Sync(3).code(), StatusCode::kInvalid);
}

TEST_P(HotLogTest, AClosedLogRefusesCallsAndTakesNoRoomAhead) {
  Open();
  Append("x");
  ASSERT_TRUE(disk_.Has(SegmentName(2)));
  ASSERT_TRUE(log_->Close().ok());
  EXPECT_TRUE(log_->Close().ok());
  EXPECT_EQ(log_->Append("y").error().code(), StatusCode::kInvalid);
  EXPECT_EQ(log_->Sync(1).code(), StatusCode::kInvalid);
  EXPECT_EQ(log_->Rotate().code(), StatusCode::kInvalid);
  EXPECT_EQ(log_->Remove(1).code(), StatusCode::kInvalid);
  EXPECT_EQ(log_->Prepare().code(), StatusCode::kInvalid);
  EXPECT_TRUE(disk_.BytesOf(SegmentName(2)).empty()) << "its name shows that the first was there";
  Open();
  EXPECT_EQ(replayed_, appended_);
}

TEST_P(HotLogTest, OpeningAndClosingLeavesNoLongFiles) {
  for (int i = 0; i < 5; ++i) {
    Open();
    Append("x");
    ASSERT_TRUE(log_->Close().ok());
  }
  Open();
  for (const SegmentInfo& segment : log_->Segments()) {
    if (!segment.is_active) {
      EXPECT_LE(disk_.BytesOf(SegmentName(segment.number)).size(), kSegmentHeaderBytes + 100);
    }
  }
}

TEST_P(HotLogTest, AChildOfForkIsRefusedAndLeavesTheLogAlone) {
  Open();
  Append("parent");
  const pid_t child = ::fork();
  if (child == 0) {
    const bool refused = log_->Append("child").error().code() == StatusCode::kInvalid &&
                         log_->Sync(1).code() == StatusCode::kInvalid &&
                         log_->Rotate().code() == StatusCode::kInvalid && log_->Close().ok();
    log_.reset();
    ::_exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  Append("parent again");
  Kill();
  Open();
  EXPECT_EQ(replayed_, appended_);
}

TEST_P(HotLogTest, BadArgumentsAreInvalid) {
  Open();
  EXPECT_EQ(log_->Append(std::span<const Bytes>()).error().code(), StatusCode::kInvalid);
  LogOptions options = Options();
  options.segment_bytes = kSegmentBytesMin - 8;
  EXPECT_EQ(HotLog::Open(options, [](const LogRecord&) { return Status(); }).error().code(),
            StatusCode::kInvalid);
}

TEST_P(HotLogTest, AnErrorOfReplayEndsTheOpen) {
  Open();
  Append("x");
  Kill();
  const auto opened =
      HotLog::Open(Options(), [](const LogRecord&) { return Status::Busy("not now"); });
  EXPECT_EQ(opened.error().code(), StatusCode::kBusy);
  Open();
  EXPECT_EQ(replayed_, appended_);
}

}  // namespace
}  // namespace mayfly::engine::hot
