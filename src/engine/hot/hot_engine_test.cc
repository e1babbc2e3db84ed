// Goal: memory, log and cold store together are one engine: what is folded, evicted or recovered is
// what was committed, and what nobody needs never reaches the cold store.
// Method: folds by Flush() over a cold store in memory that counts, refuses, and calls back in the
// middle of a fold; rocks below where its files matter.
#include "engine/hot/hot_engine.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "base/temporary_directory.h"
#include "engine/hot/log/log_format.h"
#include "engine/hot/testing/cold_disk.h"

namespace mayfly::engine::hot {
namespace {

constexpr Address kRows = {.role = Role::kRows};

HotOptions TestHotOptions() {
  HotOptions options;
  options.segment_bytes = kSegmentBytesMin;
  options.reserved_bytes = std::size_t{64} << 20;
  options.huge_pages = false;
  options.has_thread = false;
  return options;
}

// Calls dead what begins with "dead".
class DeadPolicy final : public DropPolicy {
 public:
  std::unique_ptr<Judge> NewJudge(Role) const override {
    class ByValue final : public Judge {
      bool IsDead(Bytes, Bytes value) override { return value.starts_with("dead"); }
    };
    return std::make_unique<ByValue>();
  }
  std::optional<WallTime> DeadlineOf(Role, Bytes, Bytes) const override { return std::nullopt; }
};

class HotEngineTest : public ::testing::Test {
 protected:
  ~HotEngineTest() override {
    disk_.Restart();
    cold_.Restart();
    engine_.reset();
    dead_.reset();
  }

