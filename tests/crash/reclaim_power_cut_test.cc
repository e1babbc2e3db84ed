// Goal: compaction drops only what is durably purged: after a power cut rows, index, counters and
// events are consistent, whatever files were dropped or rewritten just before. Method: a database
// on a disk that forgets unsynced bytes purges and reclaims until the power fails; it is opened
// again and checked; many rounds on one database. A database that publishes its horizon before the
// purges are on disk must be caught. MAYFLY_SEED repeats a run, MAYFLY_ROUNDS lengthens it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "base/testing/environment.h"
#include "core/new_database.h"
#include "engine/rocks/rocks_engine.h"
#include "engine/rocks/testing/faulty_disk.h"
#include "tests/core/database_home.h"
#include "tests/engine/forwarding_engine.h"

namespace mayfly::crash {
namespace {

// Reports that everything is on disk without syncing.
class SkipsPersist final : public engine::suite::ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;
  Status DoSync(Durability) override { return {}; }
};

class Dark {
 public:
  Dark(std::uint64_t seed, bool skips_persist) : random_(seed), skips_persist_(skips_persist) {}

  // One run until the power fails. Returns what is wrong afterwards, or nothing.
  std::string Round() {
    if (const Status opened = Open(); !opened.ok()) return opened.ToString();
    disk_.CutPowerAt(random_.Between(100, 2000));
    WorkUntilDark();
    database_.reset();
    lost_bytes_ += disk_.DropUnsynced(random_);
    if (const Status opened = Open(); !opened.ok()) return "it does not open: " + opened.ToString();
    std::string wrong = Check();
    database_.reset();
    return wrong;
  }

  std::uint64_t lost_bytes() const { return lost_bytes_; }
  std::uint64_t files_given_back() const { return files_given_back_; }

 private:
  Status Open() {
    const auto horizon = std::make_shared<core::DropHorizon>();
    MAYFLY_TRY(auto engine, engine::OpenRocksEngine({.directory = directory_.Inside("db"),
                                                     .profile = engine::Profile::kTiny,
                                                     .write_buffer_bytes = 32 << 10,
                                                     .drop_policy = horizon,
                                                     .env = disk_.env()}));
    if (skips_persist_) engine = std::make_unique<SkipsPersist>(std::move(engine));
    MAYFLY_TRY(database_,
               core::NewDatabase(std::move(engine), {.horizon = horizon, .clock = &clock_}));
    return database_->default_keyspace().SetPolicy({.events = EventDetail::kKey});
  }

  // Heaps of rows that die together, big enough to become files by themselves.
  void WorkUntilDark() {
    Keyspace& rows = database_->default_keyspace();
    for (;;) {
      for (int row = 0; row < 60; ++row) {
        const Lifetime lifetime = Lifetime::For(Millis(1 + random_.Below(20)));
        const std::string key = fmt::format("row{:08}", next_++);
        if (!rows.Put(key, random_.Bytes(random_.Between(10, 2000)), lifetime).ok()) return;
      }
      if (random_.OneIn(2) && !database_->Sync(Durability::kDisk).ok()) return;
      clock_.Advance(Millis(random_.Between(1, 30)));
      if (!database_->Purge().has_value()) return;
      const auto report = database_->Reclaim({.dead_percent = 1, .everything = random_.OneIn(8)});
      if (!report) return;
      files_given_back_ += report->files_dropped + report->files_rewritten;
    }
  }

  std::string Check() {
    const auto check = database_->Check();
    if (!check) return check.status().ToString();
    if (!check->clean()) return "the check found: " + check->findings.at(0);
    const auto events = database_->ReadEvents(0, SIZE_MAX);
    if (!events) return events.status().ToString();
    std::set<std::string> died;
    for (const Event& event : *events) {
      if (!died.insert(event.key).second) return event.key + " died twice";
    }
    // No key is written twice: a dead row must not live again.
    const auto cursor = database_->default_keyspace().NewCursor();
    if (!cursor) return cursor.status().ToString();
    for ((*cursor)->SeekToFirst(); (*cursor)->Valid(); (*cursor)->Next()) {
      if (died.contains(std::string((*cursor)->key()))) return "the dead are back";
    }
    return (*cursor)->status().ok() ? "" : (*cursor)->status().ToString();
  }

  TemporaryDirectory directory_;
  engine::FaultyDisk disk_;
  ManualClock clock_{kStart};
  Random random_;
  const bool skips_persist_;
  std::uint64_t next_ = 0;
  std::uint64_t lost_bytes_ = 0;
  std::uint64_t files_given_back_ = 0;
  std::unique_ptr<Database> database_;
};

TEST(ReclaimPowerCut, LeavesADatabaseThatFitsTogether) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  const std::uint64_t rounds = NumberFromEnvironment("MAYFLY_ROUNDS", 15);
  fmt::print("MAYFLY_SEED={} MAYFLY_ROUNDS={}\n", seed, rounds);
  Dark dark(seed, /*skips_persist=*/false);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    ASSERT_EQ(dark.Round(), "") << "in round " << round << " of MAYFLY_SEED=" << seed;
  }
  EXPECT_GT(dark.lost_bytes(), 0u);
  EXPECT_GT(dark.files_given_back(), rounds) << "hardly a file was touched";
  fmt::print("{} files given back, {} bytes lost\n", dark.files_given_back(), dark.lost_bytes());
}

// The check must catch what "durable before published" is for, or it proves nothing.
TEST(ReclaimPowerCut, WouldCatchAHorizonThatIsPublishedBeforeItIsOnDisk) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  fmt::print("MAYFLY_SEED={}\n", seed);
  constexpr int kDatabases = 20;
  constexpr int kRounds = 10;
  for (int database = 0; database < kDatabases; ++database) {
    Dark dark(seed + static_cast<std::uint64_t>(database), /*skips_persist=*/true);
    for (int round = 0; round < kRounds; ++round) {
      const std::string wrong = dark.Round();
      if (wrong.empty()) continue;
      fmt::print("caught in round {} of database {}: {}\n", round, database, wrong);
      return;
    }
  }
  FAIL() << "not caught; MAYFLY_SEED=" << seed;
}

}  // namespace
}  // namespace mayfly::crash
