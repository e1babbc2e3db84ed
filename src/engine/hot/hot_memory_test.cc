// Goal: memory stays within its budget whatever is written, read or kept open, and what is read again
// and again stays in it.
// Method: the thread of the engine over a cold store in memory that counts reads; budgets of a few
// MiB, and rows for several times as much.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "engine/hot/hot_engine.h"
#include "engine/hot/testing/cold_disk.h"

namespace mayfly::engine::hot {
namespace {

constexpr Address kMemoryTestRows = {.role = Role::kRows};
constexpr std::uint64_t kTestMiB = std::uint64_t{1} << 20;

class HotMemoryTest : public ::testing::Test {
 protected:
  HotMemoryTest() {
    options_.segment_bytes = 4 * kSegmentBytesMin;
    options_.log_bytes_max = 16 * kSegmentBytesMin;
    options_.reserved_bytes = 256 * kTestMiB;
    options_.huge_pages = false;
    options_.map_log = false;  // The disk cannot sync a file beside writes to its mapping.
    options_.memory_bytes_max = kTestMiB;
  }
  ~HotMemoryTest() override {
    if (engine_ != nullptr) {
      EXPECT_TRUE(engine_->Close().ok());
    }
  }

  void Open() {
    auto engine = OpenHotEngineOn(
        {.name = "hot", .cold = cold_.Open(), .files = FilesOf(disk_, cold_), .key = nullptr},
        options_);
    ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
    engine_ = *std::move(engine);
  }
  Status Put(const std::string& key, const std::string& value) {
    Batch batch;
    batch.Put(kMemoryTestRows, key, value);
    return engine_->Commit(batch);
  }
  Status Delete(const std::string& key) {
    Batch batch;
    batch.Delete(kMemoryTestRows, key);
    return engine_->Commit(batch);
  }
  std::string Get(const std::string& key, const Snapshot* snapshot = nullptr) {
    PinnedBytes value;
    const Status read = engine_->Get(kMemoryTestRows, key, value, snapshot);
    return read.ok() ? std::string(value.view()) : read.IsNotFound() ? "-" : read.ToString();
  }
  std::uint64_t Memory() { return engine_->Stats()->memory_bytes; }
  static std::string KeyOf(int i) { return "key " + std::to_string(1'000'000 + i); }

