// Goal: a check finds inconsistent versions, markers and entries, and repairs them from the rows.
// Method: damage is planted through the engine, beneath an open database.
#include <functional>

#include "core/layout/keys.h"
#include "core/layout/version_codec.h"
#include "core/new_database.h"
#include "core/timestamped.h"
#include "engine/memory/memory_engine.h"

namespace mayfly {
namespace {

// A database in memory whose engine the test can reach.
class TimestampDamage : public ::testing::Test {
 protected:
  TimestampDamage() {
    auto engine = engine::NewMemoryEngine();
    engine_ = engine.get();
    database_ = *core::NewDatabase(std::move(engine), {.clock = &clock_});
    stamped_ = *database_->CreateKeyspace(
        "stamped", {.order = RowOrder::kTimestamp, .history = Millis(100), .late_max = Millis(50)});
    EXPECT_TRUE(stamped_->PutAt("key", "old", At(-20), For(200)).value());
    EXPECT_TRUE(stamped_->PutAt("key", "new", At(-10), For(100)).value());
    EXPECT_TRUE(stamped_->DeleteAt("deleted", At(-10)).value());
  }

  // One or more findings with this word; a repair mends them from the rows.
  void ExpectFoundAndMended(const char* word) {
    const auto found = database_->Check();
    ASSERT_TRUE(found.has_value()) << found.status().ToString();
    EXPECT_FALSE(found->clean());
    ASSERT_FALSE(found->findings.empty());
    EXPECT_NE(found->findings[0].find(word), std::string::npos) << found->findings[0];
    const auto mended = database_->Check({.repair = true});
    ASSERT_TRUE(mended.has_value()) << mended.status().ToString();
    EXPECT_EQ(mended->repaired, found->findings.size());
    const auto after = database_->Check();
    EXPECT_TRUE(after->clean()) << after->findings.front();
    EXPECT_EQ(stamped_->Get("key").value(), "new");
    EXPECT_EQ(stamped_->GetAsOf("key", At(-11))->value, "old");
    EXPECT_FALSE(stamped_->PutAt("deleted", "late", At(-11)).value());
    clock_.Advance(Millis(10'000));
    EXPECT_TRUE(database_->Purge().has_value());
    EXPECT_EQ(database_->Check()->versions, 0u);
    EXPECT_EQ(database_->Check()->entries, 0u);
  }

  void Plant(const std::function<void(engine::Batch&)>& damage) {
    engine::Batch batch;
    damage(batch);
    ASSERT_TRUE(engine_->Commit(batch).ok());
  }

  static constexpr engine::Address kMembers{engine::Role::kMembers};
  static constexpr engine::Address kExpiry{engine::Role::kExpiry};
  static constexpr core::KeyspaceId kStamped = 2;
  static constexpr core::KeyspaceId kIndex = core::MembersOf(kStamped);

  ManualClock clock_{kStart};
  std::unique_ptr<Database> database_;
  engine::Engine* engine_ = nullptr;  // database_'s.
  std::shared_ptr<Keyspace> stamped_;
};

TEST_F(TimestampDamage, AVersionWithoutItsEntryGetsOne) {
  Plant([](engine::Batch& batch) {
    batch.Delete(kExpiry, core::EntryKey(kIndex, At(90), core::VersionKey("key", At(-20))));
  });
  ExpectFoundAndMended("a version whose end is not in the index");
}

TEST_F(TimestampDamage, AMarkerWithoutItsEntryGetsOne) {
  Plant([](engine::Batch& batch) {
    batch.Delete(kExpiry, core::EntryKey(kIndex, At(90), core::MarkerKey("deleted")));
  });
  ExpectFoundAndMended("a version whose end is not in the index");
}

TEST_F(TimestampDamage, AnEntryWithoutItsVersionGoes) {
  Plant([](engine::Batch& batch) {
    batch.Put(kExpiry, core::EntryKey(kIndex, At(70), core::VersionKey("key", At(-20))), {});
  });
  ExpectFoundAndMended("an entry of the index without its version");
}

TEST_F(TimestampDamage, AMarkerBesideARowGoes) {
  Plant([](engine::Batch& batch) {
    std::string marker;
    core::AppendVersion(
        marker, {.row = {.deadline = {}, .payload = {}, .timestamp = At(-5)}, .deleted = true});
    batch.Put(kMembers, core::RowKey(kStamped, core::MarkerKey("key")), marker);
  });
  ExpectFoundAndMended("a marker beside a row");
}

TEST_F(TimestampDamage, AVersionThatCannotBeReadIsNamedAndLeftAlone) {
  Plant([](engine::Batch& batch) {
    batch.Put(kMembers, core::RowKey(kStamped, core::VersionKey("other", At(-5))), "\x7f");
  });
  EXPECT_EQ(database_->Check({.repair = true})->unreadable_rows, 1u);
  EXPECT_EQ(database_->Check()->unreadable_rows, 1u);
  EXPECT_EQ(stamped_->GetAsOf("other", At(0)).status().code(), StatusCode::kUnsupported);
  const auto cursor = *stamped_->NewCursor({.as_of = At(0)});
  cursor->SeekToLast();
  EXPECT_FALSE(cursor->Valid());
  EXPECT_EQ(cursor->status().code(), StatusCode::kUnsupported);
}

TEST_F(TimestampDamage, AVersionWhereThereShouldBeNoneIsNamed) {
  Plant([](engine::Batch& batch) {
    batch.Put(kMembers, core::RowKey(1, core::MarkerKey("key")), "whatever");
  });
  EXPECT_EQ(database_->Check()->stray_versions, 1u);
}

}  // namespace
}  // namespace mayfly
