// A backup is one consistent file, and a restore is all of it or nothing.
// Method: a database is backed up, time passes, the file is restored in every mode; then every way
// to damage it.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/each_engine.h"
#include "core/upkeep/watched_upkeep.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class Backups : public EachEngine {
 protected:
  // Rows that die in 10 ms and 1 h, one that does not, one that is dead.
  void Fill() {
    const auto other = *database().CreateKeyspace("other", {.default_ttl = 1h, .max_ttl = 10h});
    ASSERT_EQ(CodeOf(rows().Put("dead", "0", Lifetime::For(1ms))), kOk);
    clock().Advance(1ms);
    ASSERT_EQ(CodeOf(rows().Put("short", "1", Lifetime::For(10ms))), kOk);
    ASSERT_EQ(CodeOf(rows().Put("immortal", "2")), kOk);
    ASSERT_EQ(CodeOf(other->Put("long", "3")), kOk);
  }

  BackupReport Backup(const std::string& name = "backup") {
    const auto report = database().Backup(Path(name));
    EXPECT_TRUE(report.has_value()) << report.status().ToString();
    return report.value_or(BackupReport{});
  }

  std::string Path(const std::string& name) const { return directory_.Inside(name); }

  // A new database, at the time the first one has.
  std::unique_ptr<DatabaseHome> Fresh() {
    auto fresh = std::make_unique<DatabaseHome>(GetParam());
    fresh->clock().Advance(clock().Now() - kStart);
    return fresh;
  }

  // Restores into a new database.
  std::unique_ptr<DatabaseHome> Restored(const RestoreOptions& options, RestoreReport& report) {
    auto fresh = Fresh();
    const auto restored = fresh->database().Restore(Path("backup"), options);
    EXPECT_TRUE(restored.has_value()) << restored.status().ToString();
    report = restored.value_or(RestoreReport{});
    fresh->ExpectClean();
    return fresh;
  }

  // The file cannot be restored and leaves an empty database empty.
  void ExpectRefused(const std::string& name, StatusCode code) {
    const auto fresh = Fresh();
    const auto restored = fresh->database().Restore(Path(name));
    EXPECT_EQ(CodeOf(restored), code) << restored.status().ToString();
    EXPECT_EQ(fresh->keyspace().Count().value(), 0u);
    EXPECT_EQ(fresh->database().ListKeyspaces().value().size(), 1u);
  }

  std::string ReadFile(const std::string& name) const {
    std::ifstream in(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void WriteFile(const std::string& name, Bytes bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
  }

  TemporaryDirectory directory_;
};

TEST_P(Backups, HoldTheLivingOfAllKeyspaces) {
  Fill();
  const BackupReport report = Backup();
  EXPECT_EQ(report.keyspaces, 2u);
  EXPECT_EQ(report.rows, 3u);
  EXPECT_EQ(report.taken_at, kStart + 1ms);
  EXPECT_EQ(report.bytes, std::filesystem::file_size(Path("backup")));
  EXPECT_FALSE(std::filesystem::exists(Path("backup.partial")));
}

TEST_P(Backups, ComeBackWithRowsDeadlinesAndPolicies) {
  Fill();
  Backup();
  RestoreReport report;
  const auto fresh = Restored({}, report);
  EXPECT_EQ(report.keyspaces, 2u);
  EXPECT_EQ(report.rows, 3u);
  EXPECT_EQ(report.dropped_rows, 0u);
  EXPECT_EQ(fresh->keyspace().Get("immortal").value(), "2");
  EXPECT_EQ(fresh->keyspace().Ttl("short").value(), 10ms);
  const auto other = *fresh->database().OpenKeyspace("other");
  EXPECT_EQ(other->Get("long").value(), "3");
  EXPECT_EQ(other->policy(), (KeyspacePolicy{.default_ttl = 1h, .max_ttl = 10h}));
  fresh->clock().Advance(1h);
  EXPECT_EQ(fresh->database().Purge().value().rows, 2u) << "the index came back, too";
}

TEST_P(Backups, HonouredDeadlinesAreInstants) {
  Fill();
  Backup();
  clock().Advance(10ms);
  RestoreReport report;
  const auto fresh = Restored({.mode = RestoreMode::kHonour}, report);
  EXPECT_EQ(report.rows, 2u);
  EXPECT_EQ(report.dropped_rows, 1u);
  EXPECT_FALSE(fresh->keyspace().Exists("short").value());
  EXPECT_EQ((*fresh->database().OpenKeyspace("other"))->Ttl("long").value(), 1h - 10ms);
}

TEST_P(Backups, FrozenDeadlinesHaveTheTimeLeftThatTheyHad) {
  Fill();
  Backup();
  clock().Advance(5h);
  RestoreReport report;
  const auto fresh = Restored({.mode = RestoreMode::kFreeze}, report);
  EXPECT_EQ(report.rows, 3u);
  EXPECT_EQ(fresh->keyspace().Ttl("short").value(), 10ms);
  EXPECT_EQ(fresh->keyspace().Ttl("immortal").value(), kForever);
  EXPECT_EQ((*fresh->database().OpenKeyspace("other"))->Ttl("long").value(), 1h);
}

TEST_P(Backups, ShiftedDeadlinesMoveAsTold) {
  Fill();
  Backup();
  RestoreReport report;
  {
    const auto later = Restored({.mode = RestoreMode::kShift, .shift = 30min}, report);
    EXPECT_EQ(later->keyspace().Ttl("short").value(), 30min + 10ms);
    EXPECT_EQ(later->keyspace().Ttl("immortal").value(), kForever);
  }
  {
    const auto earlier = Restored({.mode = RestoreMode::kShift, .shift = -10ms}, report);
    EXPECT_EQ(report.dropped_rows, 1u);
    EXPECT_FALSE(earlier->keyspace().Exists("short").value());
  }
  {
    const auto last = Restored({.mode = RestoreMode::kShift, .shift = Millis::max()}, report);
    EXPECT_EQ(last->keyspace().Ttl("short").value(), WallTime::max() - last->clock().Now())
        << "time ends there";
  }
  const auto first = Restored({.mode = RestoreMode::kShift, .shift = Millis::min()}, report);
  EXPECT_EQ(report.dropped_rows, 2u);
  EXPECT_EQ(first->keyspace().Count().value(), 1u);
}

TEST_P(Backups, StrippedRowsLiveForEver) {
  Fill();
  Backup();
  clock().Advance(11h);
  RestoreReport report;
  const auto fresh = Restored({.mode = RestoreMode::kStrip}, report);
  EXPECT_EQ(report.rows, 3u);
  EXPECT_EQ(fresh->keyspace().Ttl("short").value(), kForever);
  EXPECT_EQ(StatisticsOf(fresh->database()).mortal_rows, 0u);
}

TEST_P(Backups, LetNoEventHaveANumberThatWasGivenOut) {
  const KeyspacePolicy told{.events = EventDetail::kKey};
  ASSERT_EQ(CodeOf(rows().SetPolicy(told)), kOk);
  ASSERT_EQ(CodeOf(rows().Put("early", "1", Lifetime::For(1ms))), kOk);
  ASSERT_EQ(CodeOf(rows().Put("late", "2", Lifetime::For(10ms))), kOk);
  clock().Advance(1ms);
  ASSERT_TRUE(database().Purge().has_value());
  const std::uint64_t last = database().LastEventSequence();
  ASSERT_EQ(last, 1U);
  Backup();
  RestoreReport report;
  const auto restored = Restored({}, report);
  EXPECT_GT(restored->database().LastEventSequence(), last) << "nobody sees that some are missing";
  EXPECT_TRUE(restored->database().ReadEvents(0, 10)->empty());
  if (restored->persistent()) restored->Reopen();
  restored->clock().Advance(9ms);
  ASSERT_TRUE(restored->database().Purge().has_value());
  const auto events = restored->database().ReadEvents(last, 10).value();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].key, "late");
  EXPECT_GT(events[0].sequence, last + 1);
}

