// Goal: a latched transaction can make a collection larger than memory or a batch may be, and it
// becomes visible as a whole or not at all. Method: a bound of a few members, so that most of them
// are written before the commit; each way a latched transaction can end; and an engine that counts.
#include <gtest/gtest.h>

#include "core/latched_fixture.h"
#include "core/new_database.h"
#include "core/reclaim/orphan_purge.h"
#include "core/store/store_of.h"
#include "core/transactions/latched_transaction_impl.h"
#include "engine/memory/memory_engine.h"
#include "tests/core/counting_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::MemberLifetime;
using core::TransactionKeyspace;

constexpr std::uint64_t kBound = 10;
constexpr std::uint64_t kManyStaged = 95;

std::string StagedName(std::uint64_t i) { return std::to_string(10'000'000 + i); }

class StagedCollection : public ::testing::Test {
 protected:
  StagedCollection() {
    auto engine = std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_);
    database_ = *core::NewDatabase(std::move(engine), {.clock = &clock_});
    core::StoreOf(*database_).draft_bounds().parts_max = kBound;
  }
  ~StagedCollection() override {
    EXPECT_EQ(CodeOf(database_->Purge({})), kOk);
    EXPECT_EQ(StatisticsOf(*database_).orphans, 0u);
    const auto report = database_->Check();
    EXPECT_TRUE(report->clean()) << (report->findings.empty() ? "" : report->findings.front());
  }

  static void Make(TransactionKeyspace& space, Bytes key, std::uint64_t members,
                   MemberLifetime lifetime = MemberLifetime::Forever()) {
    ASSERT_EQ(CodeOf(space.MakeCollection(key, "head", Lifetime::Default())), kOk);
    for (std::uint64_t i = 0; i < members; ++i) {
      ASSERT_EQ(CodeOf(space.PutMember(key, StagedName(i), "v", lifetime, /*known_new=*/true)),
                kOk);
      if (i % 3 != 0) continue;
      ASSERT_EQ(CodeOf(space.PutSide(key, StagedName(i), "s")), kOk);
    }
  }

  std::unique_ptr<core::LatchedTransaction> Begin(const std::vector<Bytes>& keys) {
    core::KeySet scope;
    scope.everything = keys.empty();
    for (const Bytes key : keys) scope.keys.push_back({&rows(), key});
    return *core::BeginLatched(*database_, scope);
  }

  Keyspace& rows() { return database_->default_keyspace(); }

  ManualClock clock_{kStart};
  std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  std::unique_ptr<Database> database_;
};

TEST_F(StagedCollection, IsThereAsAWholeWithTheCommit) {
  auto transaction = Begin({"set"});
  *costs_ = {};
  Make(transaction->In(rows()), "set", kManyStaged);
  EXPECT_GE(costs_->commits, kManyStaged / kBound) << "it was not written ahead";
  EXPECT_FALSE(rows().Exists("set").value());
  EXPECT_EQ(rows().Count().value(), 0u);
  // The transaction itself sees all of it.
  core::FoundRow row;
  ASSERT_EQ(CodeOf(transaction->In(rows()).Find("set", row)), kOk);
  EXPECT_EQ(row.members, kManyStaged);
  core::FoundMember found;
  ASSERT_EQ(CodeOf(transaction->In(rows()).FindMember("set", StagedName(0), found)), kOk);
  EXPECT_TRUE(found.exists);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  transaction.reset();
  EXPECT_LT(costs_->largest_batch, 2 * kBound + 8);
  const Seen seen = Look(*database_, rows(), "set");
  EXPECT_EQ(seen.members, kManyStaged);
  EXPECT_EQ(seen.names.size(), kManyStaged);
  EXPECT_EQ(StatisticsOf(*database_).orphans, 0u);
  EXPECT_EQ(database_->Purge({})->leftovers, 0u);
}

TEST_F(StagedCollection, ChangesWithinItsWork) {
  InLatched(*database_, rows(), {"set", "other"}, [&](TransactionKeyspace& space) {
    Make(space, "set", kManyStaged);
    EXPECT_TRUE(space.RemoveMember("set", StagedName(0)).value());
    EXPECT_FALSE(space.PutMember("set", StagedName(1), "other").value());
    EXPECT_FALSE(
        space.PutMember("set", StagedName(2), "v", MemberLifetime::Until(kStart + 10ms)).value());
    ASSERT_EQ(CodeOf(space.RemoveSide("set", StagedName(3))), kOk);
    ASSERT_EQ(CodeOf(space.Move("set", space, "other")), kOk);
  });
  EXPECT_EQ(Look(*database_, rows(), "other").members, kManyStaged - 1);
  EXPECT_TRUE(database_->Check()->clean());
  clock_.Advance(10ms);
  EXPECT_EQ(database_->Purge({})->members, 1u);
  EXPECT_EQ(Look(*database_, rows(), "other").members, kManyStaged - 2);
}

TEST_F(StagedCollection, MayLoseItsMortalMembersWithinItsWork) {
  InLatched(*database_, rows(), {"set"}, [&](TransactionKeyspace& space) {
    Make(space, "set", kManyStaged, MemberLifetime::Until(kStart + 1h));
    for (std::uint64_t i = 0; i < kManyStaged; ++i) {
      EXPECT_FALSE(space.PutMember("set", StagedName(i), "immortal").value());
    }
  });
  EXPECT_TRUE(database_->Check()->clean());
  EXPECT_EQ(rows().Ttl("set").value(), kForever);
}

