// Recovery: an unsynced end is cut, damage of what was durable is reported, nothing else is taken
// for a record. Method: the bytes of a killed log are changed by hand before it is opened again.
#include <gtest/gtest.h>

#include <vector>

#include "engine/hot/log/hot_log.h"
#include "engine/hot/log/log_format.h"
#include "engine/hot/log/testing/log_fixture.h"

namespace mayfly::engine::hot {
namespace {

class LogRecoveryTest : public LogTest {
 protected:
  void AppendMany(int count) {
    for (int i = 0; i < count; ++i) Append("record number " + std::to_string(i));
  }

  void ExpectReplayed(std::uint64_t last) {
    Records expected = appended_;
    expected.erase(expected.upper_bound(last), expected.end());
    expected.erase(expected.begin(), expected.lower_bound(replay_from_));
    EXPECT_EQ(replayed_, expected);
  }

  void ExpectDamage(std::uint64_t number, std::uint64_t offset) {
    const Status opened = TryOpen();
    EXPECT_EQ(opened.code(), StatusCode::kCorruption) << opened.ToString();
    const std::string place =
        disk_.PathOf(SegmentName(number)) + ", offset " + std::to_string(offset) + ":";
    EXPECT_NE(opened.message().find(place), std::string_view::npos)
        << opened.message() << " does not name " << place;
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, LogRecoveryTest, AllLogModes(), NameOf);

// Catches the mutant "torn record accepted".
TEST_P(LogRecoveryTest, EveryTornEndIsCutBeforeTheRecord) {
  const std::uint64_t last_bytes = RecordBytes(std::string("record number 9").size());
  for (std::uint64_t kept = 0; kept < last_bytes; ++kept) {
    SCOPED_TRACE(kept);
    disk_.Clear();
    appended_.clear();
    Open();
    AppendMany(10);
    Kill();
    killed_.clear();
    const std::uint64_t at = OffsetsIn(1).at(9);
    std::string& bytes = disk_.BytesOf(SegmentName(1));
    const std::string whole = bytes;
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(at + kept), bytes.end(), '\0');
    if (bytes == whole) continue;  // The end of the record is zeros anyway.
    Open();
    ExpectReplayed(9);
    EXPECT_EQ(log_->report().cut.has_value(), kept > 0);
    if (kept > 0) {
      EXPECT_EQ(log_->report().cut->offset, at);
    }
    appended_.erase(10);
    EXPECT_EQ(Append("instead"), 10U);
    Kill();
    Open();
    ExpectReplayed(10);
    EXPECT_FALSE(log_->report().cut.has_value());
    log_.reset();
    killed_.clear();
  }
}

TEST_P(LogRecoveryTest, ADamagedLastRecordIsNotReplayed) {
  Open();
  AppendMany(10);
  Kill();
  Flip(1, OffsetsIn(1).at(9) + kRecordHeaderBytes + 2);
  Open();
  ExpectReplayed(9);
}

// Catches the mutant "hole accepted": what a writer leaves that dies between its reservation and
// its check word.
TEST_P(LogRecoveryTest, NothingBehindAHoleIsReplayed) {
  Open();
  AppendMany(10);
  Kill();
  const auto offsets = OffsetsIn(1);
  std::string& bytes = disk_.BytesOf(SegmentName(1));
  bytes.replace(offsets.at(4), 4, std::string(4, '\0'));
  Open();
  ExpectReplayed(4);
  ASSERT_TRUE(log_->report().cut.has_value());
  EXPECT_EQ(log_->report().cut->offset, offsets.at(4));
  appended_.erase(appended_.upper_bound(4), appended_.end());
  EXPECT_EQ(Append("five"), 5U);
  Kill();
  Open();
  ExpectReplayed(5);
}

TEST_P(LogRecoveryTest, ARecordThatALaterOneShowsAsDurableIsDamage) {
  Open();
  AppendMany(5);
  ASSERT_TRUE(log_->Sync(5).ok());
  AppendMany(5);
  Kill();
  const std::uint64_t at = OffsetsIn(1).at(3);
  Flip(1, at + kRecordHeaderBytes);
  ExpectDamage(1, at);
  ExpectDamage(1, at);
}

TEST_P(LogRecoveryTest, TheUnsyncedPartBehindASyncIsCut) {
  Open();
  AppendMany(5);
  ASSERT_TRUE(log_->Sync(5).ok());
  AppendMany(5);
  Kill();
  Flip(1, OffsetsIn(1).at(6) + kRecordHeaderBytes);
  Open();
  ExpectReplayed(6);
}

TEST_P(LogRecoveryTest, EveryRecordOfAClosedLogIsProtected) {
  for (std::size_t i = 0; i < 10; ++i) {
    SCOPED_TRACE(i);
    disk_.Clear();
    Open();
    AppendMany(10);
    ASSERT_TRUE(log_->Close().ok());
    log_.reset();
    const std::uint64_t at = OffsetsIn(1).at(i);
    Flip(1, at);
    ExpectDamage(1, at);
  }
}

TEST_P(LogRecoveryTest, EveryRecordIsProtectedOnceTheLogWasOpenedAgain) {
  Open();
  AppendMany(10);
  Kill();
  Open();
  Kill();
  const std::uint64_t at = OffsetsIn(1).at(9);
  Flip(1, at + kRecordHeaderBytes);
  ExpectDamage(1, at);
}

TEST_P(LogRecoveryTest, ATornSegmentBeforeAnUnsyncedOneIsCutAndTheLaterOneDropped) {
  Open();
  AppendMany(5);
  ASSERT_TRUE(log_->Rotate().ok());
  AppendMany(5);
  ASSERT_TRUE(log_->Rotate().ok());
  AppendMany(5);
  Kill();
  Flip(1, OffsetsIn(1).at(3) + kRecordHeaderBytes);
  Open();
  ExpectReplayed(3);
  EXPECT_EQ(log_->Segments().size(), 2U);
  appended_.erase(appended_.upper_bound(3), appended_.end());
  AppendMany(5);
  Kill();
  Open();
  ExpectReplayed(8);
}

TEST_P(LogRecoveryTest, ATornSegmentBeforeASyncedOneIsDamage) {
  Open();
  AppendMany(5);
  ASSERT_TRUE(log_->Rotate().ok());
  AppendMany(2);
  ASSERT_TRUE(log_->Sync(7).ok());
  AppendMany(1);
  Kill();
  const std::uint64_t at = OffsetsIn(1).at(3);
  Flip(1, at + kRecordHeaderBytes);
  ExpectDamage(1, at);
}

TEST_P(LogRecoveryTest, AMissingSegmentIsCorruption) {
  for (const std::uint64_t missing : {1U, 2U}) {
    disk_.Clear();
    Open();
    FillSegments(3);
    Kill();
    ASSERT_TRUE(disk_.Remove(SegmentName(missing)).ok());
    const Status opened = TryOpen();
    EXPECT_EQ(opened.code(), StatusCode::kCorruption);
    EXPECT_NE(opened.message().find("missing"), std::string_view::npos) << opened.ToString();
    killed_.clear();
  }
}

TEST_P(LogRecoveryTest, ALogThatIsGoneIsCorruptionOnceRecordsWereFolded) {
  replay_from_ = 5;
  EXPECT_EQ(TryOpen().code(), StatusCode::kCorruption);
}

TEST_P(LogRecoveryTest, LeftoversOfAnInterruptedCreationAreRemoved) {
  Open();
  AppendMany(3);
  Kill();
  ASSERT_TRUE(disk_.Has(SegmentName(2))) << "the one prepared ahead";
  ASSERT_TRUE(disk_.Create(SegmentName(3)).has_value());
  Open();
  ExpectReplayed(3);
  EXPECT_EQ(log_->Segments().size(), 2U);
}

TEST_P(LogRecoveryTest, ALogWhoseFirstSegmentNeverBeganIsMadeAnew) {
  ASSERT_TRUE(disk_.Create(SegmentName(1)).has_value());
  Open();
  EXPECT_EQ(Append("first"), 1U);
}

// Catches the mutant "last segment missing, nobody notices": its successor's name is left by Close().
TEST_P(LogRecoveryTest, AMissingLastSegmentOfAClosedLogIsDamage) {
  for (const std::size_t segments : {1U, 3U}) {
    SCOPED_TRACE(segments);
    disk_.Clear();
    Open();
    FillSegments(segments - 1);
    AppendMany(3);
    ASSERT_TRUE(log_->Close().ok());
    log_.reset();
    ASSERT_TRUE(disk_.Remove(SegmentName(segments)).ok());
    const Status opened = TryOpen();
    EXPECT_EQ(opened.code(), StatusCode::kCorruption) << opened.ToString();
    EXPECT_NE(opened.message().find("missing"), std::string_view::npos) << opened.ToString();
  }
}

TEST_P(LogRecoveryTest, LeftoversOfAnInterruptedRemovalAreRemovedUnread) {
  Open();
  FillSegments(4);
  const auto segments = log_->Segments();
  replay_from_ = segments[3].first_sequence;
  const std::uint64_t last = log_->last_sequence();
  Kill();
  ASSERT_TRUE(disk_.Remove(SegmentName(2)).ok());
  Flip(1, 20);
  Flip(1, 4096 + 20);
  Flip(3, kSegmentHeaderBytes + 4);
  Open();
  ExpectReplayed(last);
  EXPECT_FALSE(disk_.Has(SegmentName(1)));
  EXPECT_FALSE(disk_.Has(SegmentName(3)));
}

TEST_P(LogRecoveryTest, ADamagedHeaderIsCorruptionAndOneDamagedCopyIsNot) {
  Open();
  AppendMany(3);
  Kill();
  Flip(1, 30);
  Open();
  ExpectReplayed(3);
  Kill();
  Flip(1, 4096 + 30);
  ExpectDamage(1, 0);
}

TEST_P(LogRecoveryTest, BytesOfAnotherSegmentDoNotPass) {
  Open();
  AppendMany(1);
  ASSERT_TRUE(log_->Rotate().ok());
  AppendMany(1);
  Kill();
  const std::uint64_t at = OffsetsIn(1).at(0);
  std::string& bytes = disk_.BytesOf(SegmentName(2));
  bytes.replace(at, 64, disk_.BytesOf(SegmentName(1)), at, 64);
  Open();
  ExpectReplayed(1);
}

TEST_P(LogRecoveryTest, AValueThatImitatesRecordsProvesNothing) {
  Open();
  AppendMany(2);
  ASSERT_TRUE(log_->Sync(2).ok());
  AppendMany(1);  // Says that two records are durable.
  Kill();
  const std::string imitation = disk_.BytesOf(SegmentName(1)).substr(OffsetsIn(1).at(2), 64);
  Open();
  Append("torn");
  Append("behind: " + imitation);
  Kill();
  Flip(2, OffsetsIn(2).at(0) + kRecordHeaderBytes);
  Open();
  ExpectReplayed(3);
}

class EncryptedLogTest : public LogRecoveryTest {};
INSTANTIATE_TEST_SUITE_P(Modes, EncryptedLogTest,
                         ::testing::Values(LogMode{.encrypted = true},
                                           LogMode{.mapped = true, .encrypted = true}),
                         NameOf);

TEST_P(EncryptedLogTest, AnotherKeyOrNoneOpensNothing) {
  Open();
  AppendMany(1);
  Kill();
  LogOptions options = Options();
  const auto ignore = [](const LogRecord&) { return Status(); };
  options.key = nullptr;
  EXPECT_EQ(HotLog::Open(options, ignore).error().code(), StatusCode::kWrongPassword);
  options.key = *crypto::DatabaseKey::Make("another");
  EXPECT_EQ(HotLog::Open(options, ignore).error().code(), StatusCode::kCorruption);
}

}  // namespace
}  // namespace mayfly::engine::hot
