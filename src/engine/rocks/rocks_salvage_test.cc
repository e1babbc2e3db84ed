// Goal: a salvage shows the rows of the files, and gives up those in damaged places, no more.
// Method: a database with known rows in old and young files and in the log; each kind of file is
// flipped, cut and removed in turn, and the rows left are counted. Sound databases of random
// changes are compared with what RocksDB shows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {
namespace {

namespace fs = std::filesystem;

constexpr int kSalvagedRows = 3000;
constexpr int kYoungEvery = 100;  // Of them, so many were written again, to a young file.
constexpr Address kAtSalvaged{Role::kRows};

std::string SalvagedKey(int row) { return "key" + std::to_string(100000 + row); }
std::string OldValue(int row) { return Random(static_cast<std::uint64_t>(row)).Bytes(100); }
std::string YoungValue(int row) { return "young" + std::to_string(row); }

void FlipByte(const fs::path& file, std::uintmax_t offset) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(offset));
  const int byte = stream.get();
  stream.seekp(static_cast<std::streamoff>(offset));
  stream.put(static_cast<char>(byte ^ 0x5a));
}

using Rows = std::map<std::string, std::string>;

Rows Contents(const Engine& engine, Role role) {
  Rows rows;
  const auto cursor = *engine.NewCursor({role});
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    EXPECT_TRUE(rows.empty() || rows.rbegin()->first < cursor->key());
    rows.emplace(cursor->key(), cursor->value());
  }
  EXPECT_TRUE(cursor->status().ok()) << cursor->status().ToString();
  return rows;
}

class Salvage : public ::testing::Test {
 protected:
  std::string Path() const { return directory_.Inside("db"); }

  std::unique_ptr<Engine> OpenToWrite() {
    auto engine =
        OpenRocksEngine({.directory = Path(), .password = password_, .profile = Profile::kTiny});
    EXPECT_TRUE(engine.has_value()) << engine.status().ToString();
    return *std::move(engine);
  }

  std::unique_ptr<Engine> OpenSalvage() {
    auto engine = OpenRocksEngine({.directory = Path(),
                                   .read_only = true,
                                   .create_if_missing = false,
                                   .password = password_,
                                   .profile = Profile::kTiny,
                                   .salvage = true});
    EXPECT_TRUE(engine.has_value()) << engine.status().ToString();
    return engine ? *std::move(engine) : nullptr;
  }

  // All rows in an old file; every kYoungEvery-th again in a young one that spans them all.
  void WriteOldAndYoung() {
    const auto engine = OpenToWrite();
    Batch old;
    for (int row = 0; row < kSalvagedRows; ++row)
      old.Put(kAtSalvaged, SalvagedKey(row), OldValue(row));
    ASSERT_TRUE(engine->Commit(old).ok());
    ASSERT_TRUE(engine->Compact(Role::kRows).ok());
    old_file_ = Newest(".sst");
    Batch young;
    for (int row = 0; row < kSalvagedRows; row += kYoungEvery)
      young.Put(kAtSalvaged, SalvagedKey(row), YoungValue(row));
    ASSERT_TRUE(engine->Commit(young).ok());
    ASSERT_TRUE(engine->Flush().ok());
    young_file_ = Newest(".sst");
    ASSERT_NE(old_file_, young_file_);
    ASSERT_TRUE(engine->Close().ok());
  }

  fs::path Newest(const std::string& ending) const {
    fs::path newest;
    for (const auto& entry : fs::directory_iterator(Path())) {
      const fs::path& path = entry.path();
      if (path.filename().string().ends_with(ending) && path.filename() > newest.filename()) {
        newest = path;
      }
    }
    EXPECT_FALSE(newest.empty()) << ending;
    return newest;
  }

  struct Count {
    int old = 0;
    int young = 0;
    int missing = 0;
  };

  // Fails the test for a row that has neither of its values.
  Count CountRows(const Engine& engine) {
    const Rows rows = Contents(engine, Role::kRows);
    Count count;
    PinnedBytes value;
    for (int row = 0; row < kSalvagedRows; ++row) {
      const auto found = rows.find(SalvagedKey(row));
      if (row % 10 == 0) {
        EXPECT_EQ(engine.Get(kAtSalvaged, SalvagedKey(row), value).ok(), found != rows.end());
        EXPECT_EQ(value.view(), found != rows.end() ? Bytes(found->second) : Bytes());
      }
      if (found == rows.end()) {
        ++count.missing;
        continue;
      }
      const bool young = found->second == YoungValue(row);
      EXPECT_TRUE(young || found->second == OldValue(row)) << row;
      ++(young ? count.young : count.old);
    }
    EXPECT_EQ(rows.size(), static_cast<std::size_t>(kSalvagedRows - count.missing));
    return count;
  }

