// Goal: versions and markers are kept, counted, saved and removed with their rows, and show nowhere
// else. Method: each call on a whole keyspace or database, on every engine.
#include <vector>

#include "core/timestamped.h"

namespace mayfly {
namespace {

class TimestampUpkeep : public Timestamped {
 protected:
  TimestampUpkeep() { Make({.events = EventDetail::kKeyAndValue, .history = Millis(100)}); }

  // Three living rows, one dead one, and something of the past of each.
  void Fill() {
    EXPECT_TRUE(PutAt("mortal", "old", -50, For(500)));
    EXPECT_TRUE(PutAt("mortal", "new", -10, For(60)));
    EXPECT_TRUE(PutAt("immortal", "old", -50, For(200)));
    EXPECT_TRUE(PutAt("immortal", "new", -10));
    EXPECT_FALSE(PutAt("immortal", "late", -20, For(30)));
    EXPECT_TRUE(PutAt("deleted", "old", -50));
    EXPECT_TRUE(DeleteAt("deleted", -10));
    EXPECT_TRUE(PutAt("dead", "old", -50));
    EXPECT_TRUE(PutAt("dead", "new", -30, For(31)));
    GoTo(1);
  }
};

TEST_P(TimestampUpkeep, CountsRowsAndNotVersions) {
  Fill();
  EXPECT_EQ(stamped().Count().value(), 2u);
  Purge();
  EXPECT_EQ(stamped().Count().value(), 2u);
  EXPECT_EQ(StatisticsOf(database(), "stamped").rows, 2u);
  EXPECT_EQ(StatisticsOf(database(), "stamped").mortal_rows, 1u);
  const auto transaction = *database().Begin();
  ASSERT_EQ(CodeOf(transaction->In(stamped()).PutAt("dead", "late", At(-31))), kOk);
  EXPECT_EQ(transaction->In(stamped()).Count().value(), 2u);
}

TEST_P(TimestampUpkeep, OnlyRowsAreForecast) {
  Fill();
  const auto due = stamped().ScanDeadlines({}).value();
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].key, "mortal");
  EXPECT_EQ(due[0].deadline, At(50));
  std::uint64_t dying = 0;
  std::uint64_t bytes = 0;
  const auto forecast = stamped().Forecast({.bucket = Millis(10), .buckets = 100});
  for (const ForecastBucket& bucket : *forecast) {
    dying += bucket.rows;
    bytes += bucket.bytes;
  }
  EXPECT_EQ(dying, 1u);
  EXPECT_EQ(bytes, 9u);
}

TEST_P(TimestampUpkeep, OneEventPerRowThatDiesAndNoneForVersions) {
  Fill();
  GoTo(2000);
  EXPECT_EQ(Purge(), 2u);
  EXPECT_TRUE(PutAt("born dead", "value", 1000, For(10)));
  EXPECT_FALSE(PutAt("immortal", "late", -20, For(1)));
  std::vector<std::string> told;
  const auto events = database().ReadEvents(0, 100).value();
  for (const Event& event : events) {
    told.push_back(event.key + "=" + event.value.value_or("?"));
  }
  EXPECT_EQ(told, (std::vector<std::string>{"dead=new", "mortal=new", "born dead=value"}));
  EXPECT_EQ(Versions(), 4u) << "markers, which stay without a late_max";
}

TEST_P(TimestampUpkeep, AReadThatMeetsADeadRowLeavesItsMarker) {
  Fill();
  EXPECT_EQ(Get("dead"), "(gone)");
  EXPECT_EQ(database().GetStatistics()->purged_by_reads, 1u);
  EXPECT_EQ(StatisticsOf(database(), "stamped").rows, 2u);
  EXPECT_FALSE(PutAt("dead", "late", -31));
  EXPECT_EQ(Get("dead"), "(gone)");
  EXPECT_EQ(AsOf("dead", -31), "late");
  EXPECT_EQ(AsOf("dead", -30), "(gone)");
}

TEST_P(TimestampUpkeep, APurgeStopsAtItsBoundWithVersionsToo) {
  for (int i = 0; i < 10; ++i) {
    const std::string key = std::to_string(i);
    EXPECT_TRUE(PutAt(key, "old", -10));
    EXPECT_TRUE(PutAt(key, "new", 0));
  }
  GoTo(100);
  for (int left = 10; left > 0; left -= 4) {
    const PurgeReport report = database().Purge({.rows_max = 4}).value();
    EXPECT_EQ(report.rows, 0u);
    EXPECT_EQ(report.versions, std::min<std::uint64_t>(4, static_cast<std::uint64_t>(left)));
    EXPECT_EQ(report.more_due, left > 4);
  }
  EXPECT_EQ(Versions(), 0u);
}