TEST_P(Backups, OfAnEmptyDatabaseAreEmpty) {
  EXPECT_EQ(Backup().rows, 0u);
  RestoreReport report;
  Restored({}, report);
  EXPECT_EQ(report.keyspaces, 1u);
  EXPECT_EQ(report.rows, 0u);
}

TEST_P(Backups, HoldLargeRowsAndManyBlocks) {
  const std::string large(3 << 20, 'x');
  ASSERT_EQ(CodeOf(rows().Put("large", large)), kOk);
  ASSERT_EQ(CodeOf(rows().Put(std::string(65'536, 'k'), "")), kOk);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(CodeOf(rows().Put(std::to_string(i), std::string(1000, 'y'), Lifetime::For(1h))),
              kOk);
  }
  Backup();
  RestoreReport report;
  const auto fresh = Restored({}, report);
  EXPECT_EQ(report.rows, 3002u);
  EXPECT_EQ(fresh->keyspace().Get("large").value(), large);
  EXPECT_EQ(fresh->keyspace().Count().value(), 3002u);
}

TEST_P(Backups, AreConsistentWhileAWriterRuns) {
  std::atomic<bool> done{false};
  std::atomic<int> written{0};
  // The two rows of a pair are always equal.
  std::thread writer([&] {
    for (int i = 0; !done; ++i) {
      const Status put = database().Transact([&](Transaction& transaction) {
        const std::string number = std::to_string(i);
        const std::string pair = std::to_string(i % 50);
        MAYFLY_RETURN_IF_ERROR(transaction.In(rows()).Put("a" + pair, number, Lifetime::For(1h)));
        return transaction.In(rows()).Put("z" + pair, number);
      });
      EXPECT_TRUE(put.ok()) << put.ToString();
      ++written;
      written.notify_all();
    }
  });
  for (int round = 0; round < 5; ++round) {
    const int before = written;
    written.wait(before);  // Until it has written.
    const std::string name = "backup " + std::to_string(round);
    Backup(name);
    const auto fresh = Fresh();
    ASSERT_EQ(CodeOf(fresh->database().Restore(Path(name))), kOk);
    fresh->ExpectClean();
    for (int pair = 0; pair < 50; ++pair) {
      const std::string number = std::to_string(pair);
      EXPECT_EQ(fresh->keyspace().Get("a" + number).value_or("none"),
                fresh->keyspace().Get("z" + number).value_or("none"));
    }
  }
  done = true;
  writer.join();
}

TEST_P(Backups, AreRefusedWhereverAByteIsWrong) {
  Fill();
  Backup();
  const std::string whole = ReadFile("backup");
  const auto fresh = Fresh();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    WriteFile("damaged", damaged);
    ASSERT_EQ(CodeOf(fresh->database().Restore(Path("damaged"))), kCorruption) << "byte " << at;
  }
  EXPECT_EQ(fresh->keyspace().Count().value(), 0u);
  EXPECT_EQ(fresh->database().ListKeyspaces().value().size(), 1u);
  EXPECT_EQ(CodeOf(fresh->database().Restore(Path("backup"))), kOk)
      << "the whole one still fits in";
}

TEST_P(Backups, AreRefusedWhereverTheyAreCutOrWhenSomethingFollows) {
  Fill();
  Backup();
  const std::string whole = ReadFile("backup");
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, std::size_t{16}, std::size_t{20},
                                   whole.size() / 2, whole.size() - 1}) {
    SCOPED_TRACE(length);
    WriteFile("cut", Bytes(whole).substr(0, length));
    ExpectRefused("cut", kCorruption);
  }
  WriteFile("longer", whole + "x");
  ExpectRefused("longer", kCorruption);
  WriteFile("other", "not a backup at all, but a file that somebody has");
  ExpectRefused("other", kCorruption);
  ExpectRefused("missing", kNotFound);
}

