// Goal: a check finds inconsistencies, names them, and repairs them from the rows.
// Method: damage is planted through the engine, beneath an open database or while it is closed.
#include <gtest/gtest.h>

#include "base/coding.h"
#include "core/database_home.h"
#include "core/each_engine.h"
#include "core/keyspaces/keyspace_state.h"
#include "core/layout/keys.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::EntryKey;
using core::KeyspaceId;
using core::RowKey;

constexpr engine::Address kRows{engine::Role::kRows};
constexpr engine::Address kExpiry{engine::Role::kExpiry};
constexpr engine::Address kMeta{engine::Role::kMeta};
constexpr KeyspaceId kDefault = 1;  // The first keyspace.

// A database whose engine the test can reach.
class Checking : public ::testing::TestWithParam<EngineKind> {
 protected:
  Checking() { Open(); }

  void Open() {
    auto engine = GetParam() == EngineKind::kMemory
                      ? Result<std::unique_ptr<engine::Engine>>(engine::NewMemoryEngine())
                      : engine::OpenRocksEngine({.directory = directory_.Inside("db"),
                                                 .profile = engine::Profile::kTiny});
    ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
    engine_ = engine->get();
    auto database = core::NewDatabase(*std::move(engine), {.clock = &clock_});
    ASSERT_TRUE(database.has_value()) << database.status().ToString();
    database_ = *std::move(database);
  }

  void Put(Bytes key, Lifetime lifetime = Lifetime::Default()) {
    ASSERT_EQ(CodeOf(rows().Put(key, "value", lifetime)), kOk);
  }

  void Plant(const std::function<void(engine::Batch&)>& damage) {
    engine::Batch batch;
    damage(batch);
    ASSERT_EQ(CodeOf(engine_->Commit(batch)), kOk);
  }

  CheckReport Check(bool repair = false) {
    const auto report = database_->Check({.repair = repair});
    EXPECT_TRUE(report.has_value()) << report.status().ToString();
    return report.value_or(CheckReport{});
  }

  // One finding, which names `word`; a repair mends it alone.
  void ExpectFoundAndMended(const char* word) {
    const CheckReport found = Check();
    EXPECT_FALSE(found.clean());
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_NE(found.findings[0].find(word), std::string::npos) << found.findings[0];
    EXPECT_EQ(found.repaired, 0u) << "a check that is not asked to mend changes nothing";
    EXPECT_FALSE(Check().clean());
    const CheckReport mended = Check(true);
    EXPECT_FALSE(mended.clean()) << "tells what it found";
    EXPECT_EQ(mended.repaired, 1u);
    EXPECT_TRUE(Check().clean());
    EXPECT_EQ(Check(true).repaired, 0u);
  }

  Keyspace& rows() { return database_->default_keyspace(); }

  TemporaryDirectory directory_;
  ManualClock clock_{kStart};
  std::unique_ptr<Database> database_;
  engine::Engine* engine_ = nullptr;  // database_'s.
};

TEST_P(Checking, FindsNothingInASoundDatabase) {
  EXPECT_TRUE(Check().clean());
  for (int i = 0; i < 500; ++i) {
    Put(std::to_string(i % 300), i % 3 == 0 ? Lifetime::Forever() : Lifetime::For(Millis(i + 1)));
  }
  ASSERT_TRUE(rows().Delete("7").value());
  clock_.Advance(200ms);
  ASSERT_EQ(CodeOf(database_->Purge({.rows_max = 50})), kOk);
  const CheckReport report = Check();
  EXPECT_TRUE(report.clean());
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.rows, StatisticsOf(*database_).rows);
  EXPECT_EQ(report.entries, StatisticsOf(*database_).mortal_rows);
  EXPECT_EQ(Check(true).repaired, 0u);
}

TEST_P(Checking, MendsARowWhoseDeadlineIsNotInTheIndex) {
  Put("key", Lifetime::For(5ms));
  Plant([](engine::Batch& b) { b.Delete(kExpiry, EntryKey(kDefault, kStart + 5ms, "key")); });
  EXPECT_EQ(Check().missing_entries, 1u);
  ExpectFoundAndMended("key");
  clock_.Advance(5ms);
  EXPECT_EQ(database_->Purge().value().rows, 1u) << "now it can be purged";
}