  void Open() {
    auto engine = OpenHotEngineOn(
        {.name = "hot", .cold = cold_.Open(), .files = FilesOf(disk_, cold_), .key = nullptr},
        options_);
    ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
    engine_ = *std::move(engine);
  }
  void Kill() {
    disk_.Restart();
    cold_.Restart();
    dead_ = std::move(engine_);
  }
  void Reopen() {
    ASSERT_TRUE(engine_->Close().ok());
    engine_.reset();
    Open();
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
  void Commit(const Batch& batch) {
    const Status committed = engine_->Commit(batch);
    EXPECT_TRUE(committed.ok()) << committed.ToString();
  }
  void Flush() {
    const Status flushed = engine_->Flush();
    EXPECT_TRUE(flushed.ok()) << flushed.ToString();
  }
  std::unique_ptr<Snapshot> NewSnapshot() { return *engine_->NewSnapshot(); }

  std::string Get(Bytes key, const Snapshot* snapshot = nullptr) {
    PinnedBytes value;
    const Status read = engine_->Get(kRows, key, value, snapshot);
    return read.ok() ? std::string(value.view()) : read.IsNotFound() ? "-" : read.ToString();
  }
  std::string Keys(const Snapshot* snapshot = nullptr, bool backwards = false) {
    std::string keys;
    const auto cursor = *engine_->NewCursor(kRows, {.snapshot = snapshot});
    for (backwards ? cursor->SeekToLast() : cursor->SeekToFirst(); cursor->Valid();
         backwards ? cursor->Prev() : cursor->Next()) {
      keys += std::string(cursor->key()) + " ";
    }
    EXPECT_TRUE(cursor->status().ok());
    return keys;
  }

  HotOptions options_ = TestHotOptions();
  FaultyLogDisk disk_;
  ColdDisk cold_{disk_};
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Engine> dead_;  // Of a process that died.
};

TEST_F(HotEngineTest, AKilledProcessLosesNothing) {
  Open();
  Put("a", "1");
  Flush();
  Put("b", "2");
  Delete("a");
  Kill();
  Open();
  EXPECT_EQ(Keys(), "b ");
  EXPECT_EQ(Get("a"), "-");
  EXPECT_EQ(Get("b"), "2");
}

TEST_F(HotEngineTest, WhatIsReplacedOrDeletedBeforeTheFoldReachesNoColdStore) {
  Open();
  for (int i = 0; i < 100; ++i) Put("key", std::to_string(i));
  for (int i = 0; i < 100; ++i) {
    Put("short-lived", "value");
    Delete("short-lived");
  }
  Flush();
  EXPECT_EQ(cold_.puts(), 1u);
  EXPECT_EQ(cold_.deletes(), 0u);
  EXPECT_EQ(Get("key"), "99");
}

TEST_F(HotEngineTest, TheDeadAreDeletedInsteadOfFolded) {
  options_.drop_policy = std::make_shared<DeadPolicy>();
  Open();
  Put("living", "1");
  Put("dead", "dead");
  Put("was living", "2");
  Flush();
  EXPECT_EQ(cold_.puts(), 2u);
  Put("was living", "dead now");
  Flush();
  EXPECT_EQ(Keys(), "living ");
  EXPECT_EQ(cold_.puts(), 2u);
  EXPECT_EQ(cold_.deletes(), 1u) << "over a row of the cold store";
  Reopen();
  EXPECT_EQ(Keys(), "living ");
}

// One batch may put a key twice; the row is as the last one left it.
TEST_F(HotEngineTest, ARowThatLivesAgainInTheSameBatchIsKept) {
  options_.drop_policy = std::make_shared<DeadPolicy>();
  Open();
  Batch batch;
  batch.Put(kRows, "key", "dead");
  batch.Put(kRows, "key", "living");
  Commit(batch);
  Flush();
  EXPECT_EQ(Get("key"), "living");
}

TEST_F(HotEngineTest, ATombstoneReachesTheColdStore) {
  Open();
  Put("key", "value");
  Put("other", "value");
  Flush();
  Delete("key");
  Flush();
  EXPECT_EQ(cold_.deletes(), 1u);
  EXPECT_EQ(Get("key"), "-");
  Kill();
  Open();
  EXPECT_EQ(Get("key"), "-");
  EXPECT_EQ(Keys(), "other ");
}

TEST_F(HotEngineTest, ADeleteOfAKeyThatOnlyTheColdStoreHasHidesIt) {
  Open();
  Put("key", "value");
  Put("other", "value");
  Flush();
  Reopen();
  Delete("key");
  EXPECT_EQ(Get("key"), "-");
  EXPECT_EQ(Keys(), "other ");
  EXPECT_EQ(Keys(nullptr, true), "other ");
  Flush();
  Reopen();
  EXPECT_EQ(Keys(), "other ");
}

// The fold has read the row, and the cold store gets it after the delete.
TEST_F(HotEngineTest, ARowThatIsDeletedWhileItIsFoldedStaysDeleted) {
  Open();
  Put("key", "value");
  cold_.OnCommit([this](const Batch&) { Delete("key"); });
  Flush();
  cold_.OnCommit(nullptr);
  EXPECT_EQ(Get("key"), "-");
  Flush();
  EXPECT_EQ(Get("key"), "-");
  Reopen();
  EXPECT_EQ(Get("key"), "-");
}

TEST_F(HotEngineTest, ARowThatChangesWhileItIsFoldedStaysDirty) {
  Open();
  Put("key", "old");
  cold_.OnCommit([this](const Batch&) { Put("key", "new"); });
  Flush();
  cold_.OnCommit(nullptr);
  Kill();
  Open();
  EXPECT_EQ(Get("key"), "new");
  Flush();
  Reopen();
  EXPECT_EQ(Get("key"), "new");
}

TEST_F(HotEngineTest, SnapshotsShowTheirStateOverFoldsAndEvictions) {
  Open();
  Put("changed", "1");
  Put("deleted", "1");
  Put("kept", "1");
  Flush();
  Reopen();  // Memory is empty now.
  const auto before = NewSnapshot();
  Put("changed", "2");
  Delete("deleted");
  Put("new", "2");
  std::unique_ptr<Snapshot> during;
  cold_.OnCommit([&](const Batch&) {
    if (during == nullptr) during = NewSnapshot();
  });
  Flush();
  cold_.OnCommit(nullptr);
  ASSERT_NE(during, nullptr);
  Put("changed", "3");
  Delete("kept");
  Flush();
  for (const bool backwards : {false, true}) {
    EXPECT_EQ(Keys(before.get(), backwards).size(), std::string("changed deleted kept ").size());
  }
  EXPECT_EQ(Keys(before.get()), "changed deleted kept ");
  EXPECT_EQ(Get("changed", before.get()), "1");
  EXPECT_EQ(Get("deleted", before.get()), "1");
  EXPECT_EQ(Get("new", before.get()), "-");
  EXPECT_EQ(Keys(during.get()), "changed kept new ");
  EXPECT_EQ(Get("changed", during.get()), "2");
  EXPECT_EQ(Get("deleted", during.get()), "-");
  EXPECT_EQ(Keys(), "changed new ");
  EXPECT_EQ(Get("changed"), "3");
}

// The tombstone is in the cold store, but not in what the snapshot shows of it.
TEST_F(HotEngineTest, ATombstoneStaysForASnapshotFromBeforeItsFold) {
  Open();
  Put("key", "value");
  Flush();
  Reopen();
  Delete("key");
  const auto snapshot = NewSnapshot();
  Flush();
  Flush();
  EXPECT_EQ(Get("key", snapshot.get()), "-");
  EXPECT_EQ(Keys(snapshot.get()), "");
}

TEST_F(HotEngineTest, ARangeDeleteHidesRowsOfTheColdStoreAtOnce) {
  Open();
  for (const Bytes key : {"a", "b", "c", "d"}) Put(key, "value");
  Flush();
  Reopen();
  const auto before = NewSnapshot();
  DeleteRange("b", "d");
  Put("c", "again");
  const auto after = NewSnapshot();
  for (int folds = 0; folds < 2; ++folds) {
    EXPECT_EQ(Keys(), "a c d ");
    EXPECT_EQ(Keys(nullptr, true), "d c a ");
    EXPECT_EQ(Get("b"), "-");
    EXPECT_EQ(Get("c"), "again");
    EXPECT_EQ(Keys(before.get()), "a b c d ");
    EXPECT_EQ(Get("b", before.get()), "value");
    EXPECT_EQ(Keys(after.get()), "a c d ");
    EXPECT_EQ(Get("b", after.get()), "-");
    EXPECT_EQ(Get("c", after.get()), "again");
    Flush();
  }
  Kill();
  Open();
  EXPECT_EQ(Keys(), "a c d ");
}

TEST_F(HotEngineTest, AFoldThatFailsIsRepeatedAndLosesNothing) {
  Open();
  Put("a", "1");
  Put("b", "1");
  Flush();
  Put("a", "2");
  Delete("b");
  cold_.Refuse(true);
  EXPECT_EQ(engine_->Flush().code(), StatusCode::kIoError);
  EXPECT_EQ(Get("a"), "2");
  Put("c", "3");
  EXPECT_EQ(Keys(), "a c ");
  cold_.Refuse(false);
  Flush();
  Reopen();
  EXPECT_EQ(Keys(), "a c ");
  EXPECT_EQ(Get("a"), "2");
}

TEST_F(HotEngineTest, WhileEverythingIsResidentAMissAsksNobody) {
  Open();
  Put("key", "value");
  Flush();
  const std::uint64_t before = cold_.gets();
  EXPECT_EQ(Get("missing"), "-");
  EXPECT_EQ(Get("key"), "value");
  EXPECT_EQ(cold_.gets(), before);
  Reopen();  // Rows are in the cold store alone now.
  EXPECT_EQ(Get("missing"), "-");
  EXPECT_GT(cold_.gets(), before);
}

TEST_F(HotEngineTest, ARowThatWasReadFromTheColdStoreIsReadFromMemoryNext) {
  Open();
  Put("key", "value");
  Flush();
  Reopen();
  EXPECT_EQ(Get("key"), "value");
  const std::uint64_t before = cold_.gets();
  EXPECT_EQ(Get("key"), "value");
  EXPECT_EQ(cold_.gets(), before);
  Put("key", "newer");
  Flush();
  EXPECT_EQ(Get("key"), "newer");
}

// Conditions see what only the cold store has.
TEST_F(HotEngineTest, ConditionsHoldOnRowsOfTheColdStore) {
  Open();
  Put("key", "value");
  Put("in range", "value");
  Flush();
  Reopen();
  DeleteRange("in", "in z");
  Batch absent;
  absent.RequireAbsent(kRows, "key");
  EXPECT_EQ(engine_->Commit(absent).code(), StatusCode::kConflict);
  Batch there;
  there.Require(kRows, "key", "value");
  there.RequireAbsent(kRows, "in range");
  EXPECT_TRUE(engine_->Commit(there).ok());
}

TEST_F(HotEngineTest, FlushLeavesNothingOfADeletedRowAnywhere) {
  Open();
  Put("the secret key", "the secret value");
  EXPECT_EQ(engine_->Find("the secret value")->size(), 1u);
  Delete("the secret key");
  EXPECT_FALSE(engine_->Find("the secret value")->empty()) << "in the log";
  Flush();
  EXPECT_TRUE(engine_->Find("the secret value")->empty());
  EXPECT_TRUE(engine_->Find("the secret key")->empty());
}

TEST_F(HotEngineTest, AFullLogDiskRefusesCommitsAndTheFoldMakesRoom) {
  Open();
  Put("before", "1");
  disk_.SetRoom(100'000);
  std::uint64_t accepted = 0;
  for (; accepted < 1000; ++accepted) {
    Batch batch;
    batch.Put(kRows, "key", std::string(1000, 'v'));
    const Status committed = engine_->Commit(batch);
    if (committed.ok()) continue;
    EXPECT_EQ(committed.code(), StatusCode::kIoError);
    break;
  }
  EXPECT_LT(accepted, 1000u);
  EXPECT_EQ(Get("before"), "1");
  Flush();
  Put("after", "2");
  EXPECT_EQ(Keys(), "after before key ");
}

// The page was dropped after the failed sync, and read from the device again.
TEST_F(HotEngineTest, ARecordThatIsLostByAFailedSyncIsDamageAndStillServed) {
  options_.map_log = false;
  Open();
  Put("key", "value");
  disk_.FailAt(disk_.changes(), FaultyLogDisk::Fault::kIoError);
  EXPECT_EQ(engine_->Sync(Durability::kDisk).code(), StatusCode::kIoError);
  EXPECT_EQ(engine_->Stats()->damage_seen, 0u) << "it may be written again";
  std::string& segment = disk_.BytesOf(SegmentName(1));
  segment[kSegmentHeaderBytes + kRecordHeaderBytes] ^= 1;
  EXPECT_EQ(engine_->Flush().code(), StatusCode::kCorruption);
  EXPECT_EQ(engine_->Stats()->damage_seen, 1u);
  EXPECT_NE(engine_->Stats()->first_damage.find(SegmentName(1)), std::string::npos);
  EXPECT_EQ(Get("key"), "value");
}

// With the thread, tiny bounds, and far more rows than memory may hold.
class HotEvictionTest : public HotEngineTest {
 protected:
  HotEvictionTest() {
    options_.has_thread = true;
    options_.map_log = false;  // The disk cannot sync a file beside writes to its mapping.
    options_.log_bytes_max = 2 * kSegmentBytesMin;
    options_.memory_bytes_max = std::uint64_t{512} << 10;
  }
  // Before the disk: the thread may be folding.
  ~HotEvictionTest() override { engine_.reset(); }

  static std::string KeyOf(int i) { return "key " + std::to_string(i); }
};

TEST_F(HotEvictionTest, RowsThatDoNotFitInMemoryAreReadFromTheColdStore) {
  constexpr int kCount = 80'000;
  Open();
  for (int i = 0; i < kCount; ++i) Put(KeyOf(i), std::string(100, 'v') + std::to_string(i));
  for (int i = 0; i < kCount; i += 3) Delete(KeyOf(i));
  std::size_t missing = 0;
  for (int i = 0; i < kCount; ++i) {
    const std::string expected = i % 3 == 0 ? "-" : std::string(100, 'v') + std::to_string(i);
    missing += Get(KeyOf(i)) == expected ? 0U : 1U;
  }
  EXPECT_EQ(missing, 0u);
  std::size_t shown = 0;
  const auto cursor = *engine_->NewCursor(kRows);
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++shown;
  EXPECT_EQ(shown, static_cast<std::size_t>(kCount - (kCount + 2) / 3));
  // All of them would need 12 MiB. Commits wait for no less than this.
  EXPECT_LE(engine_->Stats()->memory_bytes, kStopBytesMin + kSparseBytesMin);
}

TEST_F(HotEvictionTest, TheThreadWritesAgainWhatAFailedSyncLost) {
  Open();
  Put("key", "value");
  disk_.FailAt(disk_.changes(), FaultyLogDisk::Fault::kIoError);
  EXPECT_EQ(engine_->Sync(Durability::kDisk).code(), StatusCode::kIoError);
  while (!engine_->Sync(Durability::kDisk).ok()) std::this_thread::yield();  // ctest has a bound.
  Random random(1);
  disk_.PowerCut(random);
  cold_.PowerCut(random);
  dead_ = std::move(engine_);
  Open();
  EXPECT_EQ(Get("key"), "value");
}

TEST_F(HotEvictionTest, ACursorGoesOnOverRowsThatLeaveMemory) {
  constexpr int kCount = 5000;
  options_.memory_bytes_max = std::uint64_t{4} << 20;
  Open();
  for (int i = 0; i < kCount; ++i) Put(KeyOf(i), std::string(100, 'v'));
  Flush();
  const auto snapshot = NewSnapshot();
  const auto cursor = *engine_->NewCursor(kRows, {.snapshot = snapshot.get()});
  int shown = 0;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    if (++shown != 100) continue;
    // Everything else becomes cold meanwhile.
    for (int i = 0; i < 30'000; ++i) Put("other " + std::to_string(i), std::string(100, 'v'));
  }
  EXPECT_EQ(shown, kCount);
}

// The newest version leaves memory, and comes back from the cold store while an older state is open.
TEST_F(HotEvictionTest, ASnapshotDoesNotSeeARowThatCameBackFromTheColdStore) {
  options_.load_at_open = false;  // Loaded, the old version would keep the row in memory.
  Open();
  Put("key", "old");
  Flush();
  Reopen();
  const auto snapshot = NewSnapshot();
  Put("key", "new");
  bool was_cold = false;
  int next_look = 20'000;
  for (int i = 0; i < 2'000'000 && !was_cold; ++i) {
    Put("other " + std::to_string(i), std::string(100, 'v'));
    if (i < next_look) continue;
    next_look *= 2;  // More and more rarely: a row that is read stays.
    const std::uint64_t before = cold_.gets();
    EXPECT_EQ(Get("key"), "new");
    was_cold = cold_.gets() > before;
  }
  EXPECT_TRUE(was_cold);
  // The thread makes room, and then it comes back.
  bool is_back = false;
  const auto began = std::chrono::steady_clock::now();
  while (!is_back && std::chrono::steady_clock::now() - began < std::chrono::seconds(60)) {
    const std::uint64_t before = cold_.gets();
    EXPECT_EQ(Get("key"), "new");
    is_back = cold_.gets() == before;
    std::this_thread::yield();
  }
  EXPECT_TRUE(is_back);
  EXPECT_EQ(Get("key", snapshot.get()), "old");
  EXPECT_EQ(Keys(snapshot.get()), "key ");
  EXPECT_EQ(Get("key"), "new");
}

// Rocks below.
class HotDirectoryTest : public ::testing::Test {
 protected:
  RocksOptions Rocks() {
    RocksOptions options;
    options.directory = directory_.Inside("database");
    options.profile = Profile::kTiny;
    return options;
  }
  static void Put(Engine& engine, Bytes key, Bytes value) {
    Batch batch;
    batch.Put(kRows, key, value);
    EXPECT_TRUE(engine.Commit(batch).ok());
  }
  static std::string Get(Engine& engine, Bytes key) {
    PinnedBytes value;
    return engine.Get(kRows, key, value).ok() ? std::string(value.view()) : "-";
  }

  TemporaryDirectory directory_;
};

TEST_F(HotDirectoryTest, ADatabaseOfPlainRocksIsTakenOver) {
  {
    const auto rocks = *OpenRocksEngine(Rocks());
    Put(*rocks, "old", "1");
  }
  {
    const auto hot = *OpenHotEngine(Rocks(), TestHotOptions());
    EXPECT_EQ(Get(*hot, "old"), "1");
    Put(*hot, "new", "2");
  }
  const auto refused = OpenRocksEngine(Rocks());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), StatusCode::kInvalid);
  EXPECT_NE(refused.error().message().find("memory-first"), Bytes::npos);
  const auto hot = *OpenHotEngine(Rocks(), TestHotOptions());
  EXPECT_EQ(Get(*hot, "old"), "1");
  EXPECT_EQ(Get(*hot, "new"), "2");
}

TEST_F(HotDirectoryTest, TheLogOfAnEncryptedDatabaseIsEncrypted) {
  RocksOptions rocks = Rocks();
  rocks.password = "a password";
  {
    const auto hot = *OpenHotEngine(rocks, TestHotOptions());
    Put(*hot, "key", "the secret value");
    EXPECT_NE(hot->encryption_key(), nullptr);
    EXPECT_EQ(hot->Find("the secret value")->size(), 1u);
  }
  std::size_t segments = 0;
  for (const auto& entry : std::filesystem::directory_iterator(rocks.directory + "/hot")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(bytes.find("the secret value"), std::string::npos);
    ++segments;
  }
  EXPECT_GT(segments, 0u);
  const auto hot = *OpenHotEngine(rocks, TestHotOptions());
  EXPECT_EQ(Get(*hot, "key"), "the secret value");
}

TEST_F(HotDirectoryTest, ADamagedLogIsCorruption) {
  {
    const auto hot = *OpenHotEngine(Rocks(), TestHotOptions());
    for (int i = 0; i < 10; ++i) Put(*hot, "key", "a value " + std::to_string(i));
    EXPECT_TRUE(hot->Sync(Durability::kDisk).ok());
  }
  const std::string path = Rocks().directory + "/hot/segment-000000000001";
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(8192 + 40);
  file.write("x", 1);
  file.close();
  const auto hot = OpenHotEngine(Rocks(), TestHotOptions());
  ASSERT_FALSE(hot.has_value());
  EXPECT_EQ(hot.error().code(), StatusCode::kCorruption) << hot.error().ToString();
}

}  // namespace
}  // namespace mayfly::engine::hot
