// Goal: purge_within is kept: that long after its deadline or delete no byte of a row is in any
// file, and Prove() says so. Method: rows of random bytes, on a clock that stands still, and a grep
// over every file of the database; each search that must find nothing found the same bytes before.
// MAYFLY_SEED repeats a run.
#include <gtest/gtest.h>

#include "core/proof_fixture.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

// One row for every way to end, or not to.
struct Lives {
  std::vector<Planted> gone;    // Has died or was deleted, in all its versions.
  std::vector<Planted> died;    // Of these, the ones that died and were never changed.
  std::vector<Planted> living;  // As it is now.
};

class EveryWayToEnd : public ProvableDeletion {
 protected:
  EveryWayToEnd() {
    timed_ = Make("timed", {.purge_within = kPromise,
                            .order = RowOrder::kTimestamp,
                            .history = 5min,
                            .late_max = 10min});
    plain_ = Make("plain", {});
  }

  // All that ends here has ended when kTtl has passed.
  Lives PlantAll(Keyspace& keyspace) {
    Lives lives;
    for (const std::size_t bytes : {std::size_t{100}, kBig, kHuge}) {
      lives.died.push_back(Plant(keyspace, Lifetime::For(kTtl), bytes));
      lives.gone.push_back(lives.died.back());
      const Planted deleted = Plant(keyspace, Lifetime::Forever(), bytes);
      const Planted deleted_early = Plant(keyspace, Lifetime::For(10 * kPromise), bytes);
      for (const Planted& row : {deleted, deleted_early}) {
        ExpectInFiles(row, "a row before its delete");
        EXPECT_TRUE(keyspace.Delete(row.key).value());
        lives.gone.push_back(row);
      }
      // Overwritten while it lived: with a longer, a shorter and no life before the last one.
      const Planted changing = Plant(keyspace, Lifetime::For(kTtl), bytes);
      lives.gone.push_back(changing);
      for (const Lifetime& lifetime :
           {Lifetime::For(10 * kPromise), Lifetime::Forever(), Lifetime::For(kTtl - 1s)}) {
        const Planted next{changing.key, planter_.Distinct(bytes)};
        EXPECT_EQ(CodeOf(keyspace.Put(next.key, next.value, lifetime)), kOk);
        lives.gone.push_back(next);
      }
      lives.living.push_back(Plant(keyspace, Lifetime::Forever(), bytes));
      lives.living.push_back(Plant(keyspace, Lifetime::For(100 * kPromise), bytes));
    }
    return lives;
  }

  void ExpectLiving(Keyspace& keyspace, const Lives& lives) {
    for (const Planted& row : lives.living) {
      EXPECT_EQ(keyspace.Get(row.key).value_or(""), row.value) << keyspace.name();
    }
    for (const Planted& row : lives.gone) {
      EXPECT_EQ(CodeOf(keyspace.Get(row.key)), kNotFound) << keyspace.name();
    }
  }

  void ExpectGone(const Lives& lives, const std::string& where) {
    const FileBytes files = Files();
    for (std::size_t i = 0; i < lives.gone.size(); ++i) {
      files.ExpectNoneOf(lives.gone[i], where + " row " + std::to_string(i));
    }
    for (const Planted& row : lives.died) {
      EXPECT_TRUE(Prove(row.key_mark()).traces.empty()) << where;
      EXPECT_TRUE(Prove(row.value_marks().front()).traces.empty()) << where;
    }
  }

  // Some may have left early, at a flush, but not those that died by themselves.
  void ExpectThere(const Lives& lives, const std::string& where) {
    for (const Planted& row : lives.died) ExpectInFiles(row, where);
    for (const Planted& row : lives.living) ExpectInFiles(row, where);
  }

  std::shared_ptr<Keyspace> timed_;
  std::shared_ptr<Keyspace> plain_;
};

INSTANTIATE_TEST_SUITE_P(Engines, EveryWayToEnd, EnginesWithFiles(), NameOfEngine);