  void ExpectGivenUp(const Engine& engine, const std::string& word) {
    const auto stats = *engine.Stats();
    EXPECT_GT(stats.damage_seen, 0U);
    EXPECT_EQ(stats.given_up.size(), stats.damage_seen);
    bool told = false;
    for (const std::string& what : stats.given_up) {
      told |= what.find(word) != std::string::npos;
      EXPECT_EQ(what.find("key1"), std::string::npos) << "no keys in messages: " << what;
    }
    EXPECT_TRUE(told) << word << " in " << ::testing::PrintToString(stats.given_up);
  }

  TemporaryDirectory directory_;
  Bytes password_ = {};
  fs::path old_file_;
  fs::path young_file_;
};

constexpr int kYoung = kSalvagedRows / kYoungEvery;

TEST_F(Salvage, OfASoundDatabaseShowsEverything) {
  WriteOldAndYoung();
  const auto engine = OpenSalvage();
  const Count count = CountRows(*engine);
  EXPECT_EQ(count.young, kYoung);
  EXPECT_EQ(count.old, kSalvagedRows - kYoung);
  EXPECT_EQ(engine->Stats()->damage_seen, 0U);
}

TEST_F(Salvage, AYoungFileThatIsGoneTakesNothingElseWithIt) {
  WriteOldAndYoung();
  fs::remove(young_file_);
  const auto engine = OpenSalvage();
  EXPECT_EQ(CountRows(*engine).old, kSalvagedRows) << "as they were before";
  ExpectGivenUp(*engine, young_file_.filename());
}

TEST_F(Salvage, AYoungFileFlippedAnywhereTakesNothingElseWithIt) {
  WriteOldAndYoung();
  for (std::uintmax_t at = 0; at < fs::file_size(young_file_); at += 13) {
    SCOPED_TRACE("flipped byte " + std::to_string(at));
    FlipByte(young_file_, at);
    const auto engine = OpenSalvage();
    const Count count = CountRows(*engine);
    EXPECT_EQ(count.missing, 0);
    EXPECT_TRUE(count.young == kYoung || engine->Stats()->damage_seen > 0);
    ASSERT_TRUE(engine->Close().ok());
    FlipByte(young_file_, at);
  }
}

TEST_F(Salvage, AYoungFileCutAnywhereTakesNothingElseWithIt) {
  WriteOldAndYoung();
  const auto size = fs::file_size(young_file_);
  const fs::path aside = directory_.Inside("aside");
  fs::copy_file(young_file_, aside);
  for (std::uintmax_t left = 0; left < size; left += 31) {
    SCOPED_TRACE("cut to " + std::to_string(left));
    fs::copy_file(aside, young_file_, fs::copy_options::overwrite_existing);
    fs::resize_file(young_file_, left);
    const auto engine = OpenSalvage();
    EXPECT_EQ(CountRows(*engine).missing, 0);
    EXPECT_GT(engine->Stats()->damage_seen, 0U);
  }
}

TEST_F(Salvage, OfAFileWithDamagedBlocksTheSoundOnesAreKept) {
  WriteOldAndYoung();
  const auto size = fs::file_size(old_file_);
  FlipByte(old_file_, size / 3);
  FlipByte(old_file_, size / 2);
  const auto engine = OpenSalvage();
  const Count count = CountRows(*engine);
  EXPECT_EQ(count.young, kYoung);
  EXPECT_GT(count.missing, 0);
  EXPECT_LT(count.missing, 100) << "two blocks of 4 KiB with some 35 rows each";
  EXPECT_EQ(engine->Stats()->damage_seen, 2U);
}

TEST_F(Salvage, AFileCutInHalfKeepsItsFirstHalf) {
  WriteOldAndYoung();
  fs::resize_file(old_file_, fs::file_size(old_file_) / 2);
  const auto engine = OpenSalvage();
  const Count count = CountRows(*engine);
  EXPECT_EQ(count.young, kYoung);
  EXPECT_GT(count.old, kSalvagedRows * 2 / 5);
  EXPECT_LT(count.old, kSalvagedRows * 3 / 5);
  ExpectGivenUp(*engine, "index");
}

