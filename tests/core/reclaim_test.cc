// Goal: the space of dead rows comes back from the files, and nothing but space changes: no dead
// row returns, no snapshot loses what it shows, counts, index and events stay exact. Method: rows
// are written out and compacted at moments of the test's choice, on a clock that stands still.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <map>
#include <thread>

#include "core/engine_in_hand.h"
#include "core/planted.h"
#include "core/upkeep/watched_upkeep.h"
#include "tests/engine/forwarding_engine.h"
#include "tests/engine/together.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using engine::suite::RunTogether;

constexpr Millis kReclaimTtl = 10min;
constexpr int kManyReclaimed = 3000;  // Enough to be worth while.

class Reclaiming : public ::testing::Test {
 protected:
  ~Reclaiming() override { home_.ExpectClean(); }

  std::string KeyOf(int row) { return fmt::format("row {:06}", row); }

  void PutMany(Keyspace& keyspace, const Lifetime& lifetime, int first = 0,
               int rows = kManyReclaimed) {
    for (int row = first; row < first + rows; ++row) {
      ASSERT_EQ(CodeOf(keyspace.Put(KeyOf(row), planter_.Distinct(200), lifetime)), kOk);
    }
  }

  std::uint64_t Purge() { return database().Purge().value().rows; }

  ReclaimReport Reclaim(const ReclaimOptions& options = {}) {
    const auto report = database().Reclaim(options);
    EXPECT_TRUE(report.has_value()) << report.status().ToString();
    return report.value_or(ReclaimReport{});
  }

  std::uint64_t DiskBytes() { return database().GetStatistics().value().disk_bytes; }

  std::vector<ProofFile> Files(const std::string& keyspace = "default") {
    const Proof proof = database().Prove().value();
    for (const KeyspaceProof& one : proof.keyspaces) {
      if (one.name != keyspace) continue;
      std::vector<ProofFile> files = one.files;
      // These hold bytes of all keyspaces, and of the database itself.
      std::erase_if(files, [](const ProofFile& file) {
        return file.role == "meta" || file.role == "events";
      });
      return files;
    }
    return {};
  }

  Database& database() { return home_.database(); }
  Keyspace& rows() { return home_.rows(); }
  ManualClock& clock() { return home_.clock(); }

  EngineInHand home_;
  Planter planter_;
};

TEST_F(Reclaiming, TheDeadLeaveTheFilesAndTheLivingStay) {
  PutMany(rows(), Lifetime::For(kReclaimTtl));
  PutMany(rows(), Lifetime::Forever(), kManyReclaimed, 100);
  home_.Compact();
  const std::uint64_t before = DiskBytes();
  EXPECT_GT(before, kManyReclaimed * 200u);
  clock().Advance(kReclaimTtl + 2s);  // Files know deadlines to a second or so.
  std::uint64_t dead = 0;
  for (const ProofFile& file : Files()) dead += file.dead_bytes;
  EXPECT_GT(dead, 0u);
  EXPECT_EQ(Reclaim().files_rewritten + Reclaim().files_dropped, 0u) << "nothing is purged yet";
  EXPECT_EQ(Purge(), kManyReclaimed);
  const ReclaimReport report = Reclaim();
  EXPECT_FALSE(report.held_up);
  EXPECT_GT(report.files_rewritten + report.files_dropped, 0u);
  EXPECT_LT(DiskBytes(), before / 5);
  for (const ProofFile& file : Files()) {
    EXPECT_EQ(file.dead_bytes, 0u) << file.name;
    EXPECT_EQ(file.tombstones, 0u) << file.name;
    EXPECT_LT(file.dead_share(), 0.25);
  }
  EXPECT_EQ(rows().Count().value(), 100u);
  const Statistics statistics = database().GetStatistics().value();
  EXPECT_EQ(statistics.files_rewritten, report.files_rewritten);
  EXPECT_EQ(statistics.files_dropped, report.files_dropped);
  EXPECT_EQ(statistics.bytes_rewritten, report.bytes_rewritten);
}

TEST_F(Reclaiming, AFileInWhichAllIsDeadIsDroppedUnread) {
  PutMany(rows(), Lifetime::For(kReclaimTtl));
  home_.Compact();
  clock().Advance(kReclaimTtl);
  EXPECT_EQ(Purge(), kManyReclaimed);
  const ReclaimReport report = Reclaim();
  EXPECT_GT(report.files_dropped, 0u);
  EXPECT_TRUE(Files().empty());
  EXPECT_EQ(rows().Count().value(), 0u);
}