TEST_P(EveryWayToEnd, LeavesNothingBehindAReaperInTime) {
  const Lives promised = PlantAll(*promised_);
  const Lives timed = PlantAll(*timed_);
  const Lives plain = PlantAll(*plain_);
  ExpectThere(promised, "promised");
  ExpectThere(timed, "timed");
  const auto reaper = *database().StartReaper();
  Live(*reaper, kTtl - 1s);
  ExpectThere(promised, "promised, before its end");
  ExpectThere(timed, "timed, before its end");
  EXPECT_TRUE(Prove().kept()) << "nothing is due yet";

  Live(*reaper, 1s + kPromise);
  ExpectGone(promised, "promised");
  ExpectGone(timed, "timed");
  const Proof proof = Prove();
  EXPECT_TRUE(proof.kept());
  EXPECT_GE(ProofOf(proof, "promised").purged_through, kStart + kTtl);
  EXPECT_GE(ProofOf(proof, "timed").purged_through, kStart + kTtl);
  EXPECT_EQ(ProofOf(proof, "promised").due_rows, 0u);
  EXPECT_EQ(ProofOf(proof, "promised").purge_within, kPromise);
  EXPECT_EQ(ProofOf(proof, "plain").purge_within, std::nullopt);
  ExpectLiving(*promised_, promised);
  ExpectLiving(*timed_, timed);
  ExpectLiving(*plain_, plain);
}

TEST_P(EveryWayToEnd, LeavesNothingBehindAReclaimOfEverything) {
  const Lives promised = PlantAll(*promised_);
  const Lives timed = PlantAll(*timed_);
  const Lives plain = PlantAll(*plain_);
  clock().Advance(kTtl + kPromise - 1ms);
  ExpectThere(promised, "promised");
  ExpectThere(timed, "timed");
  ExpectThere(plain, "plain");
  EXPECT_FALSE(Prove().kept()) << "the deleted ones are over their time";

  const ReclaimReport report = ReclaimAll();
  EXPECT_FALSE(report.held_up);
  EXPECT_FALSE(report.stopped_by_clock);
  EXPECT_GT(report.files_rewritten + report.files_dropped, 0u);
  ExpectGone(promised, "promised");
  ExpectGone(timed, "timed");
  ExpectGone(plain, "plain");
  EXPECT_TRUE(Prove().kept());
  ExpectLiving(*promised_, promised);
  ExpectLiving(*timed_, timed);
  ExpectLiving(*plain_, plain);
}

TEST_P(EveryWayToEnd, LeavesNothingBehindAcrossAReopeningInTheMiddle) {
  const Lives promised = PlantAll(*promised_);
  const Lives timed = PlantAll(*timed_);
  ExpectThere(promised, "promised");
  clock().Advance(kTtl);
  ASSERT_TRUE(database().Purge().has_value());
  promised_.reset();
  timed_.reset();
  plain_.reset();
  home_.Reopen();
  promised_ = *database().OpenKeyspace("promised");
  timed_ = *database().OpenKeyspace("timed");
  EXPECT_TRUE(Files().HasKeyOf(promised.died.front())) << "its tombstone at least";
  {
    const auto reaper = *database().StartReaper();
    Live(*reaper, kPromise);
  }
  ExpectGone(promised, "promised");
  ExpectGone(timed, "timed");
  ExpectLiving(*promised_, promised);
  ExpectLiving(*timed_, timed);
  EXPECT_TRUE(Prove().kept());
}

class WhatElseHoldsBytes : public ProvableDeletion {};

INSTANTIATE_TEST_SUITE_P(Engines, WhatElseHoldsBytes, EnginesWithFiles(), NameOfEngine);

