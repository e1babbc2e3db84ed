// Goal: promises of the headers that were broken once, in corners that only threads or failing
// disks reach. Method: each corner by itself; races run many times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "base/coding.h"
#include "core/layout/keys.h"
#include "core/new_database.h"
#include "core/store/event_log.h"
#include "engine/memory/memory_engine.h"
#include "mayfly/logger.h"
#include "tests/core/each_engine.h"
#include "tests/engine/forwarding_engine.h"
#include "tests/engine/together.h"

namespace mayfly {
namespace {

using engine::suite::RunTogether;

class KeptPromises : public EachEngine {};

TEST_P(KeptPromises, ATtlThatIsKeptInsideATransactionStillCountsFromTheCommit) {
  const auto transaction = *database().Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  ASSERT_TRUE(writer.Put("key", "a", Lifetime::For(Millis(10))).ok());
  clock().Advance(Millis(20));
  const auto append = [](std::optional<Bytes> old) { return std::string(*old) + "b"; };
  ASSERT_TRUE(writer.Update("key", append).ok());
  ASSERT_TRUE(transaction->Commit().ok());
  EXPECT_EQ(rows().Ttl("key").value(), Millis(10));
}

TEST_P(KeptPromises, ABadLifetimeIsRefusedThoughTheConditionDoesNotHold) {
  ASSERT_TRUE(rows().Put("key", "value").ok());
  EXPECT_EQ(
      CodeOf(rows().PutIf("key", "other", PutCondition::Absent(), Lifetime::For(Millis::max()))),
      kInvalid);
  bool ran = false;
  const auto update = [&](std::optional<Bytes>) {
    ran = true;
    return std::string();
  };
  EXPECT_EQ(CodeOf(rows().Update("key", update, Lifetime::For(Millis::max()))), kInvalid);
  EXPECT_FALSE(ran);
}

TEST_P(KeptPromises, APolicySetWhileTheKeyspaceIsDroppedDoesNotBringItBack) {
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    const auto keyspace = *database().CreateKeyspace("name");
    RunTogether({[&] { EXPECT_TRUE(database().DropKeyspace("name").ok()); },
                 [&] {
                   const Status set = keyspace->SetPolicy({.default_ttl = Millis(round + 1)});
                   EXPECT_TRUE(set.ok() || set.code() == kInvalid) << set.ToString();
                 }});
  }
  if (!home_.persistent()) return;
  home_.Reopen();
  EXPECT_EQ(*database().ListKeyspaces(), std::vector<std::string>{"default"});
}

TEST_P(KeptPromises, RowsThatDieDuringTheirRestoreArePurgedLikeOthers) {
  const TemporaryDirectory directory;
  constexpr int kRows = 3000;
  {
    const auto source = *Database::Open({.clock = &clock()});
    for (int i = 0; i < kRows; ++i) {
      const Lifetime lifetime = Lifetime::For(Millis(1 + i % 1000));
      ASSERT_TRUE(source->default_keyspace().Put(std::to_string(i), "", lifetime).ok());
    }
    ASSERT_TRUE(source->Backup(directory.Inside("backup")).has_value());
  }
  std::atomic<bool> restoring{true};
  RunTogether({[&] {
                 EXPECT_TRUE(database().Restore(directory.Inside("backup")).has_value());
                 restoring = false;
               },
               [&] {
                 while (restoring) {
                   if (StatisticsOf(database()).rows > 0) clock().Advance(Millis(1));
                   EXPECT_TRUE(database().Purge().has_value());
                 }
               }});
  clock().Advance(Millis(1000));
  EXPECT_EQ(rows().Count().value(), 0u);
  ASSERT_TRUE(database().Purge().has_value());
  EXPECT_EQ(StatisticsOf(database()).rows, 0u);
}

INSTANTIATE_TEST_SUITE_P(Engines, KeptPromises, AllEngines(), NameOfEngine);

// After everything was trimmed, only this record has the numbers that were given out.
std::uint64_t TrimmedThrough(const engine::Engine& engine) {
  PinnedBytes record;
  EXPECT_TRUE(
      engine.Get({engine::Role::kMeta}, core::MetaKey(core::kMetaEventsTrimmed), record).ok());
  Bytes rest = record.view();
  std::uint64_t through = 0;
  EXPECT_TRUE(EatLittleEndian64(rest, through));
  return through;
}

// Lets other threads run before each commit, so that commits change places.
class Hesitates final : public engine::suite::ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Status DoCommit(const engine::Batch& batch, Durability durability) override {
    for (int i = 0; i < 20; ++i) std::this_thread::yield();
    return ForwardingEngine::DoCommit(batch, durability);
  }
};