TEST_F(Reclaiming, AFileBelowTheShareIsLeftAlone) {
  PutMany(rows(), Lifetime::For(kReclaimTtl), 0, 1500);
  PutMany(rows(), Lifetime::Forever(), 1500, 8500);
  home_.Compact();
  clock().Advance(kReclaimTtl);
  EXPECT_EQ(Purge(), 1500u);
  const std::uint64_t before = database().GetStatistics()->bytes_rewritten;
  const ReclaimReport lazy = Reclaim({.dead_percent = 100});
  const std::uint64_t after = database().GetStatistics()->bytes_rewritten;
  EXPECT_EQ(after - before, lazy.bytes_rewritten);
  Reclaim({.dead_percent = 1});
  for (const ProofFile& file : Files()) EXPECT_EQ(file.dead_bytes, 0u) << file.name;
  EXPECT_EQ(rows().Count().value(), 8500u);
}

// "An expired newer version over a permanent older one": whatever was written out or compacted in
// between, the older one does not come back.
TEST(ExpiredNewerOverPermanentOlder, StaysGoneWhereverItIsWrittenOutAndCompacted) {
  constexpr int kPoints = 4;
  enum class Do : std::uint8_t { kNothing, kFlush, kCompact };
  for (int course = 0; course < 81; ++course) {
    EngineInHand home;
    SCOPED_TRACE(fmt::format("course {}", course));
    int rest = course;
    const auto point = [&] {
      switch (static_cast<Do>(rest % 3)) {
        case Do::kNothing: break;
        case Do::kFlush: home.Flush(); break;
        case Do::kCompact: home.Compact(); break;
      }
      rest /= 3;
    };
    const auto expect_gone = [&](const char* when) {
      EXPECT_EQ(CodeOf(home.rows().Get("key")), kNotFound) << when;
      EXPECT_EQ(home.rows().Count().value(), 1u) << when;
    };
    static_assert(kPoints == 4, "81 courses");
    ASSERT_EQ(CodeOf(home.rows().Put("other", "alive")), kOk);
    ASSERT_EQ(CodeOf(home.rows().Put("key", "old, for ever")), kOk);
    point();
    ASSERT_EQ(CodeOf(home.rows().Put("key", "new, for a while", Lifetime::For(kReclaimTtl))), kOk);
    point();
    home.clock().Advance(kReclaimTtl);
    ASSERT_TRUE(home.database().Purge().has_value());
    expect_gone("after the purge");
    point();
    expect_gone("after the purge was written out");
    ASSERT_TRUE(home.database().Reclaim({.dead_percent = 1}).has_value());
    expect_gone("after reclaiming");
    point();
    expect_gone("at the last point");
    home.Compact();
    expect_gone("after the last compaction");
    home.Reopen();
    expect_gone("after opening again");
    home.ExpectClean();
    if (::testing::Test::HasFailure()) return;
  }
}

TEST_F(Reclaiming, TheRowsOfADroppedKeyspaceLeave) {
  const auto before = *database().CreateKeyspace("a before");
  const auto dropped = *database().CreateKeyspace("dropped");
  const auto after = *database().CreateKeyspace("z after");
  PutMany(*before, Lifetime::Forever(), 0, 200);
  PutMany(*after, Lifetime::Forever(), 0, 200);
  PutMany(*dropped, Lifetime::Forever(), 0, 500);
  PutMany(*dropped, Lifetime::For(kReclaimTtl), 500, 500);
  const Planted row = planter_.New();
  ASSERT_EQ(CodeOf(dropped->Put(row.key, row.value)), kOk);
  home_.Compact();
  FileBytes(home_.directory()).ExpectBothOf(row, "a row");
  ASSERT_EQ(CodeOf(database().DropKeyspace("dropped")), kOk);
  FileBytes(home_.directory()).ExpectBothOf(row, "a row of a keyspace just dropped");
  Reclaim({.everything = true});
  FileBytes(home_.directory()).ExpectNoneOf(row, "a row of a dropped keyspace");
  EXPECT_EQ(before->Count().value(), 200u);
  EXPECT_EQ(after->Count().value(), 200u);
  const auto again = *database().CreateKeyspace("dropped");
  EXPECT_EQ(again->Count().value(), 0u);
  EXPECT_EQ(CodeOf(again->Get(row.key)), kNotFound);
}

