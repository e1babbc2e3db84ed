// Goal: bytes that an open snapshot, transaction or cursor shows stay, Prove() reports it and the
// broken promise, which is kept as soon as they are closed or revoked. Method: as in
// provable_deletion_test.cc, with one of them open.
#include <gtest/gtest.h>

#include <functional>

#include "core/proof_fixture.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

// A snapshot, transaction or cursor that shows the row, and its name in a proof.
struct Holder {
  ProofHolder::Kind kind;
  std::shared_ptr<void> handle;
  std::function<void()> check;  // Checks that it still shows the row.
};

class HeldUp : public ProvableDeletion {
 protected:
  using ProvableDeletion::ProvableDeletion;

  Holder OpenSnapshot(const Planted& row) {
    std::shared_ptr<Snapshot> snapshot = *database().NewSnapshot();
    return {ProofHolder::Kind::kSnapshot, snapshot, [this, snapshot, row] {
              EXPECT_EQ(snapshot->In(promised()).Get(row.key).value_or(""), row.value);
              EXPECT_EQ(snapshot->In(promised()).Count().value_or(0), 1u);
            }};
  }
  Holder OpenTransaction(const Planted& row) {
    std::shared_ptr<Transaction> transaction = *database().Begin();
    return {ProofHolder::Kind::kTransaction, transaction, [this, transaction, row] {
              EXPECT_EQ(transaction->In(promised()).Get(row.key).value_or(""), row.value);
            }};
  }
  Holder OpenCursor(const Planted& row) {
    std::shared_ptr<Cursor> cursor = *promised().NewCursor();
    return {ProofHolder::Kind::kCursor, cursor, [cursor, row] {
              cursor->SeekToFirst();
              ASSERT_TRUE(cursor->Valid()) << cursor->status().ToString();
              EXPECT_EQ(cursor->key(), row.key);
              EXPECT_EQ(cursor->value(), row.value);
            }};
  }

  void ExpectToBeHeldUpBy(Holder holder, const Planted& row) {
    clock().Advance(kTtl + kPromise);
    EXPECT_TRUE(ReclaimAll().held_up);
    holder.check();
    ExpectThere(row, "what is still shown");
    const Proof held = Prove();
    EXPECT_TRUE(Names(held, holder.kind, "is open since"));
    EXPECT_FALSE(held.kept());
    EXPECT_LT(ProofOf(held, "promised").purged_through, kStart + kTtl);

    holder = {};
    EXPECT_FALSE(ReclaimAll().held_up);
    ExpectGone(row, "what nobody shows any more");
    const Proof proof = Prove();
    EXPECT_TRUE(proof.kept());
    EXPECT_TRUE(proof.holders.empty());
    EXPECT_EQ(ProofOf(proof, "promised").purged_through, clock().Now());
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, HeldUp, EnginesWithFiles(), NameOfEngine);

TEST_P(HeldUp, ByAnOpenSnapshotAndSaysSo) {
  const Planted row = Plant(promised(), Lifetime::For(kTtl));
  ExpectToBeHeldUpBy(OpenSnapshot(row), row);
}

TEST_P(HeldUp, ByAnOpenTransactionAndSaysSo) {
  const Planted row = Plant(promised(), Lifetime::For(kTtl));
  ExpectToBeHeldUpBy(OpenTransaction(row), row);
}

TEST_P(HeldUp, ByAnOpenCursorAndSaysSo) {
  const Planted row = Plant(promised(), Lifetime::For(kTtl), kBig);
  ExpectToBeHeldUpBy(OpenCursor(row), row);
}

TEST_P(HeldUp, ByASnapshotOfADeletedRow) {
  const Planted row = Plant(promised(), Lifetime::Forever());
  Holder holder = OpenSnapshot(row);
  ASSERT_TRUE(promised().Delete(row.key).value());
  ExpectToBeHeldUpBy(std::move(holder), row);
}

TEST_P(HeldUp, AReaperTriesAgainUntilTheSnapshotIsClosed) {
  const Planted row = Plant(promised(), Lifetime::For(kTtl));
  Holder holder = OpenSnapshot(row);
  const auto reaper = *database().StartReaper();
  Live(*reaper, kTtl + kPromise);
  ExpectThere(row, "what is still shown");
  EXPECT_FALSE(Prove().kept());
  EXPECT_TRUE(Names(Prove(), ProofHolder::Kind::kSnapshot));
  holder = {};
  Live(*reaper, kPromise / 8);
  ExpectGone(row, "what nobody shows any more");
  EXPECT_TRUE(Prove().kept());
}

class OldStatesGo : public HeldUp {
 protected:
  OldStatesGo() : HeldUp({.state_age_max = 20min}) {}
};

INSTANTIATE_TEST_SUITE_P(Engines, OldStatesGo, EnginesWithFiles(), NameOfEngine);

TEST_P(OldStatesGo, AndThePromiseIsKeptThoughTheyWereNeverClosed) {
  const Planted row = Plant(promised(), Lifetime::For(kTtl));
  const auto snapshot = *database().NewSnapshot();
  const auto transaction = *database().Begin();
  const auto cursor = *promised().NewCursor();
  cursor->SeekToFirst();
  ASSERT_TRUE(cursor->Valid());
  const auto reaper = *database().StartReaper();
  Live(*reaper, 20min);
  EXPECT_EQ(snapshot->In(promised()).Get(row.key).value_or(""), row.value) << "not yet";
  Live(*reaper, kTtl + kPromise - 20min);
  EXPECT_EQ(CodeOf(snapshot->In(promised()).Get(row.key)), kConflict);
  EXPECT_EQ(CodeOf(transaction->In(promised()).Get(row.key)), kConflict);
  EXPECT_EQ(cursor->key(), row.key) << "what it showed last stays in memory";
  cursor->Next();
  EXPECT_EQ(CodeOf(cursor->status()), kConflict);
  ExpectGone(row, "what was taken away from those who looked at it");
  EXPECT_TRUE(Prove().kept());
  EXPECT_TRUE(Prove().holders.empty());
  EXPECT_EQ(database().GetStatistics()->revoked_states, 3u);
}

}  // namespace
}  // namespace mayfly
