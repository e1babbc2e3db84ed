// Goal: after opening, rows of the cold store come to memory, and a miss then asks nobody; whatever
// happens meanwhile, and whether all of them fit or not, what is shown is what was committed.
// Method: steps of few rows, one per Flush(), over a cold store in memory that counts reads; seeded
// plays against a map; then the same with the thread.
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <thread>

#include "base/random.h"
#include "engine/hot/hot_engine.h"
#include "engine/hot/testing/cold_disk.h"

namespace mayfly::engine::hot {
namespace {

using LoadedRows = std::map<std::pair<Role, std::string>, std::string>;

class HotLoadTest : public ::testing::Test {
 protected:
  HotLoadTest() {
    options_.segment_bytes = kSegmentBytesMin;
    options_.reserved_bytes = std::size_t{64} << 20;
    options_.huge_pages = false;
    options_.map_log = false;  // The disk cannot sync a file beside writes to its mapping.
    options_.has_thread = false;
    options_.load_step_rows = 3;
  }

  void Open() {
    auto engine = OpenHotEngineOn(
        {.name = "hot", .cold = cold_.Open(), .files = FilesOf(disk_, cold_), .key = nullptr},
        options_);
    ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
    engine_ = *std::move(engine);
  }
  void Reopen() {
    ASSERT_TRUE(engine_->Close().ok());
    engine_.reset();
    Open();
  }
  void Flush() { EXPECT_TRUE(engine_->Flush().ok()); }

  void Put(Role role, const std::string& key, const std::string& value) {
    Batch batch;
    batch.Put({.role = role}, key, value);
    ASSERT_TRUE(engine_->Commit(batch).ok());
    rows_[{role, key}] = value;
  }
  void Delete(Role role, const std::string& key) {
    Batch batch;
    batch.Delete({.role = role}, key);
    ASSERT_TRUE(engine_->Commit(batch).ok());
    rows_.erase({role, key});
  }
  void DeleteRange(Role role, const std::string& begin, const std::string& end) {
    Batch batch;
    batch.DeleteRange({.role = role}, begin, end);
    ASSERT_TRUE(engine_->Commit(batch).ok());
    rows_.erase(rows_.lower_bound({role, begin}), rows_.lower_bound({role, end}));
  }
  // Rows that are in the cold store alone.
  void PutAndReopen(int count) {
    Open();
    for (int i = 0; i < count; ++i) {
      Put(i % 3 == 0 ? Role::kMeta : Role::kRows, KeyOf(i), std::to_string(i) + ValueEnd());
    }
    Flush();
    Reopen();
  }

  // False when a miss asks the cold store.
  bool IsResident() {
    const std::uint64_t before = cold_.gets();
    PinnedBytes value;
    EXPECT_TRUE(engine_->Get({.role = Role::kRows}, "no such key", value).IsNotFound());
    return cold_.gets() == before;
  }

  void Check(const LoadedRows& expected, const Snapshot* snapshot = nullptr) {
    LoadedRows shown;
    for (std::size_t role = 0; role < kRoleCount; ++role) {
      const auto cursor =
          *engine_->NewCursor({.role = static_cast<Role>(role)}, {.snapshot = snapshot});
      for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
        shown[{static_cast<Role>(role), std::string(cursor->key())}] = cursor->value();
      }
      EXPECT_TRUE(cursor->status().ok());
    }
    EXPECT_TRUE(shown == expected);
  }
  void CheckGet(const LoadedRows& expected, Role role, const std::string& key,
                const Snapshot* snapshot = nullptr) {
    PinnedBytes value;
    const Status read = engine_->Get({.role = role}, key, value, snapshot);
    const auto found = expected.find({role, key});
    ASSERT_EQ(read.ok(), found != expected.end()) << key;
    if (!read.ok()) return;
    EXPECT_EQ(value.view(), found->second);
  }

