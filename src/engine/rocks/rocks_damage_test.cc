// Damaged files give Corruption or the bytes that were written, never others.
// Method: write known rows, damage one file at a seeded place, reopen and read everything back.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {
namespace {

constexpr int kRows = 2000;
constexpr Address kAt{Role::kRows};

std::string KeyOf(int row) { return "key" + std::to_string(100000 + row); }
std::string ValueOf(int row) { return Random(static_cast<std::uint64_t>(row)).Bytes(100); }

class RocksDamage : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Engine>> Open() {
    return OpenRocksEngine(
        {.directory = Path(), .create_if_missing = false, .profile = Profile::kTiny});
  }
  std::string Path() const { return directory_.Inside("db"); }

  // Rows in files when `compacted`, else in the log alone.
  void Write(bool compacted) {
    auto engine = OpenRocksEngine({.directory = Path(), .profile = Profile::kTiny});
    ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
    for (int row = 0; row < kRows; ++row) {
      Batch batch;
      batch.Put(kAt, KeyOf(row), ValueOf(row));
      ASSERT_TRUE((*engine)->Commit(batch).ok());
    }
    if (compacted) {
      ASSERT_TRUE((*engine)->Compact(Role::kRows).ok());
    }
    ASSERT_TRUE((*engine)->Close().ok());
  }

  // The largest file with this ending.
  std::filesystem::path Largest(const std::string& ending) const {
    std::filesystem::path largest;
    for (const auto& entry : std::filesystem::directory_iterator(Path())) {
      if (!entry.path().filename().string().ends_with(ending)) continue;
      if (largest.empty() || entry.file_size() > std::filesystem::file_size(largest)) {
        largest = entry.path();
      }
    }
    EXPECT_FALSE(largest.empty()) << "no file ends in " << ending;
    return largest;
  }

  static void FlipByte(const std::filesystem::path& file, std::uintmax_t offset) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(offset));
    const int byte = stream.get();
    stream.seekp(static_cast<std::streamoff>(offset));
    stream.put(static_cast<char>(byte ^ 0x5a));
  }

  // Reads everything, by key and by cursor. True when damage was reported; a wrong or missing row
  // without a report fails the test.
  bool ReportsDamage() {
    auto engine = Open();
    if (!engine) {
      EXPECT_EQ(engine.error().code(), StatusCode::kCorruption) << engine.error().ToString();
      EXPECT_NE(engine.error().message().find(Path()), Bytes::npos);
      return true;
    }
    bool reported = false;
    PinnedBytes value;
    for (int row = 0; row < kRows; ++row) {
      const Status read = (*engine)->Get(kAt, KeyOf(row), value);
      if (read.ok()) {
        EXPECT_EQ(value.view(), ValueOf(row)) << "wrong bytes for row " << row;
      } else {
        EXPECT_EQ(read.code(), StatusCode::kCorruption) << read.ToString();
        reported = true;
      }
    }
    auto cursor = *(*engine)->NewCursor(kAt);
    int row = 0;
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next(), ++row) {
      EXPECT_EQ(cursor->key(), KeyOf(row));
      EXPECT_EQ(cursor->value(), ValueOf(row));
    }
    if (row < kRows) {
      EXPECT_EQ(cursor->status().code(), StatusCode::kCorruption)
          << "the walk ended at row " << row << " without a word";
      reported = true;
    }
    return reported;
  }

  TemporaryDirectory directory_;
};

TEST_F(RocksDamage, AFlippedByteAnywhereInAnSstIsReportedOrHarmless) {
  Write(/*compacted=*/true);
  const auto file = Largest(".sst");
  const auto size = std::filesystem::file_size(file);
  Random random(20261115);
  int reported = 0;
  constexpr int kTries = 60;
  for (int i = 0; i < kTries; ++i) {
    const auto offset = random.Below(size);
    SCOPED_TRACE("flipped byte " + std::to_string(offset) + " of " + std::to_string(size));
    FlipByte(file, offset);
    reported += ReportsDamage();
    FlipByte(file, offset);
  }
  // Most bytes are rows. A filter or a property may be damaged without harm to any row.
  EXPECT_GT(reported, kTries / 2);
  EXPECT_FALSE(ReportsDamage()) << "the file is whole again";
}