TEST_P(TimestampUpkeep, SnapshotsKeepThePastAsItWas) {
  Fill();
  const auto snapshot = *database().NewSnapshot();
  const KeyspaceReader& then = snapshot->In(stamped());
  EXPECT_FALSE(PutAt("immortal", "changed", -50));
  EXPECT_TRUE(DeleteAt("mortal", 0));
  GoTo(5000);
  Purge();
  ASSERT_EQ(CodeOf(database().Reclaim({.everything = true})), kOk);
  EXPECT_EQ(ValueOf(then.GetAsOf("immortal", At(-50))), "old");
  EXPECT_EQ(ValueOf(then.GetAsOf("immortal", At(-20))), "late");
  EXPECT_EQ(ValueOf(then.GetAsOf("deleted", At(-11))), "old");
  EXPECT_EQ(ValueOf(then.Get("mortal")), "new");
  EXPECT_EQ(ValueOf(then.GetAsOf("dead", At(-10))), "(gone)");
  EXPECT_EQ(CodeOf(then.GetAsOf("mortal", At(-100))), kInvalid) << "its history stands still";
  EXPECT_EQ(ValueOf(then.GetAsOf("mortal", At(-99))), "(gone)");
  EXPECT_EQ(then.Count().value(), 2u);
}

TEST_P(TimestampUpkeep, EverythingIsThereAfterReopening) {
  if (!home_.persistent()) return;
  Fill();
  for (const bool purged : {false, true}) {
    if (purged) Purge();
    Reopen();
    EXPECT_EQ(Get("mortal"), "new");
    EXPECT_EQ(AsOf("mortal", -11), "old");
    EXPECT_EQ(AsOf("immortal", -20), "late");
    EXPECT_EQ(AsOf("deleted", -11), "old");
    EXPECT_FALSE(PutAt("deleted", "x", -60));
    EXPECT_FALSE(PutAt("dead", "x", -60));
    EXPECT_EQ(Get("dead"), "(gone)");
    EXPECT_EQ(Versions(), 9u);
  }
}

TEST_P(TimestampUpkeep, ClearAndDropTakeThePastAndTheMarkersWithThem) {
  Fill();
  Purge();
  const auto snapshot = *database().NewSnapshot();
  ASSERT_EQ(CodeOf(stamped().Clear()), kOk);
  EXPECT_EQ(Versions(), 0u);
  EXPECT_EQ(stamped().Count().value(), 0u);
  EXPECT_EQ(AsOf("immortal", -20), "(gone)");
  EXPECT_TRUE(PutAt("deleted", "anew", -50));
  EXPECT_EQ(ValueOf(snapshot->In(stamped()).GetAsOf("immortal", At(-20))), "late");
  ASSERT_EQ(CodeOf(database().DropKeyspace("stamped")), kOk);
  EXPECT_EQ(CodeOf(stamped().GetAsOf("key", At(0))), kInvalid);
  EXPECT_EQ(CodeOf(stamped().PutAt("key", "", At(0))), kInvalid);
  EXPECT_EQ(Versions(), 0u);
  stamped_.reset();
}