TEST(Trimming, OfBeforeItsExtentWasRecordedCountsAsAll) {
  constexpr std::uint64_t kLast = 7;
  constexpr std::uint64_t kThrough = 5;
  std::string record;
  AppendLittleEndian64(record, kLast);
  const std::string old = record;
  AppendLittleEndian64(record, kThrough);
  const auto load = [](const std::string& bytes, std::uint64_t& through) {
    const auto engine = engine::NewMemoryEngine();
    engine::Batch batch;
    batch.Put({engine::Role::kMeta}, core::MetaKey(core::kMetaEventsTrimmed), bytes);
    EXPECT_TRUE(engine->Commit(batch).ok());
    core::EventLog log(*engine, SilentLogger());
    const Status loaded = log.Load();
    through = log.TrimmedThrough();
    return loaded;
  };
  std::uint64_t through = 0;
  EXPECT_TRUE(load(record, through).ok());
  EXPECT_EQ(through, kThrough);
  EXPECT_TRUE(load(old, through).ok());
  EXPECT_EQ(through, kLast);
  for (const std::string& damaged :
       {std::string(), record.substr(1), record + "x", record.substr(8) + record.substr(0, 8)}) {
    EXPECT_EQ(CodeOf(load(damaged, through)), kCorruption);
  }
}

TEST(Trimming, ByTwoAtOnceNeverMakesANumberFreeAgain) {
  ManualClock clock(kStart);
  std::unique_ptr<engine::Engine> made = std::make_unique<Hesitates>(engine::NewMemoryEngine());
  const engine::Engine& engine = *made;
  const auto database = *core::NewDatabase(std::move(made), {.clock = &clock});
  Keyspace& rows = database->default_keyspace();
  ASSERT_TRUE(rows.SetPolicy({.events = EventDetail::kKey}).ok());
  constexpr std::uint64_t kRounds = 3000;
  std::barrier<> start(2);
  std::barrier<> end(2);
  RunTogether({[&] {
                 for (std::uint64_t last = 2; last <= 2 * kRounds; last += 2) {
                   for (const char* key : {"a", "b"}) {
                     EXPECT_TRUE(rows.Put(key, "", Lifetime::Until(clock.Now())).ok());
                   }
                   start.arrive_and_wait();
                   EXPECT_TRUE(database->TrimEvents({.keep_newest = 0}));
                   end.arrive_and_wait();
                   EXPECT_EQ(TrimmedThrough(engine), last);
                 }
               },
               [&] {
                 for (std::uint64_t last = 2; last <= 2 * kRounds; last += 2) {
                   start.arrive_and_wait();
                   EXPECT_TRUE(database->TrimEvents({.through_sequence = last - 1}));
                   end.arrive_and_wait();
                 }
               }});
}

// A disk at which two threads have to arrive before either continues; one that waits too long
// continues alone.
class TwoAtTheDisk final : public engine::suite::ForwardingEngine {
 public:
  TwoAtTheDisk(std::unique_ptr<engine::Engine> inner, std::atomic<bool>& met)
      : ForwardingEngine(std::move(inner)), met_(met) {}

 private:
  Status DoCommit(const engine::Batch& batch, Durability durability) override {
    if (durability == Durability::kDisk) Meet();
    return ForwardingEngine::DoCommit(batch, durability);
  }
  Status DoSync(Durability durability) override {
    if (durability == Durability::kDisk) Meet();
    return ForwardingEngine::DoSync(durability);
  }
  void Meet() {
    constexpr int kLooksMax = 2'000'000;
    ++here_;
    for (int i = 0; i < kLooksMax && !met_; ++i) {
      if (here_ == 2) met_ = true;
      std::this_thread::yield();
    }
    --here_;
  }

  std::atomic<int> here_{0};
  std::atomic<bool>& met_;
};

TEST(Numbering, OfEventsLetsOthersCommitWhileTheDiskIsWaitedFor) {
  ManualClock clock(kStart);
  std::atomic<bool> met{true};
  const auto database =
      *core::NewDatabase(std::make_unique<TwoAtTheDisk>(engine::NewMemoryEngine(), met),
                         {.durability = Durability::kDisk, .clock = &clock});
  Keyspace& rows = database->default_keyspace();
  ASSERT_TRUE(rows.SetPolicy({.events = EventDetail::kKey}).ok());
  met = false;
  RunTogether(2, [&](std::size_t i) {
    EXPECT_TRUE(rows.Put("key" + std::to_string(i), "", Lifetime::Until(clock.Now())).ok());
  });
  EXPECT_TRUE(met) << "one event's fsync keeps the next event out";
  EXPECT_EQ(database->LastEventSequence(), 2u);
}