TEST_P(Checking, AMendedEntryIsFoundByPurgesThatHadPassedIt) {
  Put("lost", Lifetime::For(5ms));
  Put("other", Lifetime::For(10ms));
  Plant([](engine::Batch& b) { b.Delete(kExpiry, EntryKey(kDefault, kStart + 5ms, "lost")); });
  clock_.Advance(10ms);
  EXPECT_EQ(database_->Purge().value().rows, 1u);
  EXPECT_EQ(Check(true).missing_entries, 1u);
  EXPECT_EQ(database_->Purge().value().rows, 1u);
}

TEST_P(Checking, MendsAnEntryWithoutARow) {
  Put("key");
  Plant([](engine::Batch& b) { b.Put(kExpiry, EntryKey(kDefault, kStart + 5ms, "gone"), {}); });
  EXPECT_EQ(Check().stale_entries, 1u);
  ExpectFoundAndMended("gone");
}

TEST_P(Checking, MendsAnEntryOfAnotherDeadlineThanItsRows) {
  Put("key", Lifetime::For(50ms));
  Plant([](engine::Batch& b) { b.Put(kExpiry, EntryKey(kDefault, kStart + 5ms, "key"), {}); });
  EXPECT_EQ(Check().stale_entries, 1u);
  ExpectFoundAndMended("key");
  EXPECT_EQ(rows().Ttl("key").value(), 50ms);
}

TEST_P(Checking, APurgeTidiesAStaleEntryAndLeavesTheRow) {
  Put("key", Lifetime::For(50ms));
  Plant([](engine::Batch& b) { b.Put(kExpiry, EntryKey(kDefault, kStart + 5ms, "key"), {}); });
  clock_.Advance(5ms);
  const PurgeReport report = database_->Purge().value();
  EXPECT_EQ(report.rows, 0u);
  EXPECT_EQ(report.stale_entries, 1u);
  EXPECT_EQ(database_->GetStatistics().value().stale_entries, 1u);
  EXPECT_TRUE(rows().Exists("key").value());
  EXPECT_TRUE(Check().clean());
}

TEST_P(Checking, MendsAnEntryThatIsNone) {
  Put("key", Lifetime::For(50ms));
  Plant([](engine::Batch& b) { b.Put(kExpiry, core::KeyspaceBegin(kDefault) + "short", {}); });
  EXPECT_EQ(Check().stale_entries, 1u);
  clock_.Advance(1h);
  EXPECT_EQ(CodeOf(database_->Purge()), kCorruption) << "a purge does not guess";
  ExpectFoundAndMended("short");
  EXPECT_EQ(database_->Purge().value().rows, 1u);
}

TEST_P(Checking, MendsAWrongCount) {
  Put("key", Lifetime::For(50ms));
  const core::Counter counter = core::CounterOf(core::StripeOf(kDefault, "key"));
  Plant([&](engine::Batch& b) {
    b.Put(kMeta, core::CounterKey(kDefault, counter),
          core::EncodeCounters({.rows = 8, .mortal = 3}));
  });
  EXPECT_EQ(Check().wrong_counts, 1u);
  ExpectFoundAndMended("counters");
  EXPECT_EQ(rows().Count().value(), 1u);
  EXPECT_EQ(StatisticsOf(*database_).mortal_rows, 1u);
}

TEST_P(Checking, ACommitOfManyRowsBooksThemAllOnOneCounter) {
  ASSERT_EQ(
      CodeOf(database_->Transact([&](Transaction& transaction) {
        for (int i = 0; i < 100; ++i) {
          const std::string key = std::to_string(i);
          MAYFLY_RETURN_IF_ERROR(transaction.In(rows()).Put(key, "value", Lifetime::For(5ms)));
        }
        return Status();
      })),
      kOk);
  const auto cursor = *engine_->NewCursor(kMeta);
  cursor->SeekAtOrAfter(core::MetaKey(core::kMetaCounters, kDefault));
  core::Counters booked;
  ASSERT_EQ(CodeOf(core::DecodeCounters(cursor->value(), booked)), kOk);
  EXPECT_EQ(booked, (core::Counters{.rows = 100, .mortal = 100}));
  clock_.Advance(5ms);
  EXPECT_EQ(database_->Purge().value().rows, 100u);
  EXPECT_TRUE(Check().clean()) << "whatever stripes the purge booked on, the sum is right";
  EXPECT_EQ(StatisticsOf(*database_).rows, 0u);
}

TEST_P(Checking, MendsACountThatCannotBeRead) {
  Put("key");
  const core::Counter counter = core::CounterOf(core::StripeOf(kDefault, "key"));
  Plant([&](engine::Batch& b) { b.Put(kMeta, core::CounterKey(kDefault, counter), "\xff"); });
  EXPECT_EQ(Check().wrong_counts, 1u);
  ExpectFoundAndMended(std::to_string(counter).c_str());
}

