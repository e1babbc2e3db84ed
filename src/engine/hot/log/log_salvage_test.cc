// A salvage of the log hands on every record that is whole, tells each place that is not, and changes
// nothing. Method: the bytes of a log of three segments are flipped, cut and removed by hand; what is
// handed on is compared with what was appended.
#include "engine/hot/log/log_salvage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "engine/hot/log/log_format.h"
#include "engine/hot/log/testing/log_fixture.h"

namespace mayfly::engine::hot {
namespace {

// Where a record lies.
struct RecordPlace {
  std::uint64_t sequence = 0;
  std::uint64_t segment = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checked = 0;  // Of these, without the zeros at the end.
};

// Files that cannot be read in some places, as on a failing device.
class BadSectors final : public LogFiles {
 public:
  BadSectors(FaultyLogDisk& disk, std::set<std::uint64_t> pages)
      : disk_(disk), pages_(std::move(pages)) {}

  Result<std::vector<std::string>> List() override { return disk_.List(); }
  Result<std::unique_ptr<LogFile>> Create(const std::string& name) override {
    return disk_.Create(name);
  }
  Result<std::unique_ptr<LogFile>> Open(const std::string& name) override {
    MAYFLY_TRY(auto file, disk_.Open(name));
    return std::unique_ptr<LogFile>(std::make_unique<File>(std::move(file), pages_));
  }
  Status Remove(const std::string& name) override { return disk_.Remove(name); }
  Status SyncDirectory() override { return disk_.SyncDirectory(); }
  std::string PathOf(const std::string& name) const override { return disk_.PathOf(name); }

 private:
  class File final : public LogFile {
   public:
    File(std::unique_ptr<LogFile> file, const std::set<std::uint64_t>& pages)
        : file_(std::move(file)), pages_(pages) {}

    Result<std::string> Read(std::uint64_t offset, std::uint64_t bytes) override {
      for (const std::uint64_t page : pages_) {
        if (offset < (page + 1) * 4096 && offset + bytes > page * 4096) {
          return Status::IoError("bad sector");
        }
      }
      return file_->Read(offset, bytes);
    }
    Result<std::uint64_t> Size() override { return file_->Size(); }
    Status Allocate(std::uint64_t) override { return Status::Internal("a salvage writes"); }
    Status Write(std::uint64_t, Bytes) override { return Status::Internal("a salvage writes"); }
    Status Truncate(std::uint64_t) override { return Status::Internal("a salvage writes"); }
    Status Sync() override { return Status::Internal("a salvage writes"); }
    Result<char*> Map(std::uint64_t) override { return Status::Internal("a salvage writes"); }
    void Populate(std::uint64_t, std::uint64_t) override {}

   private:
    const std::unique_ptr<LogFile> file_;
    const std::set<std::uint64_t>& pages_;
  };

  FaultyLogDisk& disk_;
  const std::set<std::uint64_t> pages_;
};

class LogSalvageTest : public LogTest {
 protected:
  // Three segments of records of several lengths; the process was killed.
  void Fill() {
    Open();
    while (log_->Segments().size() < 3 || appended_.size() % 7 != 0) {
      const std::string size(1 + appended_.size() * 37 % 700, static_cast<char>('a' + Next()));
      Append(std::to_string(appended_.size()) + size);
    }
    for (int i = 0; i < 4; ++i) Append("the end " + std::to_string(i));
    Kill();
    for (std::uint64_t number = 1; number <= 3; ++number) {
      for (const std::uint64_t at : OffsetsIn(number)) {
        StoredRecord record;
        ASSERT_TRUE(PeekRecord(Bytes(BytesOf(number)).substr(at), record));
        places_.push_back({.sequence = places_.size() + 1,
                           .segment = number,
                           .offset = at,
                           .bytes = RecordBytes(record.header.bytes),
                           .checked = kRecordHeaderBytes + record.header.bytes});
      }
      whole_[number] = BytesOf(number);
    }
    ASSERT_EQ(places_.size(), appended_.size());
  }

  int Next() { return static_cast<int>(appended_.size() % 26); }
  std::string& BytesOf(std::uint64_t number) { return disk_.BytesOf(SegmentName(number)); }

