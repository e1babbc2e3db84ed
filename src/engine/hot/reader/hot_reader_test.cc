// Goal: a reader beside a memory-first writer shows what the writer has committed, exactly, whatever
// becomes of the log and of the files below it, and changes none of them.
// Method: writers in this process with segments of 16 KiB; the reader refreshes after each step.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include "base/temporary_directory.h"
#include "engine/hot/log/log_format.h"
#include "engine/hot/reader/hot_reader_fixture.h"

namespace mayfly::engine {
namespace {

constexpr Address kRows = {.role = Role::kRows};

std::string Get(const Engine& engine, Bytes key, const Snapshot* snapshot = nullptr) {
  PinnedBytes value;
  const Status read = engine.Get(kRows, key, value, snapshot);
  return read.ok() ? std::string(value.view()) : read.IsNotFound() ? "-" : read.ToString();
}

class HotReaderTest : public ::testing::Test {
 protected:
  void OpenWriter() {
    auto opened = OpenHotEngine(ColdOptions(directory_), options_);
    ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
    writer_ = *std::move(opened);
  }
  void OpenReader() {
    auto opened = OpenHotReaderEngine(reader_options_);
    ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
    reader_ = *std::move(opened);
  }
  void CloseWriter() {
    ASSERT_TRUE(writer_->Close().ok());
    writer_.reset();
  }