TEST_F(Salvage, AnEncryptedDatabaseIsSalvagedWithItsPassword) {
  password_ = "a password";
  WriteOldAndYoung();
  fs::remove(young_file_);
  fs::remove(Path() + "/MAYFLY");
  FlipByte(old_file_, fs::file_size(old_file_) / 2);
  {
    const auto engine = OpenSalvage();
    ASSERT_NE(engine, nullptr);
    EXPECT_NE(engine->encryption_key(), nullptr);
    const Count count = CountRows(*engine);
    EXPECT_GT(count.old, kSalvagedRows - 50);
    EXPECT_LT(count.old, kSalvagedRows);
    ExpectGivenUp(*engine, young_file_.filename());
  }
  const auto without = OpenRocksEngine({.directory = Path(), .read_only = true, .salvage = true});
  EXPECT_EQ(without.status().code(), StatusCode::kWrongPassword);
}

TEST_F(Salvage, EveryFileOfTheListIsDoneWithoutOrWithoutPartOfIt) {
  WriteOldAndYoung();
  const fs::path kept = directory_.Inside("kept");
  fs::copy(Path(), kept);
  std::string manifest;
  std::ifstream(Path() + "/CURRENT") >> manifest;
  const std::vector<std::pair<std::string, std::function<void(const fs::path&)>>> damages = {
      {"removed", [](const fs::path& file) { fs::remove(file); }},
      {"emptied", [](const fs::path& file) { fs::resize_file(file, 0); }},
      {"cut", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); }},
      {"flipped", [](const fs::path& file) { FlipByte(file, fs::file_size(file) / 3); }}};
  for (const std::string& name : {std::string("MAYFLY"), std::string("CURRENT"), manifest}) {
    for (const auto& [how, damage] : damages) {
      SCOPED_TRACE(fmt::format("{} {}", name, how));
      fs::remove_all(Path());
      fs::copy(kept, Path());
      damage(fs::path(Path()) / name);
      const auto engine = OpenSalvage();
      ASSERT_NE(engine, nullptr);
      const Count count = CountRows(*engine);
      EXPECT_EQ(count.young, kYoung);
      EXPECT_EQ(count.old, kSalvagedRows - kYoung);
      ExpectGivenUp(*engine, name == "MAYFLY" ? "MAYFLY" : "list of files");
    }
  }
}

TEST_F(Salvage, OfADamagedLogTheSoundRecordsAreKept) {
  {
    const auto engine = OpenToWrite();
    for (int row = 0; row < kSalvagedRows; ++row) {
      Batch batch;
      batch.Put(kAtSalvaged, SalvagedKey(row), OldValue(row));
      ASSERT_TRUE(engine->Commit(batch).ok());
    }
    ASSERT_TRUE(engine->Close().ok());
  }
  const fs::path log = Newest(".log");
  FlipByte(log, fs::file_size(log) / 2);
  const auto engine = OpenSalvage();
  const Count count = CountRows(*engine);
  EXPECT_GT(count.missing, 0);
  EXPECT_LT(count.missing, 300) << "a block of 32 KiB at most";
  ExpectGivenUp(*engine, log.filename());
}

TEST_F(Salvage, ALogCutInItsLastRecordIsNoDamage) {
  {
    const auto engine = OpenToWrite();
    for (int row = 0; row < kSalvagedRows; ++row) {
      Batch batch;
      batch.Put(kAtSalvaged, SalvagedKey(row), OldValue(row));
      ASSERT_TRUE(engine->Commit(batch).ok());
    }
    ASSERT_TRUE(engine->Close().ok());
  }
  const fs::path log = Newest(".log");
  fs::resize_file(log, fs::file_size(log) - 7);
  const auto engine = OpenSalvage();
  EXPECT_EQ(CountRows(*engine).missing, 1);
  EXPECT_EQ(engine->Stats()->damage_seen, 0U);
}

TEST_F(Salvage, NeverWrites) {
  WriteOldAndYoung();
  const auto writing =
      OpenRocksEngine({.directory = Path(), .profile = Profile::kTiny, .salvage = true});
  ASSERT_FALSE(writing.has_value());
  EXPECT_EQ(writing.error().code(), StatusCode::kInvalid);
  const auto engine = OpenSalvage();
  Batch batch;
  batch.Put(kAtSalvaged, "a", "b");
  EXPECT_EQ(engine->Commit(batch).code(), StatusCode::kReadOnly);
}