  void Mend() {
    for (const auto& [number, bytes] : whole_) {
      if (!disk_.Has(SegmentName(number))) {
        ASSERT_TRUE(disk_.Create(SegmentName(number)).has_value());
      }
      BytesOf(number) = bytes;
    }
  }

  void Salvage(LogFiles& files) {
    const std::uint64_t changes = disk_.changes();
    replayed_.clear();
    const auto salvaged =
        SalvageLog({.files = &files,
                    .key = GetParam().encrypted ? Key().get() : nullptr,
                    .folder = "hot",
                    .folded = folded_},
                   [this](const LogRecord& record) {
                     EXPECT_TRUE(replayed_.empty() || replayed_.rbegin()->first < record.sequence);
                     replayed_[record.sequence] = record.payload;
                     return Status();
                   });
    ASSERT_TRUE(salvaged.has_value()) << salvaged.error().ToString();
    EXPECT_EQ(salvaged->records, replayed_.size());
    EXPECT_EQ(salvaged->places, salvaged->lost.size());
    EXPECT_EQ(disk_.changes(), changes) << "a salvage changes nothing";
    lost_ = salvaged->lost;
  }
  void Salvage() { Salvage(disk_); }

  void ExpectAllBut(const std::set<std::uint64_t>& lost) {
    Records expected = appended_;
    for (const std::uint64_t sequence : lost) expected.erase(sequence);
    expected.erase(expected.begin(), expected.upper_bound(folded_));
    EXPECT_EQ(replayed_, expected);
    EXPECT_EQ(lost_.empty(), lost.empty()) << ::testing::PrintToString(lost_);
  }

  std::set<std::uint64_t> SequencesOf(std::uint64_t segment, std::uint64_t from_byte = 0) const {
    std::set<std::uint64_t> sequences;
    for (const RecordPlace& place : places_) {
      if (place.segment == segment && place.offset + place.bytes > from_byte) {
        sequences.insert(place.sequence);
      }
    }
    return sequences;
  }

