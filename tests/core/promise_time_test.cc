// Goal: a promise counts from when it was made, by time that has passed; deleted bytes are removed
// whatever the clock does, and cleared ones at once. Method: promises that are made late, a clock
// that jumps, and a grep over all files.
#include <gtest/gtest.h>

#include "core/proof_fixture.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class PromiseTime : public ProvableDeletion {
 protected:
  Millis Overdue(const std::string& name) { return StatisticsOf(database(), name).promise_overdue; }
};

INSTANTIATE_TEST_SUITE_P(Engines, PromiseTime, EnginesWithFiles(), NameOfEngine);

TEST_P(PromiseTime, CountsFromWhenThePromiseWasMade) {
  const auto late = Make("late", {});
  const Planted row = Plant(*late, Lifetime::Forever());
  ASSERT_EQ(CodeOf(late->Delete(row.key)), kOk);
  clock().Advance(10h);
  ASSERT_EQ(CodeOf(late->SetPolicy({.purge_within = 1h})), kOk);
  EXPECT_EQ(Overdue("late"), 0ms);
  EXPECT_TRUE(ProofOf(Prove(), "late").kept);
  clock().Advance(59min);
  EXPECT_EQ(Overdue("late"), 0ms);
  EXPECT_TRUE(ProofOf(Prove(), "late").kept);
  home_.Reopen();
  clock().Advance(6min);
  EXPECT_EQ(Overdue("late"), Millis(5min)) << "after a restart, too";
  EXPECT_FALSE(ProofOf(Prove(), "late").kept);

  const auto again = *database().OpenKeyspace("late");
  ASSERT_EQ(CodeOf(again->SetPolicy({.purge_within = 2h})), kOk);
  EXPECT_EQ(Overdue("late"), 0ms);
  clock().Advance(1h);
  EXPECT_EQ(Overdue("late"), Millis(5min)) << "a longer one counts from when the first was made";
  ASSERT_EQ(CodeOf(again->SetPolicy({.purge_within = 10min})), kOk);
  EXPECT_EQ(Overdue("late"), 0ms) << "a shorter one is another one";
  clock().Advance(11min);
  EXPECT_EQ(Overdue("late"), Millis(1min));
  ReclaimAll();
  EXPECT_EQ(Overdue("late"), 0ms);
  promised_ = *database().OpenKeyspace("promised");
}

TEST_P(PromiseTime, OfADroppedKeyspaceCountsFromWhenItWasMade) {
  const auto late = Make("late", {});
  const Planted row = Plant(*late, Lifetime::Forever());
  clock().Advance(10h);
  ASSERT_EQ(CodeOf(late->SetPolicy({.purge_within = 1h})), kOk);
  ASSERT_EQ(CodeOf(database().DropKeyspace("late")), kOk);
  EXPECT_TRUE(Prove().kept());
}

TEST_P(PromiseTime, WhatWasDeletedLeavesWhileAJumpAwaitsItsDecision) {
  const Planted mortal = Plant(promised(), Lifetime::For(kTtl));
  const Planted before = Plant(promised(), Lifetime::Forever());
  const Planted after = Plant(promised(), Lifetime::Forever());
  const Planted stays = Plant(promised(), Lifetime::Forever());
  ReclaimAll();
  ASSERT_EQ(CodeOf(promised().Delete(before.key)), kOk);
  const auto reaper = *database().StartReaper();
  reaper->AwaitIdle();
  const WallTime right = clock().Now();
  clock().Set(right + 500 * 24h);
  EXPECT_EQ(Overdue("promised"), 0ms) << "no time has passed";
  ASSERT_EQ(CodeOf(promised().Delete(after.key)), kOk);
  Live(*reaper, kPromise);
  EXPECT_TRUE(database().clock_report().physical_deletion_stopped);
  ExpectGone(before, "deleted before the jump");
  ExpectGone(after, "deleted after the jump");
  ExpectThere(mortal, "dead by the jump's word alone");
  ExpectThere(stays, "alive");
  EXPECT_EQ(StatisticsOf(database(), "promised").due_rows, 1u);
  EXPECT_EQ(Overdue("promised"), 0ms) << "it died lately, if at all";

  clock().Set(right + 1min);
  ASSERT_EQ(CodeOf(database().RevertClock()), kOk);
  EXPECT_EQ(database().clock_report().now, right + kPromise) << "time that passed, passed";
  Live(*reaper, kPromise);
  ExpectGone(mortal, "its time had come");
  ExpectThere(stays, "alive");
}

TEST_P(PromiseTime, WhatOnlyAJumpCallsDeadIsNotOverdue) {
  Plant(promised(), Lifetime::For(100h));
  ReclaimAll();
  clock().Set(clock().Now() + 500 * 24h);
  clock().Advance(5h);
  EXPECT_EQ(StatisticsOf(database(), "promised").due_rows, 1u);
  EXPECT_EQ(Overdue("promised"), 0ms);
  ASSERT_EQ(CodeOf(database().ConfirmClock()), kOk);
  EXPECT_GT(Overdue("promised"), 24h);
}

TEST_P(PromiseTime, WhatWasClearedLeavesAtOnce) {
  const Planted row = Plant(promised(), Lifetime::Forever(), kBig);
  const auto other = Make("other", {.purge_within = kPromise});
  const Planted dropped = Plant(*other, Lifetime::Forever(), kBig);
  ReclaimAll();
  const auto reaper = *database().StartReaper();
  reaper->AwaitIdle();
  ExpectThere(row, "alive");
  ASSERT_EQ(CodeOf(promised().Clear()), kOk);
  reaper->AwaitIdle();
  ExpectGone(row, "cleared, and no time has passed");
  clock().Advance(kPromise / 4);
  ASSERT_EQ(CodeOf(database().DropKeyspace("other")), kOk);
  reaper->AwaitIdle();
  ExpectGone(dropped, "dropped, and no time has passed");
}

}  // namespace
}  // namespace mayfly