TEST_F(Salvage, OfAStrangersDirectoryThereIsNone) {
  fs::create_directory(Path());
  std::ofstream(Path() + "/photo.jpg") << "x";
  const auto engine = OpenRocksEngine({.directory = Path(), .read_only = true, .salvage = true});
  ASSERT_FALSE(engine.has_value());
  EXPECT_TRUE(engine.error().IsNotFound()) << engine.error().ToString();
}

// Both ways, from everywhere, with and without bounds.
void ExpectSameWalks(const Engine& a, const Engine& b, Random& random) {
  for (int i = 0; i < 50; ++i) {
    std::string begin = SalvagedKey(static_cast<int>(random.Below(400)));
    std::string end = SalvagedKey(static_cast<int>(random.Below(400)));
    if (begin > end) std::swap(begin, end);
    const std::string target = SalvagedKey(static_cast<int>(random.Below(400)));
    CursorOptions options;
    if (random.Below(2) == 0) options.range = {begin, end};
    const auto one = *a.NewCursor(kAtSalvaged, options);
    const auto other = *b.NewCursor(kAtSalvaged, options);
    const auto both = [&](auto move) {
      move(*one);
      move(*other);
      ASSERT_EQ(one->Valid(), other->Valid());
      if (!one->Valid()) return;
      ASSERT_EQ(one->key(), other->key());
      ASSERT_EQ(one->value(), other->value());
    };
    switch (random.Below(4)) {
      case 0: both([](Cursor& cursor) { cursor.SeekToFirst(); }); break;
      case 1: both([](Cursor& cursor) { cursor.SeekToLast(); }); break;
      case 2: both([&](Cursor& cursor) { cursor.SeekAtOrAfter(target); }); break;
      default: both([&](Cursor& cursor) { cursor.SeekAtOrBefore(target); }); break;
    }
    for (int step = 0; step < 20 && one->Valid(); ++step) {
      if (random.Below(3) > 0) {
        both([](Cursor& cursor) { cursor.Next(); });
      } else {
        both([](Cursor& cursor) { cursor.Prev(); });
      }
    }
  }
}

TEST_F(Salvage, OfSoundDatabasesShowsWhatRocksDbShows) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    fs::remove_all(Path());
    auto engine = OpenToWrite();
    std::vector<std::unique_ptr<Snapshot>> snapshots;
    for (int step = 0; step < 1500; ++step) {
      Batch batch;
      const auto key = [&] { return SalvagedKey(static_cast<int>(random.Below(400))); };
      for (std::uint64_t i = 0; i <= random.Below(4); ++i) {
        const Role role = random.Below(2) == 0 ? Role::kRows : Role::kMembers;
        const auto kind = random.Below(40);
        if (kind == 0) {
          std::string begin = key();
          std::string end = key();
          if (begin > end) std::swap(begin, end);
          batch.DeleteRange({role}, begin, end);
        } else if (kind < 12) {
          batch.Delete({role}, key());
        } else {
          batch.Put({role}, key(), random.Bytes(random.Below(300)));
        }
      }
      ASSERT_TRUE(engine->Commit(batch).ok());
      const auto event = random.Below(150);
      if (event < 3) {
        ASSERT_TRUE(engine->Flush().ok());
      }
      if (event == 3) {
        ASSERT_TRUE(engine->Compact(Role::kRows).ok());
      }
      if (event == 4) snapshots.push_back(*engine->NewSnapshot());
      if (event == 5) snapshots.clear();
    }
    snapshots.clear();
    ASSERT_TRUE(engine->Close().ok());
    engine = *OpenRocksEngine({.directory = Path(), .read_only = true, .profile = Profile::kTiny});
    const auto salvage = OpenSalvage();
    ASSERT_NE(salvage, nullptr);
    for (const Role role : {Role::kRows, Role::kMembers, Role::kMeta}) {
      ASSERT_EQ(Contents(*salvage, role), Contents(*engine, role));
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSameWalks(*salvage, *engine, random));
    EXPECT_EQ(salvage->Stats()->damage_seen, 0U);
  }
}

}  // namespace
}  // namespace mayfly::engine