TEST_P(WhatElseHoldsBytes, ABackupIsNamedUntilItIsRemoved) {
  const TemporaryDirectory elsewhere;
  const std::string long_name(100, 't');  // Names of files are told whole.
  const Planted row = Plant(promised(), Lifetime::For(kTtl));
  ASSERT_TRUE(database().Backup(elsewhere.Inside("one")).has_value());
  ASSERT_TRUE(database().Backup(elsewhere.Inside(long_name)).has_value()) << "at the same instant";
  clock().Advance(kTtl + kPromise);
  ReclaimAll();
  ExpectGone(row, "a row that is in backups alone");
  EXPECT_TRUE(FileBytes(elsewhere.path()).HasKeyOf(row));
  EXPECT_TRUE(Names(Prove(), ProofHolder::Kind::kBackup, elsewhere.Inside("one")));
  EXPECT_TRUE(Names(Prove(), ProofHolder::Kind::kBackup, elsewhere.Inside(long_name)));
  std::filesystem::remove(elsewhere.Inside("one"));
  EXPECT_FALSE(Names(Prove(), ProofHolder::Kind::kBackup, elsewhere.Inside("one")));
  EXPECT_TRUE(Names(Prove(), ProofHolder::Kind::kBackup, elsewhere.Inside(long_name)));
  std::filesystem::remove(elsewhere.Inside(long_name));
  EXPECT_TRUE(Prove().holders.empty());
}

TEST_P(WhatElseHoldsBytes, AnEventCanBeReadAndThenGoesInTime) {
  const auto loud = Make("loud", {.events = EventDetail::kKeyAndValue, .purge_within = kPromise});
  const auto kept = Make("kept", {.events = EventDetail::kKeyAndValue});
  const Planted row = Plant(*loud, Lifetime::For(kTtl));
  const Planted other = Plant(*kept, Lifetime::For(kTtl));
  const auto reaper = *database().StartReaper();
  Live(*reaper, kTtl);
  const auto events = database().ReadEvents(0, 10).value();
  ASSERT_EQ(events.size(), 2u);
  Live(*reaper, kPromise / 4);
  EXPECT_EQ(database().ReadEvents(0, 10)->size(), 2u) << "a quarter of the time at least";
  Files().ExpectBothOf(row, "a row with an event");

  Live(*reaper, kPromise * 3 / 4);
  ExpectGone(row, "a row that had an event");
  const auto left = database().ReadEvents(0, 10).value();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left.front().key, other.key) << "without a promise events stay until they are trimmed";
  EXPECT_EQ(left.front().value, other.value);
  EXPECT_TRUE(Prove().kept());
  EXPECT_GE(ProofOf(Prove(), "loud").purged_through, kStart + kTtl);

  // The number of an event is never given out again.
  const Planted next = Plant(*loud, Lifetime::For(1min));
  Live(*reaper, 1min);
  const auto after = database().ReadEvents(2, 10).value();
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after.front().key, next.key);
  EXPECT_EQ(after.front().sequence, 3u);
}

TEST_P(WhatElseHoldsBytes, AClearedKeyspaceIsGoneInTime) {
  const Planted row = Plant(promised(), Lifetime::Forever());
  const Planted mortal = Plant(promised(), Lifetime::For(10 * kPromise), kBig);
  ASSERT_EQ(CodeOf(promised().Clear()), kOk);
  Files().ExpectBothOf(row, "what was cleared");
  const auto reaper = *database().StartReaper();
  Live(*reaper, kPromise);
  ExpectGone(row, "what was cleared");
  ExpectGone(mortal, "what was cleared");
}

TEST_P(WhatElseHoldsBytes, AnUnpurgedBacklogBreaksThePromiseAndIsNamed) {
  const Planted row = Plant(promised(), Lifetime::For(kTtl));
  clock().Advance(kTtl + kPromise - 1ms);
  EXPECT_TRUE(Prove().kept());
  EXPECT_TRUE(Names(Prove(), ProofHolder::Kind::kBacklog, "promised"));
  clock().Advance(1ms);
  EXPECT_FALSE(Prove().kept());
  EXPECT_EQ(ProofOf(Prove(), "promised").due_rows, 1u);
  EXPECT_EQ(ProofOf(Prove(), "promised").purged_through, kStart + kTtl - 1ms);
}

}  // namespace
}  // namespace mayfly
