// The log on disks that are full, fail or lose their power, one case at a time.
// Method: a disk in memory fails at a chosen call; the log is opened again and compared with what
// was appended. hot_log_power_cut_test.cc has the same at every call of random plays.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/hot/log/hot_log.h"
#include "engine/hot/log/testing/log_fixture.h"

namespace mayfly::engine::hot {
namespace {

class LogFailuresTest : public LogTest {};
INSTANTIATE_TEST_SUITE_P(Modes, LogFailuresTest, AllLogModes(), NameOf);

TEST_P(LogFailuresTest, AFullDiskRefusesARecordWholeAndTheLogGoesOnWhenThereIsRoom) {
  Open();
  disk_.SetRoom(0);
  Status refused;
  while (refused.ok()) {
    auto appended = log_->Append(std::string(3000, 'x'));
    if (appended.has_value()) {
      appended_[*appended] = std::string(3000, 'x');
    } else {
      refused = appended.error();
    }
  }
  EXPECT_EQ(refused.code(), StatusCode::kBusy);
  EXPECT_NE(refused.message().find("no space"), std::string_view::npos) << refused.ToString();
  EXPECT_EQ(log_->Segments().size(), 2U) << "the one prepared ahead was used";
  Append("a small one still fits");
  EXPECT_FALSE(log_->Append(std::string(10 * kSegmentBytesMin, 'x')).has_value());
  Append("and another");
  disk_.SetRoom(FaultyLogDisk::kNever);
  Append(std::string(10 * kSegmentBytesMin, 'y'));
  Kill();
  Open();
  EXPECT_EQ(replayed_, appended_);
}

TEST_P(LogFailuresTest, AfterAFailedSyncNothingIsDurableUntilTheSegmentIsRemoved) {
  Open();
  Append("durable");
  ASSERT_TRUE(log_->Sync(1).ok());
  Append("lost by the kernel");
  disk_.FailAt(disk_.changes(), FaultyLogDisk::Fault::kIoError);
  const Status failed = log_->Sync(2);
  EXPECT_EQ(failed.code(), StatusCode::kIoError);
  EXPECT_EQ(log_->durable_sequence(), 1U);
  EXPECT_TRUE(log_->Sync(1).ok());
  const std::uint64_t syncs = disk_.syncs();
  EXPECT_EQ(log_->Sync(2).code(), StatusCode::kIoError) << "a second fdatasync would succeed";
  EXPECT_EQ(disk_.syncs(), syncs);
  Append("accepted for the process only");
  ASSERT_TRUE(log_->Rotate().ok());
  Append("in another segment");
  EXPECT_EQ(log_->Sync(4).code(), StatusCode::kIoError);
  ASSERT_TRUE(log_->Remove(2).ok());
  EXPECT_EQ(log_->Sync(4).code(), StatusCode::kIoError) << "the segment is still there";
  ASSERT_TRUE(log_->Remove(3).ok());
  EXPECT_TRUE(log_->Sync(4).ok());
  EXPECT_EQ(log_->durable_sequence(), 4U);
  replay_from_ = 4;
  Random random(1);
  PowerCut(random);
  Open();
  EXPECT_EQ(replayed_, (Records{{4, "in another segment"}}));
}

// Catches the mutant "sync repeated without writing again".
TEST_P(LogFailuresTest, WhatAFailedSyncLostIsDurableOnceItWasWrittenAgain) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Open();
    Append("durable");
    ASSERT_TRUE(log_->Sync(log_->last_sequence()).ok());
    FillSegments(seed % 3);
    Append("lost by the kernel");
    disk_.FailAt(disk_.changes(), FaultyLogDisk::Fault::kIoError);
    EXPECT_FALSE(log_->Sync(log_->last_sequence()).ok());
    EXPECT_TRUE(log_->has_failed_sync());
    Append("accepted meanwhile");
    // Whichever call of it fails, nothing is promised, and it can be repeated.
    for (std::uint64_t call = 0; call < 4; ++call) {
      disk_.FailAt(disk_.changes() + call, FaultyLogDisk::Fault::kIoError);
      if (log_->WriteAgain().ok()) break;
      EXPECT_TRUE(log_->has_failed_sync());
      EXPECT_FALSE(log_->Sync(log_->last_sequence()).ok());
    }
    disk_.FailAt(FaultyLogDisk::kNever, FaultyLogDisk::Fault::kIoError);
    ASSERT_TRUE(log_->WriteAgain().ok());
    EXPECT_FALSE(log_->has_failed_sync());
    Append("and behind");
    ASSERT_TRUE(log_->Sync(log_->last_sequence()).ok());
    PowerCut(random);
    ASSERT_NO_FATAL_FAILURE(Open());
    EXPECT_EQ(replayed_, appended_);
  }
}

TEST_P(LogFailuresTest, AHeaderWhoseSyncFailedIsWrittenAgain) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Open();
    const std::uint64_t last = Append("folded");
    ASSERT_TRUE(log_->Sync(last).ok());
    ASSERT_TRUE(log_->Rotate().ok());
    disk_.FailAt(disk_.changes(), FaultyLogDisk::Fault::kIoError);
    EXPECT_FALSE(log_->Remove(last).ok()) << "the header of the next segment is not durable";
    ASSERT_TRUE(log_->has_failed_sync());
    ASSERT_TRUE(log_->WriteAgain().ok());
    ASSERT_TRUE(log_->Remove(last).ok());
    replay_from_ = last + 1;
    PowerCut(random);
    ASSERT_NO_FATAL_FAILURE(Open());
    EXPECT_TRUE(replayed_.empty());
    replay_from_ = log_->last_sequence() + 1;
  }
}