  HotOptions options_;
  FaultyLogDisk disk_;
  ColdDisk cold_{disk_};
  std::unique_ptr<Engine> engine_;
};

TEST_F(HotMemoryTest, NeverGrowsPastItsBudgetHoweverMuchIsWritten) {
  options_.memory_bytes_max = 48 * kTestMiB;
  Open();
  std::uint64_t most = 0;
  for (int i = 0; i < 90'000; ++i) {
    ASSERT_TRUE(Put(KeyOf(i), std::string(1000, 'v')).ok());
    if (i % 100 == 0) most = std::max(most, Memory());
  }
  EXPECT_LE(most, options_.memory_bytes_max);
  EXPECT_GT(most, options_.memory_bytes_max / 2) << "memory is used";
}

// What left was of one size, and what comes is of others: the room between the rows that stayed is
// of no use to these.
TEST_F(HotMemoryTest, NeverGrowsPastItsBudgetWhenTheSizeOfRowsChanges) {
  options_.memory_bytes_max = 32 * kTestMiB;
  Open();
  std::uint64_t most = 0;
  int i = 0;
  for (const std::size_t size : {500U, 1500U, 3000U, 900U}) {
    for (std::size_t bytes = 0; bytes < options_.memory_bytes_max * 3 / 2; bytes += size + 64) {
      ASSERT_TRUE(Put(KeyOf(i++), std::string(size, 'v')).ok());
      if (i % 100 != 0) continue;
      most = std::max(most, Memory());
      // Some rows of every size are in use.
      for (int k = 0; k < 20; ++k) EXPECT_NE(Get(KeyOf(i * k / 20)), "-");
    }
  }
  EXPECT_LE(most, options_.memory_bytes_max);
}

// Rows of many sizes have a slab each that is nearly empty, which no eviction can mend.
TEST_F(HotMemoryTest, RowsOfEverySizeDoNotStopCommits) {
  options_.memory_wait = std::chrono::milliseconds(0);
  options_.memory_bytes_max = kTestMiB;
  Open();
  for (int round = 0; round < 3; ++round) {
    for (std::size_t size = 16; size < kSlabBlockBytesMax; size += size < 512 ? 16 : size / 8) {
      const Status put = Put(KeyOf(static_cast<int>(size)), std::string(size, 'a'));
      ASSERT_TRUE(put.ok()) << size << ": " << put.ToString();
    }
  }
}

// All of it is in use until the commit has been made.
TEST_F(HotMemoryTest, ATransactionLargerThanASmallBudgetIsCommitted) {
  options_.memory_wait = std::chrono::milliseconds(0);
  options_.memory_bytes_max = kTestMiB / 4;
  Open();
  for (int round = 0; round < 3; ++round) {
    const auto state = *engine_->NewSnapshot();
    Batch batch;
    for (int i = 0; i < 8000; ++i) {
      batch.Put(kMemoryTestRows, std::to_string(round) + KeyOf(i), "value");
    }
    const Status committed = engine_->Commit(batch);
    ASSERT_TRUE(committed.ok()) << round << ": " << committed.ToString();
  }
  EXPECT_EQ(Get("0" + KeyOf(7999)), "value");
}

TEST_F(HotMemoryTest, AnOpenSnapshotThatKeepsOldVersionsStopsCommitsAndNotDeletes) {
  options_.memory_wait = std::chrono::milliseconds(0);
  options_.memory_bytes_max = 8 * kTestMiB;
  Open();
  constexpr int kKeys = 4000;
  for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(Put(KeyOf(i), std::string(1000, 'a')).ok());
  auto snapshot = *engine_->NewSnapshot();
  Status refused;
  int changed = 0;
  for (int round = 0; round < 20 && refused.ok(); ++round) {
    // A state per round, so that each keeps versions of its own.
    for (int i = 0; i < kKeys && refused.ok(); ++i) {
      refused = Put("other " + std::to_string(round) + KeyOf(i), std::string(1000, 'b'));
      if (refused.ok()) refused = Put(KeyOf(i), std::string(1000, 'c'));
      if (refused.ok()) changed = std::max(changed, i);
    }
  }
  EXPECT_EQ(refused.code(), StatusCode::kBusy) << refused.ToString();
  EXPECT_NE(refused.message().find("snapshots"), std::string::npos);
  EXPECT_LE(Memory(), options_.memory_bytes_max + kSparseBytesMin);
  EXPECT_EQ(Get(KeyOf(0), snapshot.get()), std::string(1000, 'a'));
  EXPECT_EQ(Get(KeyOf(0)), std::string(1000, 'c'));
  EXPECT_TRUE(Delete(KeyOf(1)).ok());
  // What was refused is not there, and what the snapshot kept makes room again.
  snapshot.reset();
  Status again = Put("again", "value");
  for (int i = 0; i < 1000 && !again.ok(); ++i) again = Put("again", "value");
  EXPECT_TRUE(again.ok()) << again.ToString();
  EXPECT_EQ(Get("again"), "value");
}

// Rows that were never read push out none that are.
TEST_F(HotMemoryTest, RowsThatAreReadAgainStayWhileOthersPassBy) {
  options_.memory_bytes_max = 8 * kTestMiB;
  options_.load_at_open = false;
  constexpr int kAll = 100'000;  // Twice what fits.
  constexpr int kHot = 5000;
  Open();
  for (int i = 0; i < kAll; ++i) ASSERT_TRUE(Put(KeyOf(i), std::string(100, 'v')).ok());
  ASSERT_TRUE(engine_->Flush().ok());
  const auto read_hot = [&] {
    for (int i = 0; i < kHot; ++i) EXPECT_EQ(Get(KeyOf(i * 20)).size(), 100U);
  };
  for (int i = 0; i < 6; ++i) read_hot();
  // Every other row once, and as many new rows; those in use go on to be read.
  for (int i = 0; i < kAll; ++i) {
    EXPECT_EQ(Get(KeyOf(i)).size(), 100U);
    ASSERT_TRUE(Put("new " + KeyOf(i), std::string(100, 'n')).ok());
    if (i % 10'000 == 0) read_hot();
  }
  const std::uint64_t before = cold_.gets();
  read_hot();
  EXPECT_LT(cold_.gets() - before, kHot / 10U);
}

TEST_F(HotMemoryTest, ARowThatIsMissedOncePushesOutNothing) {
  options_.load_at_open = false;
  options_.memory_bytes_max = 8 * kTestMiB;
  constexpr int kAll = 100'000;
  Open();
  for (int i = 0; i < kAll; ++i) ASSERT_TRUE(Put(KeyOf(i), std::string(100, 'v')).ok());
  ASSERT_TRUE(engine_->Flush().ok());
  // There is room again: the last rows are in memory.
  for (int i = kAll * 3 / 4; i < kAll; ++i) ASSERT_TRUE(Delete(KeyOf(i)).ok());
  ASSERT_TRUE(engine_->Flush().ok());
  const auto gets_of = [&](int i) {
    const std::uint64_t before = cold_.gets();
    EXPECT_EQ(Get(KeyOf(i)).size(), 100U);
    return cold_.gets() - before;
  };
  int missed = 0;
  int came_at_once = 0;
  for (int i = 0; i < 500; ++i) {
    if (gets_of(i) == 0) continue;
    ++missed;
    if (gets_of(i) == 0) ++came_at_once;
  }
  EXPECT_GT(missed, 400) << "the first rows have left";
  // But for those that left and are remembered for it: about one in five.
  EXPECT_LT(came_at_once, missed / 2);
}

}  // namespace
}  // namespace mayfly::engine::hot