  void Change(Random& random, int keys) {
    const Role role = random.Below(2) == 0 ? Role::kRows : Role::kMeta;
    const std::string key = KeyOf(static_cast<int>(random.Below(static_cast<std::uint64_t>(keys))));
    switch (random.Below(8)) {
      case 0: return DeleteRange(role, key, key + "~");
      case 1:
      case 2:
      case 3: return Delete(role, key);
      default: return Put(role, key, std::to_string(random.Below(1000)) + ValueEnd());
    }
  }

  static std::string KeyOf(int i) { return "key " + std::to_string(i); }
  static std::string ValueEnd() { return std::string(100, 'v'); }

  HotOptions options_;
  FaultyLogDisk disk_;
  ColdDisk cold_{disk_};
  std::unique_ptr<Engine> engine_;
  LoadedRows rows_;
};

TEST_F(HotLoadTest, AMissAsksNobodyOnceAllRowsAreLoaded) {
  PutAndReopen(20);
  EXPECT_FALSE(IsResident());
  int steps = 0;
  for (; steps < 100 && !IsResident(); ++steps) Flush();
  EXPECT_GT(steps, 20 / 3);
  EXPECT_LT(steps, 100);
  const std::uint64_t before = cold_.gets();
  for (int i = 0; i < 20; ++i) {
    CheckGet(rows_, Role::kRows, KeyOf(i));
    CheckGet(rows_, Role::kMeta, KeyOf(i));
  }
  Check(rows_);
  EXPECT_EQ(cold_.gets(), before);
}

TEST_F(HotLoadTest, WithoutTheOptionNothingIsLoaded) {
  options_.load_at_open = false;
  PutAndReopen(20);
  for (int i = 0; i < 100; ++i) Flush();
  EXPECT_FALSE(IsResident());
  Check(rows_);
}

// Calls dead what begins with "dead".
class DeadRowsPolicy final : public DropPolicy {
 public:
  std::unique_ptr<Judge> NewJudge(Role) const override {
    class ByValue final : public Judge {
      bool IsDead(Bytes, Bytes value) override { return value.starts_with("dead"); }
    };
    return std::make_unique<ByValue>();
  }
  std::optional<WallTime> DeadlineOf(Role, Bytes, Bytes) const override { return std::nullopt; }
};

TEST_F(HotLoadTest, DeadRowsAreDeletedInsteadOfLoaded) {
  Open();
  for (int i = 0; i < 60; ++i) {
    Put(Role::kRows, KeyOf(i), (i % 3 == 0 ? "dead" : "living") + ValueEnd());
  }
  Flush();
  ASSERT_TRUE(engine_->Close().ok());
  engine_.reset();
  options_.drop_policy = std::make_shared<DeadRowsPolicy>();  // They die while it is closed.
  Open();
  auto snapshot = *engine_->NewSnapshot();
  const LoadedRows before = rows_;
  std::erase_if(rows_, [](const auto& row) { return row.second.starts_with("dead"); });
  for (int i = 0; i < 100 && !IsResident(); ++i) Flush();
  EXPECT_TRUE(IsResident());
  const std::uint64_t gets = cold_.gets();
  Check(rows_);
  CheckGet(rows_, Role::kRows, KeyOf(0));
  EXPECT_EQ(cold_.gets(), gets);
  Check(before, snapshot.get());
  snapshot.reset();
  // The key lives again, and is not taken for the one that died.
  Put(Role::kRows, KeyOf(0), "new");
  Delete(Role::kRows, KeyOf(3));
  Flush();
  EXPECT_EQ(cold_.deletes(), 20U);
  Check(rows_);
  Reopen();
  Check(rows_);
}

// Its rows came to memory as of a later view, so memory does not show them to it.
TEST_F(HotLoadTest, ASnapshotFromBeforeTheLoadGoesOnToReadTheColdStore) {
  PutAndReopen(20);
  const LoadedRows before = rows_;
  const auto snapshot = *engine_->NewSnapshot();
  Put(Role::kRows, KeyOf(1), "new");
  Delete(Role::kRows, KeyOf(2));
  Flush();  // A later view.
  for (int i = 0; i < 100; ++i) Flush();
  EXPECT_TRUE(IsResident());
  for (int i = 0; i < 20; ++i) CheckGet(before, Role::kRows, KeyOf(i), snapshot.get());
  Check(before, snapshot.get());
  Check(rows_);
}

TEST_F(HotLoadTest, RowsThatDoNotFitAreReadFromTheColdStore) {
  options_.has_thread = true;
  options_.load_step_rows = 100;
  PutAndReopen(30'000);  // 5 MiB.
  ASSERT_TRUE(engine_->Close().ok());
  engine_.reset();
  options_.has_thread = false;
  options_.memory_bytes_max = std::uint64_t{256} << 10;
  Open();
  for (int i = 0; i < 100; ++i) Flush();
  EXPECT_FALSE(IsResident());
  EXPECT_LE(engine_->Stats()->memory_bytes, options_.memory_bytes_max + kSparseBytesMin);
  Check(rows_);
}

TEST_F(HotLoadTest, ChangesAndFoldsDuringTheLoadAreKept) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    options_.load_step_rows = 1 + random.Below(6);
    if (engine_ == nullptr) {
      PutAndReopen(60);
    } else {
      Reopen();
    }
    std::unique_ptr<Snapshot> snapshot;
    LoadedRows of_snapshot;
    for (int i = 0; i < 150; ++i) {
      if (random.Below(3) == 0) Flush();
      Change(random, 60);
      // In the middle of a fold, too.
      if (random.Below(20) == 0) {
        bool is_inside = false;
        cold_.OnCommit([&](const Batch&) {
          if (std::exchange(is_inside, true)) return;
          Change(random, 60);
        });
        Flush();
        cold_.OnCommit(nullptr);
      }
      if (random.Below(25) == 0) {
        snapshot = *engine_->NewSnapshot();
        of_snapshot = rows_;
      }
      const std::string key = KeyOf(static_cast<int>(random.Below(60)));
      CheckGet(rows_, Role::kRows, key);
      if (snapshot) CheckGet(of_snapshot, Role::kRows, key, snapshot.get());
      if (random.Below(10) != 0) continue;
      Check(rows_);
      if (snapshot) Check(of_snapshot, snapshot.get());
    }
    snapshot.reset();
    for (int i = 0; i < 80; ++i) Flush();
    EXPECT_TRUE(IsResident());
    Check(rows_);
    if (HasFailure()) return;
  }
}