TEST_F(RocksDamage, DamageOnceMetIsInTheStats) {
  Write(/*compacted=*/true);
  const auto file = Largest(".sst");
  FlipByte(file, std::filesystem::file_size(file) / 2);
  auto engine = Open();
  ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
  ASSERT_EQ((*engine)->Stats()->damage_seen, 0U);
  PinnedBytes value;
  std::uint64_t failed = 0;
  for (int row = 0; row < kRows; ++row) failed += !(*engine)->Get(kAt, KeyOf(row), value).ok();
  ASSERT_GT(failed, 0U);
  EXPECT_LT(failed, kRows / 10U) << "what is sound is served";
  EXPECT_EQ((*engine)->Stats()->damage_seen, failed);
  EXPECT_NE((*engine)->Stats()->first_damage.find(file.filename()), std::string::npos)
      << (*engine)->Stats()->first_damage;
}

TEST_F(RocksDamage, ADamagedFileThatOnlyACompactionReadsIsInTheStats) {
  Write(/*compacted=*/true);
  const auto file = Largest(".sst");
  FlipByte(file, std::filesystem::file_size(file) / 2);
  auto engine = Open();
  ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
  EXPECT_EQ((*engine)->Compact(Role::kRows).code(), StatusCode::kCorruption);
  EXPECT_GT((*engine)->Stats()->damage_seen, 0U);
}

TEST_F(RocksDamage, AFlippedByteInTheMiddleOfTheLogIsReported) {
  Write(/*compacted=*/false);
  const auto file = Largest(".log");
  FlipByte(file, std::filesystem::file_size(file) / 2);
  const auto engine = Open();
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().code(), StatusCode::kCorruption);
  EXPECT_NE(engine.error().message().find("--salvage"), Bytes::npos) << engine.error().ToString();
}

TEST_F(RocksDamage, FoldersOfOthersAreNotSearched) {
  Write(/*compacted=*/true);
  std::filesystem::create_directory(Path() + "/backups");
  const auto engine = Open();
  ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
  const auto traces = (*engine)->Find("no such bytes");
  ASSERT_TRUE(traces.has_value()) << traces.status().ToString();
  EXPECT_TRUE(traces->empty());
}

TEST_F(RocksDamage, ALogCutInItsLastRecordLosesThatRecordAlone) {
  Write(/*compacted=*/false);
  const auto file = Largest(".log");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 7);
  const auto engine = Open();
  ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
  PinnedBytes value;
  for (int row = 0; row < kRows - 1; ++row)
    ASSERT_TRUE((*engine)->Get(kAt, KeyOf(row), value).ok());
  EXPECT_TRUE((*engine)->Get(kAt, KeyOf(kRows - 1), value).IsNotFound());
}

TEST_F(RocksDamage, AMissingFileOfAnyKindIsReported) {
  Write(/*compacted=*/true);
  for (const std::string ending : {".sst", "CURRENT"}) {
    SCOPED_TRACE(ending);
    const auto file = Largest(ending);
    const std::filesystem::path aside = directory_.Inside("aside");
    std::filesystem::rename(file, aside);
    EXPECT_TRUE(ReportsDamage());
    std::filesystem::rename(aside, file);
  }
  const auto manifest = std::filesystem::path(Path()) / [this] {
    std::string name;
    std::ifstream(Path() + "/CURRENT") >> name;
    return name;
  }();
  std::filesystem::remove(manifest);
  EXPECT_TRUE(ReportsDamage());
}

// RocksDB tries an old form of the name as well, and reports that one.
TEST_F(RocksDamage, AMissingTableIsCalledByItsName) {
  Write(/*compacted=*/true);
  const auto file = Largest(".sst");
  std::filesystem::remove(file);
  const auto engine = Open();
  std::string said;
  if (engine) {
    PinnedBytes value;
    said = (*engine)->Get(kAt, KeyOf(1), value).ToString();
  } else {
    said = engine.error().ToString();
  }
  EXPECT_NE(said.find(file.filename()), std::string::npos) << said;
  EXPECT_EQ(said.find(".ldb"), std::string::npos) << said;
}

TEST_F(RocksDamage, ATruncatedSstIsReported) {
  Write(/*compacted=*/true);
  const auto file = Largest(".sst");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_TRUE(ReportsDamage());
}

TEST_F(RocksDamage, ADamagedManifestIsReported) {
  Write(/*compacted=*/true);
  std::string name;
  std::ifstream(Path() + "/CURRENT") >> name;
  const std::filesystem::path file = Path() + "/" + name;
  FlipByte(file, std::filesystem::file_size(file) / 3);
  EXPECT_TRUE(ReportsDamage());
}

}  // namespace
}  // namespace mayfly::engine
