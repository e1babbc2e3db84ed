// Goal: an idle database is left alone: no commit, no fsync, no flush, no listing of files, however
// long, whether or not rows wait for deadlines far away. Method: an engine that counts its calls; a
// reaper; a manual clock that advances second by second.
#include <gtest/gtest.h>

#include <atomic>

#include "base/temporary_directory.h"
#include "core/new_database.h"
#include "engine/hot/hot_engine.h"
#include "engine/rocks/rocks_engine.h"
#include "tests/core/each_engine.h"
#include "tests/engine/forwarding_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

// Shared by the engine and the test that reads it.
struct DiskWork {
  std::atomic<int> commits{0};
  std::atomic<int> persists{0};
  std::atomic<int> flushes{0};
  std::atomic<int> listings{0};

  int total() const { return commits + persists + flushes + listings; }
};

class WatchedEngine final : public engine::suite::ForwardingEngine {
 public:
  WatchedEngine(std::unique_ptr<engine::Engine> inner, DiskWork& work)
      : ForwardingEngine(std::move(inner)), work_(work) {}

 private:
  Status DoCommit(const engine::Batch& batch, Durability durability) override {
    ++work_.commits;
    return ForwardingEngine::DoCommit(batch, durability);
  }
  Status DoSync(Durability durability) override {
    ++work_.persists;
    return ForwardingEngine::DoSync(durability);
  }
  Status DoFlush() override {
    ++work_.flushes;
    return ForwardingEngine::DoFlush();
  }
  Result<std::vector<engine::FileInfo>> DoFiles(engine::Role role) const override {
    ++work_.listings;
    return ForwardingEngine::DoFiles(role);
  }

  DiskWork& work_;
};

class Idle : public ::testing::TestWithParam<StorageEngine> {
 protected:
  Idle() {
    core::StoreOptions options;
    options.horizon = std::make_shared<core::DropHorizon>();
    options.clock = &clock_;
    const engine::RocksOptions rocks = {.directory = directory_.Inside("db"),
                                        .profile = engine::Profile::kTiny,
                                        .drop_policy = options.horizon};
    auto engine = GetParam() == StorageEngine::kRocks
                      ? engine::OpenRocksEngine(rocks)
                      : engine::OpenHotEngine(rocks, {.segment_bytes = 1 << 20});
    EXPECT_TRUE(engine.has_value());
    auto opened =
        core::NewDatabase(std::make_unique<WatchedEngine>(*std::move(engine), work_), options);
    EXPECT_TRUE(opened.has_value()) << opened.status().ToString();
    database_ = *std::move(opened);
  }

  // Lets pending work end: the reaper checks the files once more after the last write.
  void Settle(Reaper& reaper) {
    for (int i = 0; i < 5; ++i) {
      clock_.Advance(1s);
      reaper.AwaitIdle();
    }
  }

  Keyspace& rows() { return database_->default_keyspace(); }

  TemporaryDirectory directory_;
  ManualClock clock_{kStart};
  DiskWork work_;
  std::unique_ptr<Database> database_;
};

INSTANTIATE_TEST_SUITE_P(Engines, Idle,
                         ::testing::Values(StorageEngine::kRocks, StorageEngine::kMemoryFirst),
                         [](const auto& engine) {
                           return engine.param == StorageEngine::kRocks ? "Rocks" : "MemoryFirst";
                         });

TEST_P(Idle, NothingIsWrittenSyncedOrListedWhileNobodyUsesTheDatabase) {
  for (const bool waiting_rows : {false, true}) {
    if (waiting_rows) {
      ASSERT_EQ(CodeOf(rows().Put("far", "value", Lifetime::For(24h))), kOk);
      ASSERT_EQ(CodeOf(rows().Put("gone", "value", Lifetime::For(1s))), kOk);
    }
    const auto reaper = *database_->StartReaper();
    Settle(*reaper);
    const int before = work_.total();
    for (int second = 0; second < 600; ++second) clock_.Advance(1s);
    EXPECT_EQ(work_.total(), before);
  }
}

TEST_P(Idle, ALookThatFindsNothingNewSyncsNothing) {
  ASSERT_EQ(CodeOf(rows().Put("far", "value", Lifetime::For(24h))), kOk);
  const auto reaper = *database_->StartReaper();
  Settle(*reaper);
  const int commits = work_.commits;
  const int persists = work_.persists;
  const int flushes = work_.flushes;
  for (int i = 0; i < 100; ++i) {
    clock_.Advance(1s);
    reaper->AwaitIdle();
  }
  EXPECT_EQ(work_.commits, commits);
  EXPECT_EQ(work_.persists, persists);
  EXPECT_EQ(work_.flushes, flushes);
}

TEST_P(Idle, TheReaperStillWorksAfterALongRest) {
  const auto reaper = *database_->StartReaper();
  ASSERT_EQ(CodeOf(rows().Put("far", "value", Lifetime::For(1h))), kOk);
  Settle(*reaper);
  for (int minute = 0; minute < 59; ++minute) clock_.Advance(1min);
  EXPECT_EQ(StatisticsOf(*database_).rows, 1u);
  const int persists = work_.persists;
  clock_.Advance(1min);
  reaper->AwaitIdle();
  EXPECT_EQ(StatisticsOf(*database_).rows, 0u);
  Settle(*reaper);
  EXPECT_GT(work_.persists, persists) << "compaction was told what is gone";
}

TEST_P(Idle, ReadsRecordTheTimeOnceASecondAndNoMore) {
  ASSERT_EQ(CodeOf(rows().Put("key", "value", Lifetime::For(24h))), kOk);
  const int before = work_.commits;
  for (int i = 0; i < 10'000; ++i) {
    clock_.Advance(1ms);
    EXPECT_TRUE(rows().Exists("key").value());
  }
  EXPECT_LE(work_.commits - before, 10);
  EXPECT_GE(work_.commits - before, 9);
}

}  // namespace
}  // namespace mayfly
