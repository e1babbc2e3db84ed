// Goal: whatever file of a database is damaged, the rows of the others can be saved, and make a
// consistent database.
// Method: a database on disk with rows in old and young files and in the log; each of its files in
// turn is flipped, cut or removed; a salvage is backed up, restored elsewhere, counted and checked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/temporary_directory.h"
#include "mayfly/database.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr int kOldRows = 300;    // In an old file; every third is mortal.
constexpr int kYoungRows = 100;  // Of these, written again to a young one.
constexpr int kLoggedRows = 50;  // Only in the log.

std::string KeyOf(int row) { return "key" + std::to_string(1000 + row); }
bool IsMortal(int row) { return row % 3 == 0; }

void Flip(const fs::path& file) {
  const auto at = static_cast<std::streamoff>(fs::file_size(file) / 2);
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(at);
  const int byte = stream.get();
  stream.seekp(at);
  stream.put(static_cast<char>(byte ^ 0x5a));
}

class SalvagedBackup : public ::testing::TestWithParam<StorageEngine> {
 protected:
  std::string Path(const std::string& name) const { return directory_.Inside(name); }

  std::unique_ptr<Database> Open(const std::string& name, bool salvage = false) {
    auto database = Database::Open({.directory = Path(name),
                                    .read_only = salvage,
                                    .salvage = salvage,
                                    .memory = MemoryProfile::kTiny,
                                    .engine = GetParam(),
                                    .clock = &clock_});
    EXPECT_TRUE(database.has_value()) << database.status().ToString();
    return database ? *std::move(database) : nullptr;
  }

  void Fill() {
    const auto database = Open("db");
    Keyspace& rows = database->default_keyspace();
    const auto other = *database->CreateKeyspace("other", {.default_ttl = 10h});
    for (int row = 0; row < kOldRows; ++row) {
      const auto lifetime = IsMortal(row) ? Lifetime::For(1h) : Lifetime::Forever();
      ASSERT_TRUE(rows.Put(KeyOf(row), "old", lifetime).ok());
      ASSERT_TRUE(other->Put(KeyOf(row), "other").ok());
    }
    ASSERT_TRUE(database->Reclaim({.everything = true}).has_value());
    for (int row = 0; row < kYoungRows; ++row) {
      ASSERT_TRUE(rows.Put(KeyOf(row * 3), "young").ok());
    }
    ASSERT_TRUE(database->Close().ok());
    // Opening writes the log into young files.
    const auto again = Open("db");
    for (int row = 0; row < kLoggedRows; ++row) {
      ASSERT_TRUE(again->default_keyspace().Put("logged" + std::to_string(row), "l").ok());
    }
    ASSERT_TRUE(again->Close().ok());
  }

  // Salvages "damaged" into "restored", which must be consistent.
  void Salvage(Statistics& statistics) {
    fs::remove(Path("saved"));
    fs::remove_all(Path("restored"));
    {
      const auto damaged = Open("damaged", /*salvage=*/true);
      ASSERT_NE(damaged, nullptr);
      const auto saved = damaged->Backup(Path("saved"));
      ASSERT_TRUE(saved.has_value()) << saved.status().ToString();
      statistics = *damaged->GetStatistics();
    }
    const auto restored = Open("restored");
    const auto report = restored->Restore(Path("saved"));
    ASSERT_TRUE(report.has_value()) << report.status().ToString();
    const auto check = restored->Check();
    ASSERT_TRUE(check.has_value()) << check.status().ToString();
    EXPECT_TRUE(check->clean()) << ::testing::PrintToString(check->findings);
  }

  // How many rows have each value, over all keyspaces.
  std::map<std::string, int> Values() {
    std::map<std::string, int> values;
    const auto restored = Open("restored");
    const auto names = *restored->ListKeyspaces();
    for (const std::string& name : names) {
      const auto keyspace = *restored->OpenKeyspace(name);
      const auto cursor = *keyspace->NewCursor();
      for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
        ++values[std::string(cursor->value())];
      }
    }
    return values;
  }

  // Those in folders, too.
  std::vector<std::string> FilesOf(const std::string& name) {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(Path(name))) {
      if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), Path(name)));
    }
    return files;
  }

  void CopyToDamaged() {
    fs::remove_all(Path("damaged"));
    fs::copy(Path("db"), Path("damaged"), fs::copy_options::recursive);
  }

  // A file whose end holds the latest commits: a log of RocksDB, or a segment.
  bool IsLog(const std::string& name) const {
    return name.ends_with(".log") || name.starts_with("hot/segment-");
  }

  TemporaryDirectory directory_;
  ManualClock clock_{WallTimeFromMs(1'800'000'000'000)};
};

INSTANTIATE_TEST_SUITE_P(Engines, SalvagedBackup,
                         ::testing::Values(StorageEngine::kRocks, StorageEngine::kMemoryFirst),
                         [](const auto& engine) {
                           return engine.param == StorageEngine::kRocks ? "Rocks" : "MemoryFirst";
                         });