TEST_P(Checking, MendsCountsOfRowsThatWereTakenAway) {
  Put("key", Lifetime::For(50ms));
  Plant([](engine::Batch& b) {
    b.Delete(kRows, RowKey(kDefault, "key"));
    b.Delete(kExpiry, EntryKey(kDefault, kStart + 50ms, "key"));
  });
  EXPECT_EQ(Check().wrong_counts, 1u);
  EXPECT_EQ(Check(true).repaired, 1u);
  EXPECT_EQ(rows().Count().value(), 0u);
  EXPECT_EQ(StatisticsOf(*database_).mortal_rows, 0u);
}

TEST_P(Checking, NamesARowItCannotReadAndLeavesIt) {
  Put("key");
  Plant([](engine::Batch& b) { b.Put(kRows, RowKey(kDefault, "key"), "\x80 of another world"); });
  const CheckReport report = Check();
  EXPECT_EQ(report.unreadable_rows, 1u);
  EXPECT_NE(report.findings.front().find("key"), std::string::npos);
  EXPECT_EQ(Check(true).unreadable_rows, 1u);
  EXPECT_EQ(Check().unreadable_rows, 1u) << "rows are what counts; they are not made up";
  EXPECT_EQ(CodeOf(rows().Get("key")), kUnsupported);
  EXPECT_EQ(CodeOf(rows().Put("key", "value")), kUnsupported) << "nor written over unseen";
}

TEST_P(Checking, KeepsTheWordsOfTheFirstHundredFindings) {
  Plant([](engine::Batch& b) {
    for (int i = 0; i < 250; ++i) {
      b.Put(kExpiry, EntryKey(kDefault, kStart + 5ms, std::to_string(i)), {});
    }
  });
  const CheckReport report = Check();
  EXPECT_EQ(report.stale_entries, 250u);
  EXPECT_EQ(report.findings.size(), 100u);
  EXPECT_EQ(Check(true).repaired, 250u);
  EXPECT_TRUE(Check().clean());
}

TEST_P(Checking, FindsDamageThatWasDoneWhileTheDatabaseWasClosed) {
  if (GetParam() == EngineKind::kMemory) return;  // Nothing is persistent.
  for (int i = 0; i < 100; ++i) Put(std::to_string(i), Lifetime::For(50ms));
  database_.reset();
  {
    const auto engine = *engine::OpenRocksEngine({.directory = directory_.Inside("db")});
    engine::Batch batch;
    batch.Delete(kExpiry, EntryKey(kDefault, kStart + 50ms, "7"));
    batch.Put(kExpiry, EntryKey(kDefault, kStart + 5ms, "8"), {});
    batch.Put(kMeta, core::CounterKey(kDefault, core::CounterOf(core::StripeOf(kDefault, "9"))),
              core::EncodeCounters({.rows = 900, .mortal = 900}));
    ASSERT_EQ(CodeOf(engine->Commit(batch)), kOk);
  }
  Open();
  const CheckReport found = Check();
  EXPECT_EQ(found.missing_entries, 1u);
  EXPECT_EQ(found.stale_entries, 1u);
  EXPECT_EQ(found.wrong_counts, 1u);
  EXPECT_EQ(Check(true).repaired, 3u);
  EXPECT_TRUE(Check().clean());
  EXPECT_EQ(rows().Count().value(), 100u);
  clock_.Advance(50ms);
  EXPECT_EQ(database_->Purge().value().rows, 100u);
}

TEST_P(Checking, AWriteThatMeetsAnImpossibleCountIsRefused) {
  if (GetParam() == EngineKind::kMemory) return;  // Counts are read at open.
  Put("key", Lifetime::For(50ms));
  database_.reset();
  {
    const auto engine = *engine::OpenRocksEngine({.directory = directory_.Inside("db")});
    engine::Batch batch;
    batch.Put(kMeta, core::CounterKey(kDefault, core::CounterOf(core::StripeOf(kDefault, "key"))),
              core::EncodeCounters({}));
    ASSERT_EQ(CodeOf(engine->Commit(batch)), kOk);
  }
  Open();
  EXPECT_EQ(CodeOf(rows().Delete("key")), kCorruption);
  EXPECT_TRUE(rows().Exists("key").value()) << "nothing was written";
  EXPECT_EQ(Check(true).repaired, 1u);
  EXPECT_TRUE(rows().Delete("key").value());
}

INSTANTIATE_TEST_SUITE_P(On, Checking, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