TEST_P(TimestampUpkeep, ABackupHasThePastAndTheMarkers) {
  Fill();
  const TemporaryDirectory directory;
  int file_number = 0;
  for (const bool purged : {false, true}) {
    if (purged) Purge();
    const std::string file = directory.Inside("backup" + std::to_string(file_number++));
    ASSERT_EQ(database().Backup(file)->rows, 2u);
    struct Case {
      RestoreOptions options;
      std::int64_t now;
      const char* mortal;         // Died at 50 when it was saved at 1.
      const char* mortal_past;    // At -11; dies at 450.
      const char* immortal_past;  // At -20; dies at 10.
    };
    const RestoreOptions honour{};
    const RestoreOptions freeze{.mode = RestoreMode::kFreeze};
    const RestoreOptions strip{.mode = RestoreMode::kStrip};
    const RestoreOptions sooner{.mode = RestoreMode::kShift, .shift = Millis(-9)};
    for (const Case& c : {
             Case{honour, 1, "new", "old", "late"},
             Case{honour, 9, "new", "old", "late"},
             Case{honour, 10, "new", "old", "(gone)"},
             Case{honour, 49, "new", "old", "(gone)"},
             Case{honour, 50, "(gone)", "old", "(gone)"},
             Case{freeze, 50, "new", "old", "late"},
             Case{strip, 50, "new", "old", "late"},
             Case{sooner, 1, "new", "old", "(gone)"},
         }) {
      SCOPED_TRACE(::testing::Message() << "mode " << static_cast<int>(c.options.mode) << " at "
                                        << c.now << (purged ? " purged" : ""));
      ManualClock later(At(c.now));
      const auto restored = *Database::Open({.clock = &later});
      ASSERT_EQ(CodeOf(restored->Restore(file, c.options)), kOk);
      const auto copy = *restored->OpenKeyspace("stamped");
      EXPECT_EQ(copy->policy(), stamped().policy());
      EXPECT_EQ(ValueOf(copy->Get("mortal")), c.mortal);
      EXPECT_EQ(ValueOf(copy->GetAsOf("mortal", At(-11))), c.mortal_past);
      EXPECT_EQ(ValueOf(copy->GetAsOf("immortal", At(-20))), c.immortal_past);
      EXPECT_EQ(ValueOf(copy->GetAsOf("immortal", At(-21))), "old");
      EXPECT_EQ(ValueOf(copy->GetAsOf("deleted", At(-11))), "old");
      EXPECT_EQ(ValueOf(copy->GetAsOf("deleted", At(-10))), "(gone)");
      EXPECT_EQ(ValueOf(copy->GetAsOf("dead", At(-31))), "old");
      EXPECT_EQ(ValueOf(copy->GetAsOf("dead", At(-30))), "(gone)");
      for (const auto& [key, timestamp] : {std::pair("deleted", -11), std::pair("dead", -31)}) {
        EXPECT_FALSE(copy->PutAt(key, "late", At(timestamp)).value());
        EXPECT_EQ(ValueOf(copy->Get(key)), "(gone)");
      }
      EXPECT_FALSE(copy->PutAt("mortal", "late", At(-11)).value()) << "dead or not";
      const auto report = restored->Check();
      EXPECT_TRUE(report->clean()) << report->findings.front();
      later.Advance(Millis(10'000));
      ASSERT_EQ(CodeOf(restored->Purge()), kOk);
      EXPECT_TRUE(restored->Check()->clean());
    }
  }
}

TEST_P(TimestampUpkeep, ABackupHasNoBytesOfTheDead) {
  EXPECT_TRUE(PutAt("key", "dead version bytes", -50, For(50)));
  EXPECT_TRUE(PutAt("key", "dead row bytes", -10, For(10)));
  const TemporaryDirectory directory;
  ASSERT_EQ(CodeOf(database().Backup(directory.Inside("backup"))), kOk);
  std::FILE* const file = std::fopen(directory.Inside("backup").c_str(), "rb");
  ASSERT_NE(file, nullptr);
  std::string bytes(1 << 16, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  EXPECT_NE(bytes.find("key"), std::string::npos);
  EXPECT_EQ(bytes.find("bytes"), std::string::npos);
}

TEST_P(TimestampUpkeep, EventsAreNotInTheWayOfReclaiming) {
  Fill();
  GoTo(2000);
  home_.ReclaimEverything();
  EXPECT_EQ(database().ReadEvents(0, 100)->size(), 2u);
}

TEST_P(TimestampUpkeep, OldStatesAreTakenAwayWhenAskedFor) {
  home_.options().state_age_max = Millis(1000);
  stamped_.reset();
  home_.Reopen();
  if (home_.persistent()) {
    stamped_ = *database().OpenKeyspace("stamped");
  }
  Make({.history = Millis(5000)});
  Fill();
  const auto snapshot = *database().NewSnapshot();
  const auto transaction = *database().Begin();
  ASSERT_EQ(CodeOf(transaction->In(stamped()).PutAt("mine", "", At(0))), kOk);
  const auto cursor = *stamped().NewCursor({.as_of = At(-11)});
  cursor->SeekToFirst();
  ASSERT_TRUE(cursor->Valid());
  for (const std::int64_t age : {999, 1000, 1001}) {
    GoTo(1 + age);
    ASSERT_EQ(CodeOf(database().Reclaim({})), kOk);
    const auto code = age <= 1000 ? kOk : kConflict;
    EXPECT_EQ(CodeOf(snapshot->In(stamped()).GetAsOf("immortal", At(-11))), code) << age;
    EXPECT_EQ(CodeOf(transaction->In(stamped()).GetAsOf("immortal", At(-11))), code);
    EXPECT_EQ(CodeOf(snapshot->In(stamped()).NewCursor({.as_of = At(-11)})), code);
    cursor->SeekToLast();
    EXPECT_EQ(cursor->Valid(), age <= 1000);
    EXPECT_EQ(CodeOf(cursor->status()), code);
  }
  EXPECT_EQ(CodeOf(transaction->In(stamped()).PutAt("mine", "", At(1))), kConflict);
  EXPECT_EQ(CodeOf(transaction->Commit()), kConflict);
  EXPECT_EQ(database().GetStatistics()->revoked_states, 3u);
  EXPECT_EQ(Get("mine"), "(gone)");
}

INSTANTIATE_TEST_SUITE_P(Engines, TimestampUpkeep, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