TEST_P(SalvagedBackup, EachFileInTurnTakesWhatItHeldAndNothingElse) {
  Fill();
  int less = 0;
  for (const std::string& name : FilesOf("db")) {
    for (const std::string how : {"flipped", "cut", "removed"}) {
      SCOPED_TRACE(fmt::format("{} {}", name, how));
      CopyToDamaged();
      const fs::path file = Path("damaged/" + name);
      if (how != "removed" && fs::file_size(file) == 0) continue;
      if (how == "flipped") Flip(file);
      if (how == "cut") fs::resize_file(file, fs::file_size(file) / 2);
      if (how == "removed") fs::remove(file);
      Statistics statistics;
      ASSERT_NO_FATAL_FAILURE(Salvage(statistics));
      auto values = Values();
      const bool whole = values["other"] == kOldRows && values["young"] == kYoungRows &&
                         values["old"] == kOldRows - kYoungRows && values["l"] == kLoggedRows;
      // A log that ends too early is what a crash leaves.
      const bool told = statistics.damage_seen > 0 || (how == "cut" && IsLog(name));
      EXPECT_TRUE(whole || told) << "a loss without a word";
      // Each of these is in one file, and in none of the others.
      const int lost = (values["l"] < kLoggedRows) + (values["young"] < kYoungRows) +
                       (values["other"] < kOldRows);
      EXPECT_LE(lost, 1) << "more than one file's rows are gone";
      EXPECT_TRUE(whole || name.ends_with(".sst") || IsLog(name));
      less += whole ? 0 : 1;
    }
  }
  EXPECT_GT(less, 5) << "some files hold rows";
}

TEST_P(SalvagedBackup, WhatShowsInsteadOfALostVersionDiesAtItsOwnDeadline) {
  {
    const auto database = Open("db");
    Keyspace& rows = database->default_keyspace();
    ASSERT_TRUE(rows.Put("row", "mortal", Lifetime::For(1h)).ok());
    ASSERT_TRUE(rows.Put("other", "immortal").ok());
    ASSERT_TRUE(database->Reclaim({.everything = true}).has_value());
    ASSERT_TRUE(rows.Put("row", "immortal").ok());
    ASSERT_TRUE(database->Close().ok());
  }
  for (const std::string& name : FilesOf("db")) {
    if (IsLog(name)) fs::remove(Path("db/" + name));
  }
  CopyToDamaged();
  Statistics statistics;
  ASSERT_NO_FATAL_FAILURE(Salvage(statistics));
  EXPECT_EQ(Values(), (std::map<std::string, int>{{"immortal", 1}, {"mortal", 1}}));
  clock_.Advance(1h);
  ASSERT_NO_FATAL_FAILURE(Salvage(statistics));
  EXPECT_EQ(Values(), (std::map<std::string, int>{{"immortal", 1}}));
}

TEST_P(SalvagedBackup, RowsOfAKeyspaceWhoseRecordIsLostAreKeptUnderAnotherName) {
  Fill();
  // The record is in the files of meta alone, which have no row's value.
  CopyToDamaged();
  for (const std::string& name : FilesOf("damaged")) {
    if (!name.ends_with(".sst")) continue;
    std::ifstream stream(Path("damaged/" + name), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    if (bytes.find("meta") != std::string::npos) fs::remove(Path("damaged/" + name));
  }
  Statistics statistics;
  ASSERT_NO_FATAL_FAILURE(Salvage(statistics));
  EXPECT_GT(statistics.damage_seen, 0U);
  const auto restored = Open("restored");
  const auto names = *restored->ListKeyspaces();
  EXPECT_EQ(names, (std::vector<std::string>{"default", "salvaged-2"}));
  EXPECT_EQ((*restored->OpenKeyspace("salvaged-2"))->Count().value(), kOldRows);
  EXPECT_EQ(restored->default_keyspace().Count().value(), kOldRows + kLoggedRows);
}

// The file MAYFLY says that there was one.
TEST_P(SalvagedBackup, TheFolderOfTheLogIsMissedIfThereWasOne) {
  Fill();
  CopyToDamaged();
  fs::remove_all(Path("damaged/hot"));
  Statistics statistics;
  ASSERT_NO_FATAL_FAILURE(Salvage(statistics));
  const bool is_told = GetParam() == StorageEngine::kMemoryFirst;
  EXPECT_EQ(statistics.damage_seen, is_told ? 1U : 0U);
  EXPECT_EQ(Values()["other"], kOldRows) << "which is in tables";
}

TEST_P(SalvagedBackup, TheDamagedDatabaseStaysAsItIs) {
  Fill();
  CopyToDamaged();
  fs::remove(Path("damaged/CURRENT"));
  const auto files = [&] {
    std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> all;
    for (const std::string& name : FilesOf("damaged")) {
      const fs::path file = Path("damaged/" + name);
      all[name] = {fs::file_size(file), fs::last_write_time(file)};
    }
    return all;
  };
  const auto before = files();
  Statistics statistics;
  ASSERT_NO_FATAL_FAILURE(Salvage(statistics));
  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace mayfly
