// Goal: counts and cursors of a latched transaction read one state, taken before its instant, so
// that a concurrent purge neither shows a part of what died together nor makes dead rows count.
// Method: one thread; an engine purges at the one moment in which it could be noticed.
#include <gtest/gtest.h>

#include <functional>

#include "core/latched_fixture.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "tests/engine/forwarding_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::BeginLatched;
using core::LatchedTransaction;

// Runs something once, before the next cursor over the expiry index is made.
class InterruptedEngine final : public engine::suite::ForwardingEngine {
 public:
  InterruptedEngine(std::unique_ptr<engine::Engine> inner,
                    std::shared_ptr<std::function<void()>> before)
      : ForwardingEngine(std::move(inner)), before_(std::move(before)) {}

 private:
  Result<std::unique_ptr<engine::Cursor>> DoNewCursor(
      engine::Address at, const engine::CursorOptions& options) const override {
    if (at.role == engine::Role::kExpiry && *before_) std::exchange(*before_, nullptr)();
    return ForwardingEngine::DoNewCursor(at, options);
  }

  const std::shared_ptr<std::function<void()>> before_;  // Shared with the test.
};

class LatchedCursors : public ::testing::Test {
 protected:
  LatchedCursors() {
    auto engine = std::make_unique<InterruptedEngine>(engine::NewMemoryEngine(), before_index_);
    database_ = *core::NewDatabase(std::move(engine), {.clock = &clock_});
    for (const char* const key : {"a", "b", "c", "d"}) {
      EXPECT_EQ(CodeOf(rows().Put(key, "value", Lifetime::For(10ms))), kOk);
    }
    EXPECT_EQ(CodeOf(rows().Put("immortal", "value")), kOk);
  }
  ~LatchedCursors() override { EXPECT_TRUE(database_->Check()->clean()); }

  Keyspace& rows() { return database_->default_keyspace(); }
  std::unique_ptr<LatchedTransaction> BeginWalks() {
    return *BeginLatched(*database_, {.walks = true});
  }
  void Purge(std::uint64_t rows_max) {
    EXPECT_EQ(database_->Purge({.rows_max = rows_max})->rows, rows_max);
  }
  std::vector<std::string> Keys(LatchedTransaction& transaction) {
    std::vector<std::string> keys;
    const auto walk = *transaction.In(rows()).NewCursor();
    for (walk->SeekToFirst(); walk->Valid(); walk->Next()) keys.emplace_back(walk->key());
    return keys;
  }

  ManualClock clock_{kStart};
  std::shared_ptr<std::function<void()>> before_index_ = std::make_shared<std::function<void()>>();
  std::unique_ptr<Database> database_;
};

TEST_F(LatchedCursors, ACountLeavesOutTheDeadWhilePurgesGoOn) {
  clock_.Advance(10ms);
  const auto transaction = BeginWalks();
  *before_index_ = [&] { Purge(3); };
  EXPECT_EQ(transaction->In(rows()).Count().value(), 1u);
  EXPECT_EQ(*before_index_, nullptr) << "the purge came at the moment it was meant for";
}

TEST_F(LatchedCursors, OfRowsThatDieTogetherAllAreShownOrNone) {
  clock_.Advance(9ms);
  const auto transaction = BeginWalks();
  clock_.Advance(1ms);
  Purge(2);
  EXPECT_EQ(Keys(*transaction), (std::vector<std::string>{"a", "b", "c", "d", "immortal"}));
  EXPECT_EQ(transaction->In(rows()).Count().value(), 5u);
  EXPECT_EQ(Keys(*BeginWalks()), std::vector<std::string>{"immortal"});
}

TEST_F(LatchedCursors, ASlowWorkShowsItsOwnWritesOverTheState) {
  auto transaction =
      *BeginLatched(*database_, {.keys = {{&rows(), "a"}, {&rows(), "new"}}, .walks = true});
  ASSERT_EQ(CodeOf(rows().Put("other", "value")), kOk);
  ASSERT_TRUE(transaction->In(rows()).Delete("a").value());
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("new", "value", Lifetime::Forever())), kOk);
  EXPECT_EQ(Keys(*transaction), (std::vector<std::string>{"b", "c", "d", "immortal", "new"}));
  EXPECT_EQ(transaction->In(rows()).Count().value(), 5u);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(Keys(*BeginWalks()),
            (std::vector<std::string>{"b", "c", "d", "immortal", "new", "other"}));
}

TEST_F(LatchedCursors, ABoundEndsAWalkOverTheDeadWhereItCanGoOn) {
  clock_.Advance(10ms);
  const auto transaction = BeginWalks();
  const auto walk = *transaction->In(rows()).NewCursor({}, 2);
  walk->SeekToFirst();
  EXPECT_FALSE(walk->Valid());
  ASSERT_EQ(walk->stopped_at(), "c");
  EXPECT_EQ(CodeOf(walk->status()), kOk);
  walk->SeekAtOrAfter("c");
  ASSERT_TRUE(walk->Valid());
  EXPECT_EQ(walk->key(), "immortal");
  EXPECT_EQ(walk->stopped_at(), std::nullopt);
  walk->Next();
  EXPECT_FALSE(walk->Valid());
  EXPECT_EQ(walk->stopped_at(), std::nullopt) << "the range ended";
}

TEST_F(LatchedCursors, ABoundedWalkShowsOwnRowsBeforeItStops) {
  clock_.Advance(10ms);
  const auto transaction =
      *BeginLatched(*database_, {.keys = {{&rows(), "aa"}, {&rows(), "dd"}}, .walks = true});
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("aa", "v", Lifetime::Forever())), kOk);
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("dd", "v", Lifetime::Forever())), kOk);
  const auto walk = *transaction->In(rows()).NewCursor({}, 2);
  walk->SeekToFirst();
  ASSERT_TRUE(walk->Valid());
  EXPECT_EQ(walk->key(), "aa");
  walk->Next();
  EXPECT_FALSE(walk->Valid());
  EXPECT_EQ(walk->stopped_at(), "c");
}

TEST_F(LatchedCursors, TheLivingWithADeadlineAreFoundInTheOrderInWhichTheyDie) {
  ASSERT_EQ(CodeOf(rows().Put("z", "v", Lifetime::For(20ms))), kOk);
  ASSERT_EQ(CodeOf(rows().Put("y", "v", Lifetime::For(30ms))), kOk);
  clock_.Advance(10ms);
  const auto transaction = *BeginLatched(*database_, {.keys = {{&rows(), "z"}}, .walks = true});
  EXPECT_EQ(transaction->In(rows()).MortalKey(0).value(), "z");
  EXPECT_EQ(transaction->In(rows()).MortalKey(1).value(), "y");
  EXPECT_EQ(transaction->In(rows()).MortalKey(2).value(), std::nullopt);
  ASSERT_TRUE(transaction->In(rows()).Delete("z").value());
  EXPECT_EQ(transaction->In(rows()).MortalKey(0).value(), "y");
}

TEST_F(LatchedCursors, AWorkThatWasNotBegunForItDoesNotWalk) {
  const auto transaction = *BeginLatched(*database_, {});
  EXPECT_EQ(CodeOf(transaction->In(rows()).Count()), kInternal);
  EXPECT_EQ(CodeOf(transaction->In(rows()).NewCursor()), kInternal);
}

}  // namespace
}  // namespace mayfly