  void Put(Bytes key, Bytes value) {
    Batch batch;
    batch.Put(kRows, key, value);
    Commit(batch);
  }
  void Delete(Bytes key) {
    Batch batch;
    batch.Delete(kRows, key);
    Commit(batch);
  }
  void DeleteRange(Bytes begin, Bytes end) {
    Batch batch;
    batch.DeleteRange(kRows, begin, end);
    Commit(batch);
  }
  void Commit(const Batch& batch, Durability durability = Durability::kProcess) {
    const Status committed = writer_->Commit(batch, durability);
    ASSERT_TRUE(committed.ok()) << committed.ToString();
  }
  void Flush() {
    const Status flushed = writer_->Flush();
    ASSERT_TRUE(flushed.ok()) << flushed.ToString();
  }
  std::uint64_t Refresh() {
    const auto refreshed = reader_->Refresh();
    EXPECT_TRUE(refreshed.has_value()) << refreshed.error().ToString();
    return refreshed.value_or(0);
  }
  std::string Seen(Bytes key) {
    Refresh();
    return Get(*reader_, key);
  }
  // Of the hot folder, sorted.
  std::vector<std::string> LogFileNames() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/hot")) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const TemporaryDirectory home_;
  const std::string directory_ = home_.Inside("db");
  HotOptions options_ = SmallOptions();
  HotReaderOptions reader_options_ = ReaderOptionsAt(directory_);
  std::unique_ptr<Engine> writer_;
  std::unique_ptr<Engine> reader_;
};

TEST_F(HotReaderTest, FollowsCommitsDeletesAndRangeDeletes) {
  OpenWriter();
  OpenReader();
  EXPECT_FALSE(reader_->capabilities().writable);
  EXPECT_TRUE(reader_->capabilities().follows);
  EXPECT_EQ(Seen("a"), "-");
  Put("a", "1");
  EXPECT_EQ(Get(*reader_, "a"), "-") << "before a refresh";
  EXPECT_EQ(Seen("a"), "1");
  Put("b", "2");
  Put("c", "3");
  Delete("a");
  EXPECT_EQ(Seen("a"), "-");
  EXPECT_EQ(Get(*reader_, "b"), "2");
  Flush();
  DeleteRange("b", "c");
  EXPECT_EQ(Seen("b"), "-") << "which the cold store has";
  EXPECT_EQ(Walk(*reader_, Role::kRows), (Pairs{{"c", "3"}}));
  Batch batch;
  batch.DeleteRange(kRows, "a", "z");
  batch.Put(kRows, "c", "4");
  Commit(batch);
  EXPECT_EQ(Seen("c"), "4");
  Flush();
  EXPECT_EQ(Seen("c"), "4");
  EXPECT_EQ(Walk(*reader_, Role::kRows), (Pairs{{"c", "4"}}));
}

TEST_F(HotReaderTest, IsNotLostWhenTheSegmentItReadsIsFoldedAndRemoved) {
  OpenWriter();
  Put("a", "1");
  OpenReader();
  EXPECT_EQ(Seen("a"), "1");
  for (int fold = 0; fold < 5; ++fold) {
    Put("a", std::to_string(fold));
    Put("gone", "1");
    Flush();
    Delete("gone");
    Flush();
  }
  EXPECT_EQ(Seen("a"), "4");
  EXPECT_EQ(Get(*reader_, "gone"), "-");
  Put("b", "1");
  EXPECT_EQ(Seen("b"), "1");
  CloseWriter();
  EXPECT_EQ(Seen("b"), "1");
  OpenWriter();
  Put("b", "2");
  EXPECT_EQ(Seen("b"), "2");
}

TEST_F(HotReaderTest, SnapshotsAndCursorsKeepTheirState) {
  OpenWriter();
  Put("a", "1");
  Flush();
  Put("b", "1");
  OpenReader();
  auto snapshot = *reader_->NewSnapshot();
  auto cursor = *reader_->NewCursor(kRows);
  DeleteRange("a", "z");
  Put("c", "1");
  Refresh();
  Flush();
  Refresh();
  ASSERT_TRUE(writer_->Compact(Role::kRows).ok());
  Put("d", "1");
  Flush();
  Refresh();
  EXPECT_EQ(Walk(*reader_, Role::kRows), (Pairs{{"c", "1"}, {"d", "1"}}));
  EXPECT_EQ(Walk(*reader_, Role::kRows, snapshot.get()), (Pairs{{"a", "1"}, {"b", "1"}}));
  EXPECT_EQ(Get(*reader_, "a", snapshot.get()), "1");
  EXPECT_EQ(Get(*reader_, "c", snapshot.get()), "-");
  cursor->SeekToLast();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->key(), "b");
  EXPECT_EQ(reader_->Close().code(), StatusCode::kBusy);
  snapshot.reset();
  cursor.reset();
  EXPECT_TRUE(reader_->Close().ok());
}

TEST_F(HotReaderTest, HoldsInMemoryOnlyWhatTheLogHolds) {
  OpenWriter();
  OpenReader();
  const auto write = [&](int begin, int end) {
    for (int round = begin; round < end; ++round) {
      for (int i = 0; i < 20; ++i) {
        Put(std::to_string(round) + "-" + std::to_string(i), std::string(1000, 'v'));
      }
      Flush();
      Refresh();
    }
    EXPECT_EQ(reader_->Stats()->last_commit, writer_->Stats()->last_commit);
    return reader_->Stats()->memory_bytes;
  };
  const std::uint64_t after_four = write(0, 4);
  const std::uint64_t after_forty = write(4, 40);
  EXPECT_LT(after_forty, after_four + 300'000) << "720 KB were written in between";
  EXPECT_EQ(Walk(*reader_, Role::kRows).size(), 800U);
  DeleteRange("0", "9");
  Flush();
  EXPECT_EQ(Seen("1-1"), "-");
}

TEST_F(HotReaderTest, TellsWhichKeysMayHaveChanged) {
  OpenWriter();
  OpenReader();
  const std::uint64_t first = Refresh();
  EXPECT_EQ(Refresh(), first) << "nothing is new";
  Put("a", "1");
  const std::uint64_t second = Refresh();
  EXPECT_GT(second, first);
  EXPECT_EQ(reader_->ChangedAt(Role::kRows, 'a'), second);
  EXPECT_LT(reader_->ChangedAt(Role::kRows, 'b'), second);
  EXPECT_LT(reader_->ChangedAt(Role::kMeta, 'a'), second);
  DeleteRange("b", "d");
  const std::uint64_t third = Refresh();
  EXPECT_EQ(reader_->ChangedAt(Role::kRows, 'c'), third);
  EXPECT_EQ(reader_->ChangedAt(Role::kRows, 'a'), second);
  Flush();
  Put("e", "1");
  Flush();
  Put("e", "2");
  const std::uint64_t fourth = Refresh();
  EXPECT_GT(fourth, third);
  EXPECT_EQ(reader_->ChangedAt(Role::kRows, 'e'), fourth);
}

TEST_F(HotReaderTest, TakesAnEmptyLogAndOneThatBeginsLater) {
  {
    auto plain = *OpenRocksEngine(ColdOptions(directory_));
    Batch batch;
    batch.Put(kRows, "old", "1");
    ASSERT_TRUE(plain->Commit(batch).ok());
    ASSERT_TRUE(plain->Close().ok());
  }
  EXPECT_FALSE(HasHotLog(directory_));
  OpenReader();
  const auto plain = *OpenReaderEngine(reader_options_.reader);
  EXPECT_EQ(Seen("old"), "1");
  EXPECT_FALSE(HasHotLog(directory_)) << "a reader makes nothing";
  OpenWriter();
  EXPECT_TRUE(HasHotLog(directory_));
  EXPECT_EQ(plain->Refresh().error().code(), StatusCode::kInvalid) << "it would miss the log";
  Put("new", "2");
  Delete("old");
  EXPECT_EQ(Seen("new"), "2");
  EXPECT_EQ(Get(*reader_, "old"), "-");
  Flush();
  EXPECT_EQ(Seen("old"), "-");
}

TEST_F(HotReaderTest, ChangesNoFile) {
  OpenWriter();
  for (int i = 0; i < 40; ++i) Put(std::to_string(i), std::string(1000, 'v'));
  CloseWriter();
  const auto look = [&] {
    std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path());
      files[entry.path()] = {std::string(std::istreambuf_iterator<char>(in), {}),
                             entry.last_write_time()};
    }
    return files;
  };
  const auto before = look();
  OpenReader();
  Refresh();
  EXPECT_EQ(Walk(*reader_, Role::kRows).size(), 40U);
  EXPECT_EQ(reader_->Find("vvvv")->empty(), false);
  Batch batch;
  batch.Put(kRows, "a", "1");
  EXPECT_EQ(reader_->Commit(batch).code(), StatusCode::kReadOnly);
  EXPECT_EQ(reader_->Flush().code(), StatusCode::kReadOnly);
  ASSERT_TRUE(reader_->Close().ok());
  EXPECT_TRUE(before == look());
}