  std::uint64_t folded_ = 0;
  std::vector<RecordPlace> places_;
  std::map<std::uint64_t, std::string> whole_;
  std::vector<std::string> lost_;
};
INSTANTIATE_TEST_SUITE_P(Modes, LogSalvageTest, AllLogModes(), NameOf);

TEST_P(LogSalvageTest, AWholeLogIsReadAsAWhole) {
  Fill();
  Salvage();
  ExpectAllBut({});
}

TEST_P(LogSalvageTest, AFlippedByteAtEveryRecordLosesThatRecordAndIsTold) {
  Fill();
  for (const RecordPlace& place : places_) {
    for (const std::uint64_t byte : {std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{9},
                                     kRecordHeaderBytes, kRecordHeaderBytes + 1}) {
      SCOPED_TRACE("record " + std::to_string(place.sequence) + ", byte " + std::to_string(byte));
      Mend();
      Flip(place.segment, place.offset + byte);
      Salvage();
      ExpectAllBut({place.sequence});
      ASSERT_EQ(lost_.size(), 1U) << ::testing::PrintToString(lost_);
      const std::string where = "hot/" + SegmentName(place.segment) + ": ";
      const std::string at = " from byte " + std::to_string(place.offset) + " on ";
      EXPECT_TRUE(lost_[0].starts_with(where)) << lost_[0];
      EXPECT_NE(lost_[0].find(at), std::string::npos) << lost_[0];
      if (place.sequence == places_.size()) continue;  // May be the end that a crash left.
      const std::string bytes = ": " + std::to_string(place.bytes) + " bytes";
      const std::string record = "record " + std::to_string(place.sequence) + " is lost";
      EXPECT_NE(lost_[0].find(bytes), std::string::npos) << lost_[0];
      EXPECT_NE(lost_[0].find(record), std::string::npos) << lost_[0];
      EXPECT_NE(lost_[0].find("may be missing, old, or back"), std::string::npos) << lost_[0];
    }
  }
}

TEST_P(LogSalvageTest, ACutSegmentLosesItsEnd) {
  Fill();
  for (std::uint64_t number = 1; number <= 3; ++number) {
    for (std::uint64_t kept = 0; kept < whole_[number].size(); kept += 1031) {
      SCOPED_TRACE("segment " + std::to_string(number) + ", " + std::to_string(kept));
      Mend();
      BytesOf(number).resize(kept);
      Salvage();
      // The end of the last segment may be lost without a word, as a crash leaves it.
      if (number == 3) lost_.emplace_back("the end");
      std::set<std::uint64_t> lost = SequencesOf(number, kept);
      if (number == 3 && lost.empty()) lost_.clear();
      ExpectAllBut(lost);
    }
  }
}

TEST_P(LogSalvageTest, AMissingSegmentIsToldWithItsRecords) {
  Fill();
  for (std::uint64_t number = 1; number <= 2; ++number) {
    Mend();
    ASSERT_TRUE(disk_.Remove(SegmentName(number)).ok());
    Salvage();
    ExpectAllBut(SequencesOf(number));
  }
  EXPECT_NE(lost_[0].find("hot/" + SegmentName(2) + " is missing"), std::string::npos) << lost_[0];
  const auto sequences = SequencesOf(2);
  const std::string records = "records " + std::to_string(*sequences.begin()) + " to " +
                              std::to_string(*sequences.rbegin()) + " are lost";
  EXPECT_NE(lost_[1].find(records), std::string::npos) << lost_[1];
  for (std::uint64_t number = 1; number <= 4; ++number) {
    if (!disk_.Has(SegmentName(number))) continue;
    ASSERT_TRUE(disk_.Remove(SegmentName(number)).ok());
  }
  Salvage();
  EXPECT_TRUE(replayed_.empty());
  EXPECT_EQ(lost_.size(), 1U);
}

// The next one was prepared: so the last one was there.
TEST_P(LogSalvageTest, AMissingLastSegmentIsToldIfTheNextWasPrepared) {
  Fill();
  ASSERT_TRUE(disk_.Has(SegmentName(4)));
  ASSERT_TRUE(disk_.Remove(SegmentName(3)).ok());
  Salvage();
  ExpectAllBut(SequencesOf(3));
}

TEST_P(LogSalvageTest, AMissingLastSegmentOfAClosedLogIsTold) {
  Open();
  Append("the only one");
  ASSERT_TRUE(log_->Close().ok());
  log_.reset();
  ASSERT_TRUE(disk_.Remove(SegmentName(1)).ok());
  Salvage();
  ExpectAllBut({1});
  EXPECT_NE(lost_[0].find("no segment of the log is there"), std::string::npos) << lost_[0];
}

TEST_P(LogSalvageTest, OneCopyOfAHeaderIsEnoughAndWithoutBothTheSegmentIsLost) {
  Fill();
  for (std::uint64_t number = 1; number <= 3; ++number) {
    for (const std::uint64_t copy : {std::uint64_t{0}, kHeaderCopyOffset}) {
      Mend();
      Flip(number, copy + 20);
      Salvage();
      ExpectAllBut({});
    }
    Flip(number, 20);
    Salvage();
    ExpectAllBut(SequencesOf(number));
    EXPECT_NE(lost_[0].find("both copies of its header are damaged"), std::string::npos)
        << lost_[0];
  }
}

TEST_P(LogSalvageTest, WhatTheColdStoreHasIsNeitherHandedOnNorLost) {
  Fill();
  folded_ = *SequencesOf(1).rbegin();
  Flip(1, 20);
  Flip(1, kHeaderCopyOffset + 20);
  Salvage();
  ExpectAllBut({});
  ASSERT_TRUE(disk_.Remove(SegmentName(1)).ok());
  Salvage();
  ExpectAllBut({});
  // A fold that ended within a segment, as no engine makes it.
  folded_ += 3;
  Flip(2, places_[folded_ - 1].offset + 1);
  Salvage();
  ExpectAllBut({});
  Flip(2, places_[folded_].offset + 1);
  Salvage();
  ExpectAllBut({folded_ + 1});
}

TEST_P(LogSalvageTest, ALogWithoutItsBeginningAndWithoutAMarkerIsToldAndReadAsAWhole) {
  Fill();
  ASSERT_TRUE(disk_.Remove(SegmentName(1)).ok());
  Salvage();
  ExpectAllBut(SequencesOf(1));
  EXPECT_NE(lost_[0].find("the marker of the last fold is missing"), std::string::npos) << lost_[0];
}

TEST_P(LogSalvageTest, ARecordThatCannotBeAppliedIsLostAlone) {
  Fill();
  const auto salvaged = SalvageLog(
      {.files = &disk_, .key = GetParam().encrypted ? Key().get() : nullptr, .folder = "hot"},
      [](const LogRecord& record) {
        return record.sequence == 5 ? Status::Corruption("a kind") : Status();
      });
  ASSERT_TRUE(salvaged.has_value());
  EXPECT_EQ(salvaged->records, appended_.size() - 1);
  ASSERT_EQ(salvaged->lost.size(), 1U);
  EXPECT_NE(salvaged->lost[0].find("record 5 is lost"), std::string::npos);
}

TEST_P(LogSalvageTest, AnotherKeyLosesEverythingAndSaysWhy) {
  Fill();
  const auto salvaged = SalvageLog({.files = &disk_, .key = nullptr, .folder = "hot"},
                                   [](const LogRecord&) { return Status(); });
  ASSERT_TRUE(salvaged.has_value());
  EXPECT_EQ(salvaged->records, GetParam().encrypted ? 0 : appended_.size());
  EXPECT_EQ(salvaged->lost.empty(), !GetParam().encrypted);
}

TEST_P(LogSalvageTest, SectorsThatCannotBeReadLoseTheirRecordsOnly) {
  Fill();
  for (std::uint64_t page = 0; page < whole_[2].size() / 4096; ++page) {
    SCOPED_TRACE("page " + std::to_string(page));
    BadSectors files(disk_, {page});
    Salvage(files);
    std::set<std::uint64_t> lost;
    for (const RecordPlace& place : places_) {
      if (place.offset < (page + 1) * 4096 && place.offset + place.bytes > page * 4096) {
        lost.insert(place.sequence);
      }
    }
    // All three segments have the same bad pages. The last one may end without a word.
    if (!lost.empty() && lost_.empty()) {
      EXPECT_GE(*lost.begin(), *SequencesOf(3).begin());
      lost_.emplace_back("the end");
    }
    ExpectAllBut(lost);
  }
}

// A value may hold a copy of the log.
TEST_P(LogSalvageTest, ValuesThatImitateRecordsAreNotTakenForThem) {
  Open();
  for (int i = 0; i < 5; ++i) Append("small " + std::to_string(i));
  const std::string copy = disk_.BytesOf(SegmentName(1)).substr(kSegmentHeaderBytes, 400);
  const std::uint64_t imitator = Append("12345678" + copy + "the rest");
  for (int i = 0; i < 5; ++i) Append("more " + std::to_string(i));
  Kill();
  for (std::uint64_t offset = 0; offset < 12; ++offset) {
    const std::uint64_t at = OffsetsIn(1).at(imitator - 1) + offset;
    Flip(1, at);
    Salvage();
    ExpectAllBut({imitator});
    Flip(1, at);
  }
}

TEST_P(LogSalvageTest, AnyDamageLosesWhatItTouchesAndNothingElse) {
  Fill();
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 300; ++round) {
    Mend();
    std::set<std::uint64_t> lost;
    const std::uint64_t wounds = 1 + random.Below(4);
    for (std::uint64_t i = 0; i < wounds; ++i) {
      const std::uint64_t number = 1 + random.Below(3);
      const std::uint64_t used = places_.back().segment == number
                                     ? places_.back().offset + places_.back().bytes
                                     : whole_[number].size();
      const std::uint64_t from =
          kSegmentHeaderBytes + random.Below(used - kSegmentHeaderBytes - 600);
      const std::uint64_t bytes = 1 + random.Below(600);
      std::string& stored = BytesOf(number);
      const std::string noise = random.OneIn(3) ? std::string(bytes, '\0') : random.Bytes(bytes);
      stored.replace(from, bytes, noise);
    }
    for (const RecordPlace& place : places_) {
      if (Bytes(BytesOf(place.segment)).substr(place.offset, place.checked) !=
          Bytes(whole_[place.segment]).substr(place.offset, place.checked)) {
        lost.insert(place.sequence);
      }
    }
    Salvage();
    // Zeros at the very end look like room that was never used.
    if (!lost.empty() && lost_.empty() && *lost.rbegin() == places_.size()) {
      lost_.emplace_back("the end");
    }
    ExpectAllBut(lost);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace mayfly::engine::hot