TEST_F(Reclaiming, TheRowsOfAClearedKeyspaceLeave) {
  PutMany(rows(), Lifetime::Forever());
  home_.Compact();
  ASSERT_GT(DiskBytes(), kManyReclaimed * 200u);
  ASSERT_EQ(CodeOf(rows().Clear()), kOk);
  Reclaim();
  EXPECT_LT(DiskBytes(), kManyReclaimed * 200u / 5);
  EXPECT_EQ(rows().Count().value(), 0u);
}

TEST_F(Reclaiming, TheReaperGivesTheSpaceOfAClearedKeyspaceBack) {
  PutMany(rows(), Lifetime::Forever());
  home_.Compact();
  const auto reaper = *database().StartReaper();
  reaper->AwaitIdle();
  ASSERT_EQ(CodeOf(rows().Clear()), kOk);
  clock().Advance(2s);  // No write for a while.
  reaper->AwaitIdle();
  EXPECT_LT(DiskBytes(), kManyReclaimed * 200u / 5);
}

TEST_F(Reclaiming, ASnapshotKeepsWhatItShowsAndItsCounts) {
  std::map<std::string, std::string> shown;
  for (int row = 0; row < kManyReclaimed; ++row) {
    const std::string value = planter_.Distinct(100);
    const Lifetime lifetime = row % 3 == 0 ? Lifetime::Forever() : Lifetime::For(kReclaimTtl);
    ASSERT_EQ(CodeOf(rows().Put(KeyOf(row), value, lifetime)), kOk);
    shown[KeyOf(row)] = value;
  }
  home_.Compact();
  auto snapshot = *database().NewSnapshot();
  const auto expect_all = [&](const char* when) {
    EXPECT_EQ(snapshot->In(rows()).Count().value(), shown.size()) << when;
    const auto cursor = *snapshot->In(rows()).NewCursor();
    auto expected = shown.begin();
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next(), ++expected) {
      ASSERT_NE(expected, shown.end()) << when;
      ASSERT_EQ(cursor->key(), expected->first) << when;
      ASSERT_EQ(cursor->value(), expected->second) << when;
    }
    EXPECT_EQ(expected, shown.end()) << when;
  };
  expect_all("at first");
  for (int row = 0; row < kManyReclaimed; row += 6) {
    EXPECT_TRUE(rows().Delete(KeyOf(row)).value());
  }
  clock().Advance(kReclaimTtl);
  EXPECT_EQ(Purge(), shown.size() - kManyReclaimed / 3);
  expect_all("after the purge");
  EXPECT_TRUE(Reclaim({.dead_percent = 1}).held_up);
  expect_all("after reclaiming");
  EXPECT_TRUE(Reclaim({.everything = true}).held_up);
  expect_all("after reclaiming everything");
  home_.Compact();
  expect_all("after a compaction");
  EXPECT_EQ(rows().Count().value(), std::uint64_t{kManyReclaimed / 6});
  snapshot.reset();
  // Everything: RocksDB begins by itself when a snapshot goes, and this waits for it.
  EXPECT_FALSE(Reclaim({.everything = true}).held_up);
  for (const ProofFile& file : Files()) EXPECT_EQ(file.dead_bytes, 0u) << file.name;
  EXPECT_EQ(rows().Count().value(), std::uint64_t{kManyReclaimed / 6});
}

TEST_F(Reclaiming, CompactionAloneDropsNothingThatHasNoEventYet) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKeyAndValue})), kOk);
  PutMany(rows(), Lifetime::For(kReclaimTtl), 0, 500);
  home_.Compact();
  clock().Advance(kReclaimTtl);
  home_.Compact();
  EXPECT_EQ(database().GetStatistics()->keyspaces.front().rows, 500u) << "dead, and not purged";
  home_.ExpectClean();
  EXPECT_EQ(Purge(), 500u);
  home_.Compact();
  Reclaim();
  home_.Compact();
  home_.ExpectClean();
  std::set<std::string> told;
  const auto events = database().ReadEvents(0, 1000).value();
  for (const Event& event : events) {
    EXPECT_TRUE(told.insert(event.key).second) << event.key;
    EXPECT_EQ(event.value->size(), 200u);
  }
  EXPECT_EQ(told.size(), 500u);
}