// An engine whose disk is full when the test says so.
class FullDisk final : public engine::suite::ForwardingEngine {
 public:
  FullDisk(std::unique_ptr<engine::Engine> inner, const std::atomic<bool>& full,
           std::atomic<int>& refused)
      : ForwardingEngine(std::move(inner)), full_(full), refused_(refused) {}

 private:
  Status DoCommit(const engine::Batch& batch, Durability durability) override {
    if (!full_) return ForwardingEngine::DoCommit(batch, durability);
    ++refused_;
    return Status::IoError("no space left on device");
  }

  const std::atomic<bool>& full_;
  std::atomic<int>& refused_;
};

TEST(Reaping, WaitsWhenItCannotPurgeAndGoesOnWhenItCan) {
  std::atomic<bool> full{false};
  std::atomic<int> refused{0};
  ManualClock clock(kStart);
  const auto database =
      *core::NewDatabase(std::make_unique<FullDisk>(engine::NewMemoryEngine(), full, refused),
                         {.purge_on_read = false, .clock = &clock});
  Keyspace& rows = database->default_keyspace();
  ASSERT_TRUE(rows.Put("key", "value", Lifetime::For(Millis(10))).ok());
  const auto reaper = *database->StartReaper();
  full = true;
  clock.Advance(Millis(10));
  reaper->AwaitIdle();
  EXPECT_GE(refused, 1);
  // Enough time for thousands of attempts without a pause.
  const int before = refused;
  const SteadyTime start = SystemClock::Process().Steady();
  for (int i = 0; i < 20'000; ++i) EXPECT_FALSE(rows.Exists("key").value());
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(SystemClock::Process().Steady() - start);
  EXPECT_LE(refused - before, 3 + seconds.count());
  full = false;
  reaper->AwaitIdle();
  EXPECT_EQ(StatisticsOf(*database).rows, 0u);
}

class CountingLogger final : public Logger {
 public:
  bool Wants(LogLevel level) const override { return level >= LogLevel::kWarning; }
  void Write(LogLevel /*level*/, std::string_view line) override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

TEST(TimeRecord, ThatIsRefusedIsLoggedOnceAndSoIsItsEnd) {
  std::atomic<bool> full{false};
  std::atomic<int> refused{0};
  ManualClock clock(kStart);
  CountingLogger logger;
  const auto database =
      *core::NewDatabase(std::make_unique<FullDisk>(engine::NewMemoryEngine(), full, refused),
                         {.clock = &clock, .logger = &logger});
  const auto read_for = [&](int seconds) {
    for (int second = 0; second < seconds; ++second) {
      clock.Advance(Millis(2000));
      EXPECT_FALSE(database->default_keyspace().Exists("key").value());
    }
  };
  full = true;
  read_for(10);
  EXPECT_GE(refused, 10);
  ASSERT_EQ(logger.lines.size(), 1u);
  EXPECT_NE(logger.lines[0].find("not recorded"), std::string::npos) << logger.lines[0];
  full = false;
  read_for(3);
  ASSERT_EQ(logger.lines.size(), 2u);
  EXPECT_NE(logger.lines[1].find("recorded again"), std::string::npos) << logger.lines[1];
}

class ClosesBadly final : public engine::suite::ForwardingEngine {
 public:
  using ForwardingEngine::ForwardingEngine;

 private:
  Status DoClose() override {
    EXPECT_TRUE(ForwardingEngine::DoClose().ok());
    return Status::IoError("the last write failed");
  }
};

TEST(Closing, ThatFailedOnTheDiskIsDone) {
  ManualClock clock(kStart);
  const auto database = *core::NewDatabase(std::make_unique<ClosesBadly>(engine::NewMemoryEngine()),
                                           {.clock = &clock});
  EXPECT_EQ(CodeOf(database->Close()), StatusCode::kIoError);
  EXPECT_EQ(CodeOf(database->default_keyspace().Get("key")), kInvalid);
  EXPECT_EQ(CodeOf(database->Close()), kOk);
}

}  // namespace
}  // namespace mayfly
