// Goal: a reader of a damaged log returns Corruption and never wrong rows, and it closes files that
// the writer deleted. Method: a writer in this process fills logs; bytes of them are changed before
// or after the reader has opened them. The kernel lists the open files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/rocks/files/log_format.h"
#include "engine/rocks/reader/reader_engine.h"

namespace mayfly::engine {
namespace {

namespace fs = std::filesystem;

constexpr Address kAt{Role::kRows};
constexpr int kRows = 600;

class ReaderDamage : public ::testing::Test {
 protected:
  std::string Path() const { return home_.Inside("db"); }

  void OpenWriter() {
    auto opened = OpenRocksEngine(
        {.directory = Path(), .profile = Profile::kTiny, .write_buffer_bytes = buffer_bytes_});
    ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
    writer_ = *std::move(opened);
  }

  void Put(Role role, int begin, int end) {
    for (int row = begin; row < end; ++row) {
      Batch batch;
      batch.Put({role}, std::to_string(row), Random(static_cast<std::uint64_t>(row)).Bytes(300));
      ASSERT_TRUE(writer_->Commit(batch).ok());
    }
  }

  Result<std::unique_ptr<Engine>> OpenReader(std::chrono::milliseconds let_go_after = {}) {
    return OpenReaderEngine({.rocks = {.directory = Path(), .profile = Profile::kTiny},
                             .let_go_after = let_go_after,
                             .has_thread = false});
  }

  // By number, the oldest first.
  std::map<std::string, fs::path> Logs() const {
    std::map<std::string, fs::path> logs;
    for (const auto& entry : fs::directory_iterator(Path())) {
      if (entry.path().extension() == ".log") logs[entry.path().filename()] = entry.path();
    }
    return logs;
  }

  static std::string Contents(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // In place: a reader may have it open.
  static void Overwrite(const fs::path& path, std::size_t at, const std::string& bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file << bytes;
  }

  static std::string Flipped(const std::string& log, std::size_t at) {
    return std::string(1, static_cast<char>(log[at] ^ 0x5a));
  }

  static void ExpectCorruption(const Status& status, const fs::path& log) {
    EXPECT_EQ(status.code(), StatusCode::kCorruption) << status.ToString();
    EXPECT_NE(status.message().find(log.filename().string()), Bytes::npos) << status.ToString();
  }

  // Files of the database that were deleted and are open in this process.
  int HeldDeleted() const {
    int held = 0;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
      std::error_code error;
      const std::string target = fs::read_symlink(entry.path(), error).string();
      held += !error && target.starts_with(Path()) && target.ends_with(" (deleted)") ? 1 : 0;
    }
    return held;
  }