TEST_F(Reclaiming, AnIdleDatabaseShrinksThoughNobodyWrites) {
  const auto reaper = *database().StartReaper({.work_percent = 100});
  PutMany(rows(), Lifetime::For(kReclaimTtl), 0, 2 * kManyReclaimed);
  ASSERT_EQ(CodeOf(rows().Put("for ever", "value")), kOk);
  home_.Flush();
  const std::uint64_t before = DiskBytes();
  EXPECT_GT(before, 2 * kManyReclaimed * 200u);
  clock().Advance(kReclaimTtl);
  reaper->AwaitIdle();
  // The engine's own compaction may hold some files for as long as it runs, and it does not run by this clock.
  constexpr int kSecondsMax = 100'000;
  for (int second = 0; second < kSecondsMax && DiskBytes() >= before / 10; ++second) {
    clock().Advance(1s);
    reaper->AwaitIdle();
  }
  EXPECT_LT(DiskBytes(), before / 10);
  EXPECT_EQ(rows().Count().value(), 1u);
  EXPECT_EQ(StatisticsOf(database()).rows, 1u);
}

TEST_F(Reclaiming, TellsHowFarItIsAndCanBeEnded) {
  PutMany(rows(), Lifetime::For(kReclaimTtl));
  PutMany(rows(), Lifetime::Forever(), kManyReclaimed, kManyReclaimed);
  home_.Compact();
  clock().Advance(kReclaimTtl + 2s);
  const std::uint64_t before = DiskBytes();
  const ReclaimOptions everything{.everything = true};
  const auto ended = core::ReclaimWatched(database(), everything,
                                          [](std::uint64_t, std::uint64_t) { return false; });
  EXPECT_EQ(ended.status().code(), StatusCode::kConflict);
  std::uint64_t last_done = 0;
  const auto report =
      core::ReclaimWatched(database(), everything, [&](std::uint64_t done, std::uint64_t all) {
        EXPECT_GE(done, last_done);
        EXPECT_GT(all, 0u);
        last_done = done;
        return true;
      });
  ASSERT_TRUE(report.has_value()) << report.status().ToString();
  EXPECT_EQ(last_done, report->bytes_rewritten);
  EXPECT_GT(last_done, 0u);
  EXPECT_LT(DiskBytes(), before);
  EXPECT_EQ(rows().Count().value(), static_cast<std::uint64_t>(kManyReclaimed));
}

TEST_F(Reclaiming, RefusesWhatItCannotDo) {
  for (const std::uint32_t percent : {0u, 101u}) {
    EXPECT_EQ(CodeOf(database().Reclaim({.dead_percent = percent})), kInvalid);
    EXPECT_EQ(CodeOf(database().StartReaper({.reclaim_dead_percent = percent})), kInvalid);
  }
  ASSERT_EQ(CodeOf(database().Close()), kOk);
  EXPECT_EQ(CodeOf(database().Reclaim()), kInvalid);
  EXPECT_EQ(CodeOf(database().Prove()), kInvalid);
  {
    const auto reader = *Database::Open(
        {.directory = home_.directory(), .read_only = true, .clock = &home_.clock()});
    EXPECT_EQ(CodeOf(reader->Reclaim()), kReadOnly);
    EXPECT_EQ(CodeOf(reader->Reclaim({.everything = true})), kReadOnly);
    EXPECT_TRUE(reader->Prove().has_value());
  }
  home_.Open();
}

// Refuses some rewrites, as RocksDB does while a compaction of its own has the files.
class BusyEngine final : public engine::suite::ForwardingEngine {
 public:
  BusyEngine(std::unique_ptr<engine::Engine> inner, std::atomic<int>& refusals_left)
      : ForwardingEngine(std::move(inner)), refusals_left_(refusals_left) {}

 private:
  Result<bool> DoCompactFile(engine::Role role, const std::string& name,
                             std::uint64_t bytes_per_second) override {
    if (refusals_left_ > 0) {
      --refusals_left_;
      return false;
    }
    return ForwardingEngine::DoCompactFile(role, name, bytes_per_second);
  }
  // So that files leave by being rewritten only.
  Result<bool> DoDropFile(engine::Role, const std::string&) override { return false; }

  std::atomic<int>& refusals_left_;
};

class ReclaimingWhileBusy : public ::testing::Test {
 protected:
  ReclaimingWhileBusy() {
    for (int row = 0; row < kManyReclaimed; ++row) {
      EXPECT_EQ(CodeOf(home_.rows().Put(fmt::format("row {:06}", row), planter_.Distinct(200))),
                kOk);
    }
    home_.Compact();
    EXPECT_GT(DiskBytes(), kManyReclaimed * 200u);
    EXPECT_EQ(CodeOf(home_.rows().Clear()), kOk);
  }

  std::uint64_t DiskBytes() { return home_.database().GetStatistics().value().disk_bytes; }