TEST_F(HotReaderTest, ExcludesNobodyUnlessTheDatabaseIsEncrypted) {
  OpenWriter();
  Put("a", "1");
  OpenReader();
  EXPECT_EQ(reader_->Find("1").error().code(), StatusCode::kBusy) << "a question for the writer";
  auto second = *OpenHotReaderEngine(reader_options_);
  EXPECT_TRUE(writer_->HasReadersBeside());
  CloseWriter();
  OpenWriter();
  CloseWriter();
  EXPECT_TRUE(second->Close().ok());

  RocksOptions cold = ColdOptions(home_.Inside("secret"));
  cold.password = "password";
  HotReaderOptions options = ReaderOptionsAt(cold.directory);
  options.reader.rocks.password = cold.password;
  writer_ = *OpenHotEngine(cold, options_);
  Put("a", "folded");
  Flush();
  Put("b", "logged");
  EXPECT_EQ(OpenHotReaderEngine(options).error().code(), StatusCode::kBusy);
  CloseWriter();
  const auto reader = OpenHotReaderEngine(options);
  ASSERT_TRUE(reader.has_value()) << reader.error().ToString();
  EXPECT_EQ(Get(**reader, "a"), "folded");
  EXPECT_EQ(Get(**reader, "b"), "logged");
  EXPECT_EQ(OpenHotEngine(cold, options_).error().code(), StatusCode::kBusy);
}

// The cold store may remove files that it does not need meanwhile.
void CopyFiles(const std::string& from, const std::string& to) {
  std::filesystem::create_directories(to + "/hot");
  for (const std::string folder : {"", "/hot"}) {
    for (const auto& entry : std::filesystem::directory_iterator(from + folder)) {
      std::error_code gone;
      if (entry.is_directory(gone)) continue;
      std::filesystem::copy_file(entry.path(), to + folder + "/" + entry.path().filename().string(),
                                 gone);
    }
  }
}

// Overwrites the check of record `index` in the only segment with records.
void Tear(const std::string& directory, int index) {
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/hot")) {
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::uint64_t offset = hot::kSegmentHeaderBytes;
    for (int i = 0;; ++i) {
      hot::StoredRecord record;
      // Zeros: no record follows.
      if (offset >= bytes.size() || bytes.compare(offset, 4, "\0\0\0\0", 4) == 0) break;
      if (!hot::PeekRecord(Bytes(bytes).substr(offset), record)) break;
      if (i == index) {
        file.clear();
        file.seekp(static_cast<std::streamoff>(offset));
        file.write("\0\0\0\0", 4);
        return;
      }
      offset += hot::RecordBytes(record.header.bytes);
    }
  }
  FAIL() << "no such record";
}