// With the thread.
class HotLoadThreadTest : public HotLoadTest {
 protected:
  HotLoadThreadTest() {
    options_.has_thread = true;
    options_.log_bytes_max = 2 * kSegmentBytesMin;
    options_.load_step_rows = 16;
  }
};

TEST_F(HotLoadThreadTest, ALoadEndsBehindReadsAndChanges) {
  PutAndReopen(5000);
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    Change(random, 5000);
    const int read = static_cast<int>(random.Below(5000));
    CheckGet(rows_, i % 2 == 0 ? Role::kRows : Role::kMeta, KeyOf(read));
    if (i % 5000 == 0) Check(rows_);
  }
  while (!IsResident()) std::this_thread::yield();
  Check(rows_);
  for (int i = 0; i < 5000; ++i) CheckGet(rows_, Role::kRows, KeyOf(i));
}

TEST_F(HotLoadThreadTest, EvictionsEndTheLoadAndNothingIsLost) {
  options_.memory_bytes_max = std::uint64_t{512} << 10;
  PutAndReopen(2500);
  Random random(2);
  for (int i = 0; i < 20'000; ++i) {
    Change(random, 10'000);
    CheckGet(rows_, Role::kRows, KeyOf(static_cast<int>(random.Below(10'000))));
  }
  Check(rows_);
  EXPECT_FALSE(IsResident());
}

TEST_F(HotLoadThreadTest, CloseEndsTheLoad) {
  options_.load_step_rows = 1;
  PutAndReopen(5000);
  for (int i = 0; i < 20; ++i) Reopen();
  Check(rows_);
}

}  // namespace
}  // namespace mayfly::engine::hot