TEST_F(StagedCollection, OfAWorkThatIsGivenUpIsPurged) {
  auto transaction = Begin({"set"});
  Make(transaction->In(rows()), "set", kManyStaged, MemberLifetime::Until(kStart + 1h));
  transaction.reset();
  EXPECT_FALSE(rows().Exists("set").value());
  EXPECT_TRUE(database_->Check()->clean());
  EXPECT_EQ(StatisticsOf(*database_).orphans, 1u);
  EXPECT_GT(database_->Purge({})->leftovers, 0u);
  const CheckReport report = *database_->Check();
  EXPECT_EQ(report.members + report.entries, 0u);
}

TEST_F(StagedCollection, ThatIsTakenBackIsPurgedAndTheRestIsDone) {
  auto transaction = Begin({});
  TransactionKeyspace& space = transaction->In(rows());
  Make(space, "before", kManyStaged);
  const auto mark = transaction->SetMark();
  Make(space, "set", kManyStaged);
  // Each change of a collection from before the mark can be rolled back.
  for (std::uint64_t i = 0; i < 3 * kBound; ++i) {
    EXPECT_TRUE(space.RemoveMember("before", StagedName(i)).value());
    EXPECT_TRUE(space.PutMember("before", "more" + StagedName(i), "v").value());
  }
  transaction->RollBack(mark);
  EXPECT_TRUE(space.PutMember("before", "after", "v").value());
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  transaction.reset();
  EXPECT_FALSE(rows().Exists("set").value());
  EXPECT_EQ(Look(*database_, rows(), "before").names.size(), kManyStaged + 1);
  EXPECT_EQ(StatisticsOf(*database_).orphans, 1u);
}

TEST_F(StagedCollection, IsNotPurgedWhileItsWorkGoesOn) {
  InLatched(*database_, rows(), {"gone"},
            [](TransactionKeyspace& space) { Fill(space, "gone", {"a"}); });
  EXPECT_TRUE(rows().Delete("gone").value());
  auto transaction = Begin({"set"});
  Make(transaction->In(rows()), "set", kManyStaged);
  core::Store& store = core::StoreOf(*database_);
  core::OrphanPurge purge(store);
  const auto state = *store.catalog().Find(core::kDefaultKeyspaceName);
  while (purge.Step(*state, 100).value()) continue;
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  transaction.reset();
  EXPECT_EQ(Look(*database_, rows(), "set").names.size(), kManyStaged);
}

TEST_F(StagedCollection, OfAClearedKeyspaceIsWhatTheOrderOfCallsSays) {
  {
    auto transaction = Begin({});
    TransactionKeyspace& space = transaction->In(rows());
    Make(space, "before", kManyStaged);
    ASSERT_EQ(CodeOf(space.Clear()), kOk);
    Make(space, "after", kManyStaged);
    ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  }
  EXPECT_EQ(StatisticsOf(*database_).orphans, 0u);
  EXPECT_FALSE(rows().Exists("before").value());
  EXPECT_EQ(Look(*database_, rows(), "after").names.size(), kManyStaged);
}

TEST_F(StagedCollection, TellsOfTheBornDeadOnceAndOnlyWithTheCommit) {
  EXPECT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKey})), kOk);
  for (const bool commits : {false, true}) {
    auto transaction = Begin({"set"});
    Make(transaction->In(rows()), "set", kManyStaged);
    for (std::uint64_t i = 0; i < kBound; ++i) {
      EXPECT_FALSE(transaction->In(rows())
                       .PutMember("set", StagedName(i), "v", MemberLifetime::Until(kStart))
                       .value());
      EXPECT_TRUE(transaction->In(rows()).PutMember("set", "more" + StagedName(i), "v").value());
    }
    if (commits) {
      ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
    }
    transaction.reset();
    EXPECT_EQ(database_->ReadEvents(0, 1000)->size(), commits ? kBound : 0u);
  }
  EXPECT_EQ(Look(*database_, rows(), "set").names.size(), kManyStaged);
}

// COPY, and MOVE to another keyspace: at n and at 10n the same memory, and cost by members.
TEST_F(StagedCollection, IsCopiedInBoundedBatches) {
  const auto other = *database_->CreateKeyspace("other");
  std::vector<std::uint64_t> changes;
  for (const std::uint64_t members : {kManyStaged, 10 * kManyStaged}) {
    InLatched(*database_, rows(), {"set"}, [&](TransactionKeyspace& space) {
      Make(space, "set", members, MemberLifetime::Until(kStart + 1h));
    });
    for (const bool moves : {false, true}) {
      *costs_ = {};
      auto transaction = *core::BeginLatched(*database_, {.everything = true});
      TransactionKeyspace& target = transaction->In(*other);
      ASSERT_EQ(CodeOf(moves ? transaction->In(rows()).Move("set", target, "copy")
                             : transaction->In(rows()).Copy("set", target, "copy")),
                kOk);
      ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
      transaction.reset();
      EXPECT_LT(costs_->largest_batch, 4 * kBound + 16);
      changes.push_back(costs_->changes);
      EXPECT_EQ(Look(*database_, *other, "copy").names.size(), members);
      EXPECT_EQ(rows().Exists("set").value(), !moves);
      EXPECT_TRUE(other->Delete("copy").value());
      ASSERT_EQ(CodeOf(database_->Purge({})), kOk);
    }
  }
  EXPECT_LT(changes[2], 11 * changes[0]);
  EXPECT_LT(changes[3], 11 * changes[1]);
}

}  // namespace
}  // namespace mayfly