TEST_P(Backups, CanBeEndedWhileTheyAreRestoredAndLeaveNothing) {
  constexpr int kRows = 2000;
  for (int row = 0; row < kRows; ++row) {
    ASSERT_EQ(CodeOf(rows().Put("row " + std::to_string(row), "v", Lifetime::For(1h))), kOk);
  }
  Backup();
  const auto fresh = Fresh();
  // While the file is checked, when it is not known how much there is; then while it is written.
  for (const bool known : {false, true}) {
    std::uint64_t calls = 0;
    const auto ended = core::RestoreWatched(fresh->database(), Path("backup"), {},
                                            [&](std::uint64_t done, std::uint64_t all) {
                                              EXPECT_TRUE(all == 0 || done <= all);
                                              return (all != 0) != known || ++calls < 3;
                                            });
    EXPECT_EQ(CodeOf(ended), StatusCode::kConflict) << known;
    EXPECT_EQ(fresh->keyspace().Count().value(), 0u) << known;
  }
  const auto restored = core::RestoreWatched(fresh->database(), Path("backup"), {},
                                             [](std::uint64_t, std::uint64_t) { return true; });
  ASSERT_TRUE(restored.has_value()) << restored.status().ToString();
  EXPECT_EQ(restored->rows, static_cast<std::uint64_t>(kRows));
  fresh->ExpectClean();
}

TEST_P(Backups, FillNoDatabaseThatHoldsSomething) {
  Fill();
  Backup();
  EXPECT_EQ(CodeOf(database().Restore(Path("backup"))), kInvalid);
  const auto with_keyspace = Fresh();
  ASSERT_EQ(CodeOf(with_keyspace->database().CreateKeyspace("mine")), kOk);
  EXPECT_EQ(CodeOf(with_keyspace->database().Restore(Path("backup"))), kInvalid);
  const auto with_row = Fresh();
  ASSERT_EQ(CodeOf(with_row->keyspace().Put("mine", "value")), kOk);
  EXPECT_EQ(CodeOf(with_row->database().Restore(Path("backup"))), kInvalid);
  EXPECT_EQ(with_row->keyspace().Count().value(), 1u);
}

TEST_P(Backups, OverwriteNoFile) {
  Fill();
  WriteFile("precious", "work of a year");
  EXPECT_EQ(CodeOf(database().Backup(Path("precious"))), kInvalid);
  EXPECT_EQ(ReadFile("precious"), "work of a year");
  EXPECT_EQ(CodeOf(database().Backup(Path("no such folder/backup"))), kIoError);
}

INSTANTIATE_TEST_SUITE_P(On, Backups, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