TEST_P(LogFailuresTest, ARecordThatTheKernelLostIsNotWrittenAgain) {
  Open();
  const std::uint64_t last = Append("lost by the kernel");
  disk_.FailAt(disk_.changes(), FaultyLogDisk::Fault::kIoError);
  EXPECT_FALSE(log_->Sync(last).ok());
  Flip(1, OffsetsIn(1).front() + kRecordHeaderBytes);  // The page was read from the device again.
  const Status damaged = log_->WriteAgain();
  EXPECT_EQ(damaged.code(), StatusCode::kCorruption) << damaged.ToString();
  EXPECT_TRUE(log_->has_failed_sync());
}

// A disk that is nearly full gets shorter segments, and a record that needs more its own length.
TEST_P(LogFailuresTest, SegmentsHaveTheLengthThatTheDiskAllows) {
  std::optional<std::uint64_t> allowed = 2 * kSegmentBytesMin;
  LogOptions options = Options();
  options.segment_bytes = 4 * kSegmentBytesMin;
  options.length = [&](std::uint64_t usual, std::uint64_t least) -> std::optional<std::uint64_t> {
    EXPECT_GE(usual, 4 * kSegmentBytesMin);
    return allowed ? std::optional(std::max(*allowed, least)) : std::nullopt;
  };
  auto log = HotLog::Open(options, [](const LogRecord&) { return Status(); });
  ASSERT_TRUE(log.has_value()) << log.status().ToString();
  EXPECT_EQ((*log)->Segments().back().bytes, 2 * kSegmentBytesMin);
  allowed = std::nullopt;
  ASSERT_TRUE((*log)->Append("fits").has_value());
  ASSERT_TRUE((*log)->Rotate().ok()) << "the one prepared ahead";
  ASSERT_TRUE((*log)->Append(std::string(kSegmentBytesMin, 'x')).has_value());
  EXPECT_EQ((*log)->Append(std::string(kSegmentBytesMin, 'x')).error().code(), StatusCode::kBusy);
  EXPECT_EQ((*log)->Rotate().code(), StatusCode::kBusy);
  allowed = kSegmentBytesMin;
  ASSERT_TRUE((*log)->Append(std::string(3 * kSegmentBytesMin, 'x')).has_value());
  EXPECT_GT((*log)->Segments().back().bytes, 3 * kSegmentBytesMin);
  EXPECT_LT((*log)->Segments().back().bytes, 4 * kSegmentBytesMin);
}

// Catches the mutants "place of a failed write used again" and "place given up without sync".
TEST_P(LogFailuresTest, AFailedWriteIsAbsentAlsoAfterAPowerCut) {
  if (GetParam().mapped) return;  // There is no write that could fail.
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Open();
    Append("before");
    ASSERT_TRUE(log_->Sync(log_->last_sequence()).ok());
    const std::string payload(600, 'x');  // Half of the write has whole records.
    const std::vector<Bytes> group(4, payload);
    disk_.FailAt(disk_.changes(), FaultyLogDisk::Fault::kNoSpace);
    const auto refused = log_->Append(group);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().message().find("unknown"), std::string_view::npos);
    PowerCut(random);
    ASSERT_NO_FATAL_FAILURE(Open());
    EXPECT_EQ(replayed_, appended_);
  }
}

TEST_P(LogFailuresTest, MappingFallsBackToWritesWhereRoomCannotBeAllocated) {
  disk_.RefuseMaps(true);
  Open();
  EXPECT_FALSE(log_->report().is_mapped);
  FillSegments(2);
  Kill();
  Open();
  EXPECT_EQ(replayed_, appended_);
}

// Catches the mutant "header not synced before removal".
TEST_P(LogFailuresTest, APowerCutAfterARemovalLeavesALogThatOpens) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Open();
    const std::uint64_t last = Append("folded");
    ASSERT_TRUE(log_->Sync(last).ok());
    ASSERT_TRUE(log_->Rotate().ok());
    replay_from_ = last + 1;
    ASSERT_TRUE(log_->Remove(last).ok());
    PowerCut(random);
    ASSERT_NO_FATAL_FAILURE(Open());
    EXPECT_TRUE(replayed_.empty());
    EXPECT_EQ(Append("next"), replay_from_);
    replay_from_ = log_->last_sequence() + 1;
  }
}

// Catches the mutant "skipped fsync".
TEST_P(LogFailuresTest, WhatWasSyncedSurvivesAPowerCutThatKeepsNothingElse) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ASSERT_NO_FATAL_FAILURE(Open());
    FillSegments(2);
    ASSERT_TRUE(log_->Sync(log_->last_sequence()).ok());
    PowerCut(random);
    ASSERT_NO_FATAL_FAILURE(Open());
    EXPECT_EQ(replayed_, appended_);
  }
}

}  // namespace
}  // namespace mayfly::engine::hot