  std::atomic<int> refusals_left_{0};
  EngineInHand home_{{}, [this](std::unique_ptr<engine::Engine> inner) {
                       return std::make_unique<BusyEngine>(std::move(inner), refusals_left_);
                     }};
  Planter planter_;
};

TEST_F(ReclaimingWhileBusy, WaitsForTheCompactionThatIsInTheWay) {
  refusals_left_ = 20;
  ASSERT_TRUE(home_.database().Reclaim({}).has_value());
  EXPECT_EQ(refusals_left_, 0);
  EXPECT_LT(DiskBytes(), kManyReclaimed * 200u / 5);
}

TEST_F(ReclaimingWhileBusy, DoesNotWaitForEver) {
  refusals_left_ = std::numeric_limits<int>::max();
  EXPECT_TRUE(home_.database().Reclaim({}).has_value());
  EXPECT_GT(DiskBytes(), kManyReclaimed * 200u);
}

TEST_F(ReclaimingWhileBusy, TheReaperLooksAgain) {
  refusals_left_ = 1'000'000;
  const auto reaper = *home_.database().StartReaper();
  for (int look = 0; look < 3; ++look) {  // The last of them has no new deletion to look after.
    home_.clock().Advance(2s);
    reaper->AwaitIdle();
  }
  ASSERT_LT(refusals_left_, 1'000'000);
  EXPECT_GT(DiskBytes(), kManyReclaimed * 200u);
  refusals_left_ = 0;
  home_.clock().Advance(2s);
  reaper->AwaitIdle();
  EXPECT_LT(DiskBytes(), kManyReclaimed * 200u / 5);
}

TEST(ReclaimingInMemory, FindsNothingToDo) {
  DatabaseHome home(EngineKind::kMemory);
  ASSERT_EQ(CodeOf(home.keyspace().SetPolicy({.purge_within = 1h})), kOk);
  ASSERT_EQ(CodeOf(home.keyspace().Put("key", "a value", Lifetime::For(kReclaimTtl))), kOk);
  home.clock().Advance(kReclaimTtl + 1h);
  const auto report = home.database().Reclaim({.everything = true});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->files_dropped + report->files_rewritten, 0u);
  EXPECT_TRUE(home.database().Prove()->kept());
  EXPECT_TRUE(home.database().Prove({.find = "a value"})->traces.empty());
  home.ExpectClean();
}

TEST(ReclaimingTogether, WithAReaperWritersAndSnapshotsStaysExact) {
  EngineInHand home({.state_age_max = 2s});
  Keyspace& rows = home.rows();
  ASSERT_EQ(CodeOf(rows.SetPolicy({.events = EventDetail::kKey, .purge_within = 1s})), kOk);
  const auto reaper = *home.database().StartReaper({.work_percent = 100});
  constexpr int kRounds = 400;
  constexpr int kKeys = 200;
  std::atomic<int> writers{2};
  const auto write = [&](std::uint64_t seed) {
    Random random(seed);
    for (int round = 0; round < kRounds; ++round) {
      const std::string key = std::to_string(random.Below(kKeys));
      const auto ttl = Lifetime::For(Millis(1 + random.Below(3000)));
      EXPECT_EQ(CodeOf(rows.Put(key, random.Bytes(500), ttl)), kOk);
      if (random.OneIn(4)) {
        EXPECT_TRUE(rows.Delete(std::to_string(random.Below(kKeys))).has_value());
      }
      if (random.OneIn(3)) home.clock().Advance(Millis(random.Below(100)));
    }
    --writers;
  };
  RunTogether({[&] { write(1); }, [&] { write(2); },
               [&] {
                 while (writers > 0) {
                   const auto report = home.database().Reclaim({.dead_percent = 5});
                   EXPECT_TRUE(report.has_value()) << report.status().ToString();
                   EXPECT_TRUE(home.database().Prove().has_value());
                 }
               },
               [&] {
                 while (writers > 0) {
                   const auto snapshot = *home.database().NewSnapshot();
                   const auto first = snapshot->In(rows).Count();
                   const auto second = snapshot->In(rows).Count();
                   if (first && second) {
                     EXPECT_EQ(*first, *second);
                   } else {
                     EXPECT_EQ(CodeOf(second), kConflict) << "too old by now";
                   }
                 }
               }});
  home.clock().Advance(10s);
  reaper->AwaitIdle();
  EXPECT_EQ(rows.Count().value(), 0u);
  EXPECT_EQ(StatisticsOf(home.database()).rows, 0u);
  home.ExpectClean();
}

}  // namespace
}  // namespace mayfly