TEST_F(HotReaderTest, StopsAtAnUnfinishedRecordAndCallsItDamageOnlyIfItWasDurable) {
  OpenWriter();
  for (const char* key : {"a", "b", "c", "d"}) Put(key, "1");
  // As a thread that has not finished its record looks to others.
  CopyFiles(directory_, home_.Inside("copy"));
  Tear(home_.Inside("copy"), 2);
  reader_options_ = ReaderOptionsAt(home_.Inside("copy"));
  OpenReader();
  EXPECT_EQ(Walk(*reader_, Role::kRows), (Pairs{{"a", "1"}, {"b", "1"}}));
  Refresh();
  reader_.reset();

  Batch batch;
  batch.Put(kRows, "e", "1");
  Commit(batch, Durability::kDisk);
  Put("f", "1");  // Says that the ones before are durable.
  CopyFiles(directory_, home_.Inside("damaged"));
  Tear(home_.Inside("damaged"), 2);
  const auto damaged = OpenHotReaderEngine(ReaderOptionsAt(home_.Inside("damaged")));
  ASSERT_FALSE(damaged.has_value());
  EXPECT_EQ(damaged.error().code(), StatusCode::kCorruption) << damaged.error().ToString();
}

TEST_F(HotReaderTest, ReportsASegmentThatIsMissing) {
  OpenWriter();
  for (int i = 0; i < 40; ++i) Put(std::to_string(i), std::string(1000, 'v'));
  const auto names = LogFileNames();
  ASSERT_GT(names.size(), 3U);
  const std::string copy = home_.Inside("copy");
  CopyFiles(directory_, copy);
  std::filesystem::remove(copy + "/hot/" + names[1]);
  const auto opened = OpenHotReaderEngine(ReaderOptionsAt(copy));
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code(), StatusCode::kCorruption) << opened.error().ToString();
}

// A batch puts its number to all keys; every state of the reader has one number.
TEST_F(HotReaderTest, SeesWholeCommitsInOrderWhileThreadsWriteAndFold) {
  constexpr int kWriters = 2;
  constexpr int kCommits = 400;
  constexpr int kKeys = 5;
  options_.has_thread = true;
  reader_options_.reader.let_go_after = std::chrono::milliseconds(1);
  OpenWriter();
  std::mutex order;  // Numbers are committed in their order.
  std::uint64_t number = 0;
  std::atomic<std::uint64_t> acknowledged{0};
  const auto commit = [&] {
    const std::lock_guard lock(order);
    ++number;
    Batch batch;
    if (number % 7 == 0) batch.DeleteRange(kRows, "k", "l");
    for (int i = 0; i < kKeys; ++i) {
      batch.Put(kRows, "k" + std::to_string(i), std::to_string(number));
    }
    EXPECT_TRUE(writer_->Commit(batch).ok());
    acknowledged = number;
  };
  commit();
  OpenReader();
  std::atomic<int> writing{kWriters + 1};
  std::vector<std::thread> threads;
  for (int i = 0; i < kWriters; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < kCommits; ++n) commit();
      --writing;
    });
  }
  threads.emplace_back([&] {  // Commits beside them, in any order, and folds.
    for (int n = 0; n < kCommits; ++n) {
      Batch batch;
      batch.Put(kRows, "filler" + std::to_string(n % 50), std::string(500, 'f'));
      EXPECT_TRUE(writer_->Commit(batch).ok());
      if (n % 40 != 0) continue;
      EXPECT_TRUE(writer_->Flush().ok());
    }
    --writing;
  });
  const auto read = [&] {
    std::uint64_t seen = 0;
    do {
      const std::uint64_t at_least = acknowledged;
      const auto refreshed = reader_->Refresh();
      ASSERT_TRUE(refreshed.has_value()) << refreshed.error().ToString();
      const auto snapshot = *reader_->NewSnapshot();
      const std::string first = Get(*reader_, "k0", snapshot.get());
      for (int i = 1; i < kKeys; ++i) {
        ASSERT_EQ(Get(*reader_, "k" + std::to_string(i), snapshot.get()), first);
      }
      ASSERT_NE(first, "-");
      ASSERT_GE(std::stoull(first), at_least);
      ASSERT_GE(std::stoull(first), seen);
      seen = std::stoull(first);
      ASSERT_GE(std::stoull(Get(*reader_, "k3")), seen) << "without a snapshot";
      int rows = 0;
      const auto cursor = *reader_->NewCursor(kRows, {.range = {"k", "l"}});
      for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++rows;
      ASSERT_TRUE(cursor->status().ok());
      ASSERT_EQ(rows, kKeys);
    } while (writing > 0);
  };
  threads.emplace_back(read);
  read();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(Seen("k0"), std::to_string(number));
}

}  // namespace
}  // namespace mayfly::engine
