// Goal: Find() sees what readers hide, in every kind of file, and fails when a file is unreadable.
// Method: rows put into one hiding place each; files read back as RocksDB wrote them.
#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>

#include <filesystem>
#include <fstream>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/rocks/files/limits.h"
#include "engine/rocks/files/log_search.h"
#include "engine/rocks/files/rocks_directory.h"
#include "engine/rocks/rocks_engine.h"
#include "engine/rocks/rocks_profile.h"

namespace mayfly::engine {
namespace {

constexpr Address kAtFound{Role::kRows};

class RocksFindTest : public testing::Test {
 protected:
  void SetUp() override { Open(); }

  void Open(bool read_only = false) {
    engine_.reset();
    auto engine =
        OpenRocksEngine({.directory = Path(), .read_only = read_only, .profile = Profile::kTiny});
    ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
    engine_ = *std::move(engine);
  }
  std::string Path() const { return directory_.Inside("db"); }

  void Put(Bytes key, Bytes value, Address at = kAtFound) {
    Batch batch;
    batch.Put(at, key, value);
    ASSERT_TRUE(engine_->Commit(batch).ok());
  }
  void DeleteRange(Bytes begin, Bytes end) {
    Batch batch;
    batch.DeleteRange(kAtFound, begin, end);
    ASSERT_TRUE(engine_->Commit(batch).ok());
  }
  void Flush() {
    const Status status = engine_->Flush();
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  std::vector<Trace> Find(Bytes needle, std::size_t traces_max = 100) {
    auto traces = engine_->Find(needle, traces_max);
    EXPECT_TRUE(traces.has_value()) << traces.status().ToString();
    return traces ? *std::move(traces) : std::vector<Trace>();
  }

  // "where: what" of each, one per line.
  std::string Told(Bytes needle) {
    std::string told;
    for (const Trace& trace : Find(needle)) told += trace.where + ": " + trace.what + "\n";
    return told;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Engine> engine_;
};

void ExpectSays(const std::string& told, const std::string& part) {
  EXPECT_NE(told.find(part), std::string::npos)
      << "what was expected: " << part << "\nwhat was said:\n"
      << told;
}

TEST_F(RocksFindTest, SeesACommitInTheLog) {
  Put("some key", "the secret");
  ExpectSays(Told("secret"), ".log: a commit in the log");
  ExpectSays(Told("some key"), ".log: a commit in the log");
  EXPECT_EQ(Told("another"), "");
}

TEST_F(RocksFindTest, SeesACommitAcrossTheBlocksOfTheLog) {
  const std::string value = Random(20261115).Bytes(5 * kLogBlockBytes);
  Put("key", value);
  constexpr std::size_t kNeedleBytes = 40;
  for (std::size_t block = 1; block < 5; ++block) {
    // Headers put the blocks' ends a little before these places in the value.
    for (std::size_t before = 110; before > 0; before -= 2) {
      const std::size_t offset = block * kLogBlockBytes - before;
      ASSERT_EQ(Find(Bytes(value).substr(offset, kNeedleBytes), 1).size(), 1u) << offset;
    }
  }
}

TEST_F(RocksFindTest, SeesBytesAcrossTheChunksItReads) {
  const std::string name = Path() + "/stray";
  for (const std::size_t before : {std::size_t{1}, std::size_t{7}, std::size_t{13}}) {
    std::ofstream(name, std::ios::trunc)
        << std::string(2 * kFindChunkBytes - before, '.') << "the stray bytes";
    EXPECT_EQ(Told("the stray bytes"), "stray: bytes of the file\n") << before;
  }
}

TEST_F(RocksFindTest, TellsTheValueFromOldVersionsAndTombstones) {
  Put("key", "the secret of old");
  const auto snapshot = *engine_->NewSnapshot();
  Put("key", "the secret of now");
  Batch batch;
  batch.Delete(kAtFound, "the secret key");
  ASSERT_TRUE(engine_->Commit(batch).ok());
  Flush();
  const std::string told = Told("the secret");
  ExpectSays(told, ".sst: the value of key 'key' in rows");
  ExpectSays(told, ".sst: an old version of key 'key' in rows");
  ExpectSays(told, ".sst: a tombstone of key 'the secret key' in rows");
  EXPECT_EQ(told.find("of now"), std::string::npos) << "a value was printed";
}

// RocksDB's own list of all versions leaves these out.
TEST_F(RocksFindTest, SeesEveryVersionBeneathATombstoneOfARange) {
  Put("key", "the secret of old");
  const auto snapshot = *engine_->NewSnapshot();
  Put("key", "the secret of now");
  Flush();
  DeleteRange("a secret begin", "l");
  Flush();
  ExpectSays(Told("of old"), "an old version of key 'key' in rows");
  ExpectSays(Told("of now"), "an old version of key 'key' in rows");
  ExpectSays(Told("secret begin"), "a tombstone of the keys from 'a secret begin' to 'l' in rows");
}

// Neighbours share the first bytes of their keys, and lower levels are compressed: hardly any key
// is in the raw file. The file is in no state, as a crash may leave it.
TEST_F(RocksFindTest, SeesEveryKeyAndValueOfACompressedFile) {
  constexpr int kKeys = 3000;
  const auto key = [](int i) { return "user:with:a:long:name:" + std::to_string(10000 + i); };
  const auto value = [](int i) { return "value " + std::to_string(i) + std::string(50, 'v'); };
  rocksdb::Options options;
  const RocksSetup setup = SetupRocks({.directory = Path()});
  options.table_factory = setup.families[0].options.table_factory;
  options.compression = rocksdb::kLZ4Compression;
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  ASSERT_TRUE(writer.Open(Path() + "/000003.sst").ok());
  for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(writer.Put(key(i), value(i)).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_LT(writer.FileSize(), std::uint64_t{40} * kKeys) << "not compressed";

  for (int i = 0; i < kKeys; i += 37) {
    ExpectSays(Told(key(i)), "an old version of key '" + key(i) + "' in a file of an older state");
    ExpectSays(Told(value(i)), "an old version of key '" + key(i) + "'");
  }
  EXPECT_EQ(Find("user:with", 50).size(), 50u);
  EXPECT_GE(Find("user:with", std::size_t{2} * kKeys).size(), std::size_t{kKeys});
}

TEST_F(RocksFindTest, SeesEveryRole) {
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const Role role = static_cast<Role>(i);
    const std::string secret = "secret of " + std::string(RoleName(role));
    Put("key", secret, {role});
    ExpectSays(Told(secret), "a commit in the log");
    Flush();
    ExpectSays(Told(secret), "the value of key 'key' in " + std::string(RoleName(role)));
    EXPECT_EQ(Find(secret).size(), 1u);
  }
}

TEST_F(RocksFindTest, SeesAFileThatOnlyACursorStillReads) {
  Put("key", "the secret");
  Flush();
  auto cursor = *engine_->NewCursor(kAtFound);
  DeleteRange("a", "z");
  ASSERT_TRUE(engine_->Compact(Role::kRows).ok());
  Flush();
  EXPECT_EQ(engine_->Stats()->obsolete_files, 1u);
  ExpectSays(Told("the secret"), "an old version of key 'key' in a file of an older state");
  cursor.reset();
  Flush();
  EXPECT_EQ(engine_->Stats()->obsolete_files, 0u);
  EXPECT_EQ(Told("the secret"), "");
}

TEST_F(RocksFindTest, WorksOnAReadOnlyDatabase) {
  Put("settled", "the secret");
  Flush();
  Put("logged", "the secret");
  Open(/*read_only=*/true);
  const std::string told = Told("the secret");
  ExpectSays(told, "the value of key 'settled' in rows");
  ExpectSays(told, "a commit in the log");
  EXPECT_EQ(engine_->Stats()->obsolete_files, 0u);
}

TEST_F(RocksFindTest, SaysThatALiveFileCannotBeRead) {
  Put("key", "the secret");
  Flush();
  const std::string name = (*engine_->Files(Role::kRows))[0].name;
  std::filesystem::resize_file(Path() + "/" + name, 100);
  const auto traces = engine_->Find("absent");
  ASSERT_FALSE(traces.has_value());
  EXPECT_EQ(traces.error().code(), StatusCode::kCorruption);
  ExpectSays(std::string(traces.error().message()), name);
}

TEST_F(RocksFindTest, SurvivesAnyDamageToAFile) {
  for (int i = 0; i < 300; ++i) Put("key" + std::to_string(1000 + i), std::string(30, 'v'));
  DeleteRange("key1100", "key1200");
  ASSERT_TRUE(engine_->Compact(Role::kRows).ok());
  Flush();
  const std::string name = Path() + "/" + (*engine_->Files(Role::kRows))[0].name;
  std::ifstream in(name, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  Random random(20261115);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    damaged[random.Below(damaged.size())] = static_cast<char>(random.Next());
    std::ofstream(name, std::ios::binary | std::ios::trunc) << damaged;
    const auto traces = engine_->Find("absent");
    EXPECT_TRUE(traces.has_value() || traces.error().code() == StatusCode::kCorruption ||
                traces.error().code() == StatusCode::kUnsupported);
  }
  std::ofstream(name, std::ios::binary | std::ios::trunc) << whole;
  EXPECT_EQ(Told("absent"), "");
}

TEST(RocksDirectory, KnowsFilesByTheirNames) {
  EXPECT_EQ(FileNamed("000012.sst").kind, FileKind::kTable);
  EXPECT_EQ(FileNamed("000012.sst").number, 12u);
  EXPECT_EQ(FileNamed("1234567.log").kind, FileKind::kLog);
  EXPECT_EQ(FileNamed("1234567.log").number, 1234567u);
  EXPECT_EQ(FileNamed("MANIFEST-000005").kind, FileKind::kManifest);
  EXPECT_EQ(FileNamed("MANIFEST-000005").number, 5u);
  for (const char* name :
       {"CURRENT", "OPTIONS-000007", "LOG", "x.sst", ".log", "MANIFEST-", "12"}) {
    EXPECT_EQ(FileNamed(name).kind, FileKind::kOther) << name;
    EXPECT_EQ(FileNamed(name).name, name);
  }
}

}  // namespace
}  // namespace mayfly::engine
