// Goal: rows that are about to be purged do not reach the cold store, and a purge that does not come
// stops nothing.
// Method: a policy that calls rows dying by their value; the thread of the engine with a log of some
// segments; a clock that stands still, so that waits end when a test says so.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/hot/hot_engine.h"
#include "engine/hot/testing/cold_disk.h"
#include "mayfly/clock.h"

namespace mayfly::engine::hot {
namespace {

constexpr Address kPurgeTestRows = {.role = Role::kRows};

class DyingPolicy final : public DropPolicy {
 public:
  std::unique_ptr<Judge> NewJudge(Role) const override {
    class ByValue final : public Judge {
      bool IsDead(Bytes, Bytes) override { return false; }
      bool IsBeingPurged(Bytes, Bytes value) override { return value.starts_with("dying"); }
    };
    return std::make_unique<ByValue>();
  }
  std::optional<WallTime> DeadlineOf(Role, Bytes, Bytes) const override { return std::nullopt; }
};

class PurgeWaitTest : public ::testing::Test {
 protected:
  PurgeWaitTest() {
    options_.segment_bytes = 4 * kSegmentBytesMin;
    options_.log_bytes_max = 16 * kSegmentBytesMin;
    options_.reserved_bytes = std::size_t{256} << 20;
    options_.huge_pages = false;
    options_.map_log = false;  // The disk cannot sync a file beside writes to its mapping.
    options_.drop_policy = std::make_shared<DyingPolicy>();
    cold_.OnCommit([this](const Batch& batch) {
      for (std::size_t i = 0; i < batch.change_count(); ++i) {
        if (batch.change(i).value.starts_with("dying")) ++dying_in_cold_;
        if (batch.change(i).value.starts_with("living")) ++living_in_cold_;
      }
    });
    engine_ = *OpenHotEngineOn({.name = "hot",
                                .cold = cold_.Open(),
                                .files = FilesOf(disk_, cold_),
                                .key = nullptr,
                                .clock = &clock_},
                               options_);
  }
  ~PurgeWaitTest() override { EXPECT_TRUE(engine_->Close().ok()); }

  void Put(int i, std::string value) {
    value.resize(1000, '.');
    Batch batch;
    batch.Put(kPurgeTestRows, std::to_string(i), value);
    ASSERT_TRUE(engine_->Commit(batch).ok());
  }
  void Delete(int i) {
    Batch batch;
    batch.Delete(kPurgeTestRows, std::to_string(i));
    ASSERT_TRUE(engine_->Commit(batch).ok());
  }
  bool IsHeldBack() { return engine_->Stats()->commits_held_back; }
  // Puts dying rows until writers are held back, and returns how many. This and the waits below have
  // no bound of their own: ctest has one.
  int FillTheLog() {
    int rows = 0;
    for (; !IsHeldBack(); ++rows) {
      Put(rows, "dying");
      std::this_thread::yield();
    }
    // Beyond the bound. A commit waits a little, however large it is.
    for (std::uint64_t bytes = 0; bytes < 4 * options_.segment_bytes;) {
      Batch batch;
      for (int end = rows + 50; rows < end; ++rows) {
        batch.Put(kPurgeTestRows, std::to_string(rows), "dying" + std::string(1000, '.'));
      }
      EXPECT_TRUE(engine_->Commit(batch).ok());
      bytes += batch.bytes();
    }
    EXPECT_TRUE(IsHeldBack());
    EXPECT_EQ(dying_in_cold_, 0);
    return rows;
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  HotOptions options_;
  FaultyLogDisk disk_;
  ColdDisk cold_{disk_};
  std::atomic<int> dying_in_cold_{0};
  std::atomic<int> living_in_cold_{0};
  std::unique_ptr<Engine> engine_;
};

TEST_F(PurgeWaitTest, WhatIsPurgedMeanwhileDoesNotReachTheColdStore) {
  const int rows = FillTheLog();
  for (int i = 0; i < rows; ++i) Delete(i);
  while (IsHeldBack()) std::this_thread::yield();
  int living = rows;
  while (living_in_cold_ == 0) Put(living++, "living");
  EXPECT_EQ(dying_in_cold_, 0);
}

TEST_F(PurgeWaitTest, WritersAreHeldAtTheBoundUntilRowsAreReplaced) {
  const int rows = FillTheLog();
  Put(rows, "dying");  // It waits a little, and is accepted.
  EXPECT_TRUE(IsHeldBack());
  Batch replacing;
  for (int i = 0; i <= rows; ++i) {
    replacing.Put(kPurgeTestRows, std::to_string(i), "living" + std::string(1000, '.'));
  }
  ASSERT_TRUE(engine_->Commit(replacing).ok());
  while (IsHeldBack()) std::this_thread::yield();
  for (int i = rows; living_in_cold_ == 0; ++i) Put(i, "living");
  EXPECT_EQ(dying_in_cold_, 0);
}

TEST_F(PurgeWaitTest, APurgeThatDoesNotComeIsWaitedForInVainOnce) {
  const int rows = FillTheLog();
  clock_.Advance(kPurgeWaitMax);
  int more = rows;
  while (dying_in_cold_ == 0) Put(more++, "dying");
  // No segment after it is waited for, though time stands still.
  while (dying_in_cold_ < rows) Put(more++, "dying");
}

TEST_F(PurgeWaitTest, AFewRowsThatGoAreNotWaitedFor) {
  int rows = 0;
  for (; dying_in_cold_ == 0; ++rows) Put(rows, rows % 100 == 0 ? "dying" : "living");
  EXPECT_GT(living_in_cold_, 0);
}

TEST_F(PurgeWaitTest, AFlushDoesNotWait) {
  const int rows = FillTheLog();
  EXPECT_TRUE(engine_->Flush().ok());
  EXPECT_EQ(dying_in_cold_, rows);
}

}  // namespace
}  // namespace mayfly::engine::hot