  TemporaryDirectory home_;
  std::size_t buffer_bytes_ = 0;
  std::unique_ptr<Engine> writer_;
};

TEST_F(ReaderDamage, OfALogThatItOpensIsToldWhereverItIs) {
  OpenWriter();
  Put(Role::kRows, 0, kRows);
  const fs::path log = Logs().rbegin()->second;
  const std::string good = Contents(log);
  ASSERT_GT(good.size(), 4 * kLogBlockBytes);
  for (std::size_t at = 0; at < good.size() * 3 / 4; at += 4001) {
    SCOPED_TRACE("byte " + std::to_string(at));
    Overwrite(log, at, Flipped(good, at));
    const auto reader = OpenReader();
    ASSERT_FALSE(reader.has_value());
    ExpectCorruption(reader.error(), log);
    Overwrite(log, at, good.substr(at, 1));
  }
  EXPECT_TRUE(OpenReader().has_value());
}

TEST_F(ReaderDamage, OfWhatTheWriterAppendsIsToldAtEachLook) {
  OpenWriter();
  Put(Role::kRows, 0, 10);
  const auto reader = *OpenReader();
  ASSERT_TRUE(reader->Refresh().has_value());
  const fs::path log = Logs().rbegin()->second;
  const std::size_t seen = fs::file_size(log);
  Put(Role::kRows, 10, kRows);
  const std::string good = Contents(log);
  const std::size_t at = seen + (good.size() - seen) / 2;
  Overwrite(log, at, Flipped(good, at));
  for (int look = 0; look < 3; ++look) {
    const auto refreshed = reader->Refresh();
    ASSERT_FALSE(refreshed.has_value()) << look;
    ExpectCorruption(refreshed.error(), log);
  }
  Overwrite(log, at, good.substr(at, 1));
  EXPECT_TRUE(reader->Refresh().has_value());
  PinnedBytes value;
  EXPECT_TRUE(reader->Get(kAt, std::to_string(kRows - 1), value).ok());
}

TEST_F(ReaderDamage, AStretchOfZerosIsNotTakenForTheEndOfTheLog) {
  OpenWriter();
  Put(Role::kRows, 0, kRows);
  const fs::path log = Logs().rbegin()->second;
  for (const std::size_t bytes : {kLogBlockBytes, 3 * kLogBlockBytes}) {
    SCOPED_TRACE(bytes);
    const std::string good = Contents(log);
    Overwrite(log, kLogBlockBytes, std::string(bytes, '\0'));
    const auto reader = OpenReader();
    ASSERT_FALSE(reader.has_value());
    ExpectCorruption(reader.error(), log);
    Overwrite(log, kLogBlockBytes, good.substr(kLogBlockBytes, bytes));
  }
}

// As if its end were still to come, which it is not: another log follows.
TEST_F(ReaderDamage, AnOlderLogThatStopsWithinARecordIsToldUnlessNothingIsMissing) {
  buffer_bytes_ = 64 << 10;
  OpenWriter();
  Put(Role::kMembers, 0, 1);  // Is in no table, so that its log stays.
  Put(Role::kRows, 0, kRows);
  const auto logs = Logs();
  ASSERT_GT(logs.size(), 1U);
  const fs::path older = std::prev(logs.end(), 2)->second;
  const std::string good = Contents(older);
  std::size_t last = 0;  // Where the last frame of the log begins.
  for (std::size_t at = 0; at + kFrameHeaderBytes <= good.size();) {
    const std::size_t left = kLogBlockBytes - at % kLogBlockBytes;
    if (left >= kFrameHeaderBytes) last = at;
    at += left < kFrameHeaderBytes ? left
                                   : kFrameHeaderBytes + ReadFrame(Bytes(good).substr(at)).length;
  }
  const std::size_t left = kLogBlockBytes - last % kLogBlockBytes;
  const std::size_t length = ReadFrame(Bytes(good).substr(last)).length;
  ASSERT_LT(length + kFrameHeaderBytes + 1, left) << "the length has room to grow";
  Overwrite(older, last + 4, std::string(1, static_cast<char>(length + 1)));
  const auto reader = OpenReader();
  ASSERT_FALSE(reader.has_value());
  ExpectCorruption(reader.error(), older);
}

TEST_F(ReaderDamage, AMissingLogIsCorruptionAtOnce) {
  buffer_bytes_ = 64 << 10;
  for (const bool all : {true, false}) {
    SCOPED_TRACE(all ? "all" : "the newest");
    for (int i = 0; i < 10;
         ++i) {  // Whether the kernel's clock has ticked since is left to chance.
      fs::remove_all(Path());
      OpenWriter();
      Put(Role::kMembers, 0, 1);
      Put(Role::kRows, 0, kRows / 2);
      ASSERT_TRUE(writer_->Close().ok());
      const auto logs = Logs();
      ASSERT_GT(logs.size(), 1U);
      for (const auto& [name, path] : logs) {
        if (all || name == logs.rbegin()->first) fs::remove(path);
      }
      const auto reader = OpenReader();
      ASSERT_FALSE(reader.has_value());
      ASSERT_EQ(reader.error().code(), StatusCode::kCorruption) << reader.error().ToString();
      ASSERT_NE(reader.error().message().find("--salvage"), Bytes::npos);
    }
  }
}

TEST_F(ReaderDamage, FilesThatTheWriterDeletedAreLetGoOf) {
  OpenWriter();
  Put(Role::kRows, 0, kRows);
  ASSERT_TRUE(writer_->Compact(Role::kRows).ok());
  const auto patient = *OpenReader(std::chrono::hours(1));
  const auto reader = *OpenReader();
  const auto read = [](const Engine& engine, const Snapshot* snapshot = nullptr) {
    PinnedBytes value;
    return engine.Get(kAt, "1", value, snapshot).ok();
  };
  ASSERT_TRUE(read(*patient) && read(*reader));
  auto snapshot = *reader->NewSnapshot();
  ASSERT_TRUE(read(*reader, snapshot.get()));
  EXPECT_EQ(HeldDeleted(), 0);

  Put(Role::kRows, 1, kRows);
  ASSERT_TRUE(writer_->Compact(Role::kRows).ok());
  Put(Role::kRows, 0, 2);  // Followed from one log to the next, with the tables as they are.
  ASSERT_TRUE(patient->Refresh().has_value());
  ASSERT_TRUE(reader->Refresh().has_value());
  const int held_by_both = HeldDeleted();
  EXPECT_GE(held_by_both, 2);
  EXPECT_TRUE(read(*reader, snapshot.get())) << "it keeps what it reads";

  snapshot.reset();
  ASSERT_TRUE(reader->Refresh().has_value());
  const int held_by_patient = HeldDeleted();
  EXPECT_LT(held_by_patient, held_by_both);
  EXPECT_GT(held_by_patient, 0) << "the other does not let go yet";
  EXPECT_TRUE(read(*reader) && read(*patient));
  ASSERT_TRUE(patient->Close().ok());
  EXPECT_EQ(HeldDeleted(), 0);
}

}  // namespace
}  // namespace mayfly::engine
