// Goal: tables restored from a backup go on: dead items are swept and recorded. Method: on each
// engine, a backup of tables that have read events, restored later into a new database, which has
// another event log.
#include "base/temporary_directory.h"
#include "tables/table_life.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class RestoredTables : public TableLife {
 protected:
  void PutUntil(const std::string& table, const std::string& id, std::int64_t seconds) {
    Put(table, {{"id", id}, {"expires", SecondsAfterStart(seconds)}});
  }

  // From here on tables() are those of a new database, made from a backup of the old one.
  void BackUpAndRestoreAfter(Millis pause) {
    const std::string file = directory_.Inside("backup");
    const auto made = database().Backup(file);
    ASSERT_TRUE(made.has_value()) << made.status().ToString();
    clock().Advance(pause);
    restored_ = std::make_unique<DatabaseHome>(GetParam());
    restored_->clock().Set(clock().Now());
    const auto done = restored_->database().Restore(file);
    ASSERT_TRUE(done.has_value()) << done.status().ToString();
    tables_.reset();
    tables_ = tables::ProtocolTables::Open(restored_->database()).value();
  }

  void TearDown() override {
    tables_.reset();
    restored_->ExpectClean();
    TableLife::TearDown();
  }

  std::size_t DeathsTold(const std::string& table) {
    std::size_t deaths = 0;
    for (const StreamRecord& record : Records(table)) deaths += record.by_ttl ? 1 : 0;
    return deaths;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<DatabaseHome> restored_;
};

TEST_P(RestoredTables, SweepWhatDiesAfterwards) {
  TableSpec spec = PlainSpec();
  spec.ttl_mode = TtlMode::kUntilSwept;
  Make(spec);
  for (int i = 0; i < 20; ++i) PutUntil("plain", "early" + std::to_string(i), 10);
  PutUntil("plain", "meanwhile", 30);
  PutUntil("plain", "late", 100);
  clock().Advance(10s);
  ASSERT_EQ(Sweep("plain"), 20U);
  BackUpAndRestoreAfter(50s);
  EXPECT_EQ(Describe("plain").items, 2U);
  EXPECT_EQ(Sweep("plain"), 1U) << "its shadow died on the way";
  restored_->clock().Advance(40s);
  EXPECT_EQ(Sweep("plain"), 1U);
  EXPECT_EQ(Describe("plain").items, 0U);
}

// No event was read before.
TEST_P(RestoredTables, SweepWhatDiedOnTheWayWithoutAnEventBefore) {
  TableSpec spec = PlainSpec();
  spec.ttl_mode = TtlMode::kUntilSwept;
  Make(spec);
  PutUntil("plain", "meanwhile", 30);
  BackUpAndRestoreAfter(50s);
  EXPECT_EQ(Sweep("plain"), 1U);
}

TEST_P(RestoredTables, TellOfDeathsAfterwards) {
  TableSpec spec = PlainSpec();
  spec.stream = StreamView::kNewAndOldImages;
  Make(spec);
  for (int i = 0; i < 20; ++i) PutUntil("plain", "early" + std::to_string(i), 10);
  PutUntil("plain", "late", 100);
  clock().Advance(10s);
  ASSERT_TRUE(database().Purge().has_value());
  ASSERT_EQ(DeathsTold("plain"), 20U);
  BackUpAndRestoreAfter(50s);
  EXPECT_EQ(DeathsTold("plain"), 20U);
  restored_->clock().Advance(40s);
  ASSERT_TRUE(restored_->database().Purge().has_value());
  EXPECT_EQ(DeathsTold("plain"), 21U);
}

INSTANTIATE_TEST_SUITE_P(Engines, RestoredTables, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
