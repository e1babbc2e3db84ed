// Goal: removing or renaming a collection costs one row, and its members are removed in bounded
// steps. Method: an engine that counts its calls, and a hundred thousand members.
#include <gtest/gtest.h>

#include "core/latched_fixture.h"
#include "core/layout/collection_codec.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "tests/core/counting_engine.h"
#include "tests/core/engine_in_hand.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::MemberLifetime;
using core::TransactionKeyspace;

constexpr std::uint64_t kMany = 100'000;

// Numbers of equal length, so that members lie in the order of numbers.
std::string Name(std::uint64_t i) { return std::to_string(10'000'000 + i); }

class LargeCollection : public ::testing::Test {
 protected:
  LargeCollection() {
    auto engine = std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_);
    database_ = *core::NewDatabase(std::move(engine), {.clock = &clock_});
    core::StoreOf(*database_).draft_bounds().packed_bytes_max = 0;
  }
  ~LargeCollection() override { EXPECT_TRUE(database_->Check()->clean()); }

  void Fill(std::uint64_t members, MemberLifetime lifetime = MemberLifetime::Forever()) {
    InLatched(*database_, rows(), {"set"}, [&](TransactionKeyspace& space) {
      ASSERT_EQ(CodeOf(space.MakeCollection("set", "head", Lifetime::Default())), kOk);
      for (std::uint64_t i = 0; i < members; ++i) {
        ASSERT_EQ(CodeOf(space.PutMember("set", Name(i), "v", lifetime, /*known_new=*/true)), kOk);
      }
      ASSERT_EQ(CodeOf(space.PutSide("set", "side", "v")), kOk);
    });
  }

  EngineCosts CostsOf(const std::function<void()>& something) {
    *costs_ = {};
    something();
    return *costs_;
  }

  Keyspace& rows() { return database_->default_keyspace(); }

  ManualClock clock_{kStart};
  std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  std::unique_ptr<Database> database_;
};

// However it ends, it costs a few changes and no scan.
void ExpectCheap(const EngineCosts& costs) {
  EXPECT_LT(costs.changes, 12u);
  EXPECT_LT(costs.gets, 12u);
  EXPECT_LT(costs.cursor_moves, 12u);
}

TEST_F(LargeCollection, IsDeletedAtTheCostOfARow) {
  Fill(kMany);
  ExpectCheap(CostsOf([&] {
    InLatched(*database_, rows(), {"set"},
              [](TransactionKeyspace& space) { EXPECT_TRUE(space.Delete("set").value()); });
  }));
  EXPECT_EQ(rows().Count().value(), 0u);
  EXPECT_EQ(StatisticsOf(*database_).orphans, 1u);
}

TEST_F(LargeCollection, IsReplacedAtTheCostOfARow) {
  Fill(kMany);
  ExpectCheap(CostsOf([&] { ASSERT_EQ(CodeOf(rows().Put("set", "plain")), kOk); }));
  EXPECT_EQ(rows().Get("set").value(), "plain");
}

TEST_F(LargeCollection, ExpiresAtNoCostAndIsCountedAtNone) {
  Fill(kMany);
  EXPECT_TRUE(rows().Expire("set", Lifetime::For(10ms)).value());
  clock_.Advance(9ms);
  EXPECT_EQ(Look(*database_, rows(), "set").members, kMany);
  clock_.Advance(1ms);
  ExpectCheap(CostsOf([&] {
    EXPECT_FALSE(rows().Exists("set").value());  // Which purges the row.
    EXPECT_EQ(rows().Count().value(), 0u);
  }));
  EXPECT_EQ(StatisticsOf(*database_).orphans, 1u);
}

// RENAME; a growth test in one: the same cost at a thousand members and at a hundred thousand.
TEST_F(LargeCollection, GetsAnotherKeyAtTheCostOfARow) {
  for (const std::uint64_t members : {kMany / 100, kMany}) {
    for (const auto lifetime : {MemberLifetime::Forever(), MemberLifetime::Until(kStart + 1h)}) {
      Fill(members, lifetime);
      ExpectCheap(CostsOf([&] {
        InLatched(*database_, rows(), {"set", "other"}, [](TransactionKeyspace& space) {
          ASSERT_EQ(CodeOf(space.Move("set", space, "other")), kOk);
        });
      }));
      EXPECT_FALSE(Look(*database_, rows(), "set").exists);
      EXPECT_EQ(Look(*database_, rows(), "other").members, members);
      EXPECT_EQ(StatisticsOf(*database_).orphans, 0u);
      EXPECT_TRUE(database_->Check()->clean());
      EXPECT_TRUE(rows().Delete("other").value());
      ASSERT_EQ(CodeOf(database_->Purge({})), kOk);
    }
  }
}

TEST_F(LargeCollection, MovesWithinAWorkAsItStandsThere) {
  Fill(10, MemberLifetime::Until(kStart + 1h));
  InLatched(*database_, rows(), {"set", "other", "third"}, [](TransactionKeyspace& space) {
    mayfly::Fill(space, "third", {"x"});
    EXPECT_TRUE(space.PutMember("set", "new", "v").value());
    EXPECT_TRUE(space.RemoveMember("set", Name(0)).value());
    ASSERT_EQ(CodeOf(space.Move("set", space, "other")), kOk);
    EXPECT_TRUE(space.RemoveMember("other", Name(1)).value());
    mayfly::Fill(space, "set", {"fresh"});
    // Round in a circle: three collections, each under another's key.
    ASSERT_EQ(CodeOf(space.Move("third", space, "set")), kOk);
  });
  EXPECT_EQ(Look(*database_, rows(), "other").members, 9u);
  EXPECT_EQ(Look(*database_, rows(), "set").names, std::vector<std::string>{"x"});
  EXPECT_FALSE(Look(*database_, rows(), "third").exists);
  EXPECT_TRUE(database_->Check()->clean());
  EXPECT_EQ(database_->Check()->members, 9u + 8u + 1u + 1u);  // With the order and the side.
}

TEST_F(LargeCollection, ThatIsMovedAndDeletedInOneWorkLeavesItsMembersToThePurge) {
  Fill(10);
  InLatched(*database_, rows(), {"set", "other"}, [](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.Move("set", space, "other")), kOk);
    EXPECT_TRUE(space.Delete("other").value());
  });
  EXPECT_EQ(StatisticsOf(*database_).orphans, 1u);
  EXPECT_EQ(database_->Purge({})->leftovers, 11u);
}

TEST_F(LargeCollection, ThatWasMovedBackByARollbackIsWhereItWas) {
  Fill(10, MemberLifetime::Until(kStart + 1h));
  auto transaction = *core::BeginLatched(*database_, {.everything = true});
  TransactionKeyspace& space = transaction->In(rows());
  const auto mark = transaction->SetMark();
  ASSERT_EQ(CodeOf(space.Move("set", space, "other")), kOk);
  transaction->RollBack(mark);
  EXPECT_TRUE(space.PutMember("set", "new", "v").value());
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  transaction.reset();
  EXPECT_EQ(Look(*database_, rows(), "set").members, 11u);
  EXPECT_FALSE(Look(*database_, rows(), "other").exists);
}

TEST_F(LargeCollection, ChangesAtTheCostOfTheChange) {
  Fill(kMany);
  ExpectCheap(CostsOf([&] {
    InLatched(*database_, rows(), {"set"}, [](TransactionKeyspace& space) {
      EXPECT_TRUE(space.PutMember("set", "new", "v").value());
      EXPECT_TRUE(space.RemoveMember("set", Name(7)).value());
      EXPECT_FALSE(space.PutMember("set", Name(8), "other").value());
      core::FoundRow row;
      ASSERT_EQ(CodeOf(space.Find("set", row)), kOk);
      EXPECT_EQ(row.members, kMany);
    });
  }));
}

TEST_F(LargeCollection, KnowsItsLivingMembersWithoutAWalkOverThem) {
  Fill(kMany, MemberLifetime::Until(kStart + 1h));
  InLatched(*database_, rows(), {"set"}, [](TransactionKeyspace& space) {
    for (std::uint64_t i = 0; i < 5; ++i) {
      EXPECT_FALSE(
          space.PutMember("set", Name(i), "v", MemberLifetime::Until(kStart + 10ms)).value());
    }
  });
  clock_.Advance(10ms);
  // As many steps as there are dead members, for the count; the last deadline costs none.
  ExpectCheap(CostsOf([&] {
    InLatched(*database_, rows(), {"set"}, [](TransactionKeyspace& space) {
      core::FoundRow row;
      ASSERT_EQ(CodeOf(space.Find("set", row)), kOk);
      EXPECT_EQ(row.members, kMany - 5);
      EXPECT_TRUE(space.Expire("set", Lifetime::Forever()).value());
    });
  }));
  EXPECT_EQ(rows().Ttl("set").value(), 1h - 10ms);
}

TEST_F(LargeCollection, LeavesWhatIsRemovedInBoundedSteps) {
  Fill(kMany);
  EXPECT_TRUE(rows().Delete("set").value());
  std::uint64_t leftovers = 0;
  const EngineCosts costs = CostsOf([&] {
    for (;;) {
      const PurgeReport report = *database_->Purge({.rows_max = 1000});
      leftovers += report.leftovers;
      EXPECT_LE(report.leftovers, 1000u);
      if (!report.more_due) return;
    }
  });
  EXPECT_EQ(leftovers, kMany + 1);  // With its side.
  EXPECT_EQ(database_->GetStatistics()->removed_collections, 1u);
  EXPECT_LT(costs.largest_batch, 300u);
  EXPECT_LT(costs.changes, kMany + kMany / 10);
  EXPECT_EQ(StatisticsOf(*database_).orphans, 0u);
  EXPECT_EQ(database_->Check()->members, 0u);
}

TEST_F(LargeCollection, OfMortalsTakesItsEntriesWithIt) {
  Fill(1000, MemberLifetime::Until(kStart + 1h));
  EXPECT_TRUE(rows().Delete("set").value());
  ASSERT_EQ(CodeOf(database_->Purge({})), kOk);
  const CheckReport report = *database_->Check();
  EXPECT_EQ(report.members, 0u);
  EXPECT_EQ(report.entries, 0u);
}

TEST_F(LargeCollection, WhoseMembersDieTogetherIsPurgedInBatches) {
  Fill(1000, MemberLifetime::Until(kStart + 10ms));
  InLatched(*database_, rows(), {"set"}, [](TransactionKeyspace& space) {
    EXPECT_TRUE(space.PutMember("set", "immortal", "v").value());
  });
  clock_.Advance(10ms);
  const EngineCosts costs = CostsOf([&] { EXPECT_EQ(database_->Purge({})->members, 1000u); });
  EXPECT_LT(costs.changes, 4000u);  // Member, order and entry each, and a row for each batch.
  EXPECT_EQ(Look(*database_, rows(), "set").members, 1u);
  EXPECT_EQ(database_->GetStatistics()->purged_members, 1000u);
}

// The engine's costs until all members that die together are purged, by batches of the reaper's
// size, and the costs of reading the collection in the middle of it.
struct CollectionPurgeCosts {
  std::uint64_t purge;
  std::uint64_t look;
};

CollectionPurgeCosts CostsOfDeathTogether(std::uint64_t members) {
  const auto costs = std::make_shared<EngineCosts>();
  ManualClock clock{kStart};
  const auto database = *core::NewDatabase(
      std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs), {.clock = &clock});
  Keyspace& rows = database->default_keyspace();
  InLatched(*database, rows, {"hash"}, [&](TransactionKeyspace& space) {
    Fill(space, "hash", {"stays"});
    for (std::uint64_t i = 0; i < members; ++i) {
      ASSERT_EQ(CodeOf(space.PutMember("hash", Name(i), "v", MemberLifetime::Until(kStart + 10ms),
                                       /*known_new=*/true)),
                kOk);
    }
  });
  clock.Advance(10ms);
  const auto steps = [&] { return costs->cursor_moves + costs->tombstones + costs->gets; };
  const auto look = [&] { EXPECT_EQ(Look(*database, rows, "hash").members, 1u); };
  *costs = {};
  for (std::uint64_t purged = 0; purged < members / 2; purged += 16) {
    EXPECT_EQ(database->Purge({.rows_max = 16})->members, 16u);
  }
  const std::uint64_t half = steps();
  core::FoundRow row;
  InLatched(*database, rows, {"hash"},
            [&](TransactionKeyspace& space) { EXPECT_EQ(CodeOf(space.Find("hash", row)), kOk); });
  EXPECT_EQ(row.members, 1u);
  const std::uint64_t one_look = steps() - half;
  EXPECT_FALSE(database->Purge()->more_due);
  look();
  EXPECT_TRUE(database->Check()->clean());
  return {.purge = half, .look = one_look};
}

TEST(CollectionCosts, MembersThatDieTogetherArePurgedAtACostThatGrowsWithThemAlone) {
  const CollectionPurgeCosts few = CostsOfDeathTogether(1600);
  const CollectionPurgeCosts many = CostsOfDeathTogether(16000);
  EXPECT_LT(many.purge, 12 * few.purge);
  EXPECT_LT(many.look, few.look + 4);
}

TEST_F(LargeCollection, CountsItsDeadOnceHoweverOftenItIsReadBeforeAPurge) {
  InLatched(*database_, rows(), {"hash"}, [&](TransactionKeyspace& space) {
    mayfly::Fill(space, "hash", {"stays"});
    for (std::uint64_t i = 0; i < kMany; ++i) {
      ASSERT_EQ(CodeOf(space.PutMember("hash", Name(i), "v", MemberLifetime::Until(kStart + 10ms),
                                       /*known_new=*/true)),
                kOk);
    }
  });
  const auto find = [&] {
    InLatched(*database_, rows(), {"hash"}, [](TransactionKeyspace& space) {
      core::FoundRow row;
      ASSERT_EQ(CodeOf(space.Find("hash", row)), kOk);
      EXPECT_EQ(row.members, 1u);
    });
  };
  clock_.Advance(10ms);
  find();
  EXPECT_LT(CostsOf(find).cursor_moves, 5u);
  // A member that dies later is counted beside the known ones.
  InLatched(*database_, rows(), {"hash"}, [](TransactionKeyspace& space) {
    ASSERT_TRUE(
        space.PutMember("hash", "later", "v", MemberLifetime::Until(kStart + 20ms)).value());
  });
  clock_.Advance(10ms);
  EXPECT_LT(CostsOf(find).cursor_moves, 5u);
  EXPECT_TRUE(database_->Check()->clean());
}

TEST_F(LargeCollection, GoesWithItsKeyspace) {
  const auto other = *database_->CreateKeyspace("other");
  for (const bool drop : {false, true}) {
    InLatched(*database_, *other, {}, [](TransactionKeyspace& space) {
      mayfly::Fill(space, "set", {"a", "b"}, MemberLifetime::Until(kStart + 1h));
      mayfly::Fill(space, "gone", {"a", "b"});
    });
    EXPECT_TRUE(other->Delete("gone").value());
    ASSERT_EQ(CodeOf(drop ? database_->DropKeyspace("other") : other->Clear()), kOk);
    const CheckReport report = *database_->Check();
    EXPECT_EQ(report.members + report.entries, 0u);
    EXPECT_EQ(database_->Purge({})->leftovers, 0u);
  }
}

class CollectionUpkeep : public EachEngine {
 protected:
  CollectionUpkeep() { home_.Unpack(); }

  void In(const std::function<void(TransactionKeyspace&)>& something) {
    InLatched(database(), rows(), {}, something);
  }
};

TEST_P(CollectionUpkeep, TheReaperRemovesWhatADeleteLeft) {
  const auto reaper = *database().StartReaper({.work_percent = 100});
  reaper->AwaitIdle();
  In([](TransactionKeyspace& space) { Fill(space, "set", {"a", "b", "c"}); });
  EXPECT_TRUE(rows().Delete("set").value());
  reaper->AwaitIdle();
  EXPECT_EQ(StatisticsOf(database()).orphans, 0u);
  EXPECT_EQ(database().Check()->members, 0u);
}

TEST_P(CollectionUpkeep, AReopenedDatabaseGoesOnWithWhatIsLeft) {
  if (!home_.persistent()) return;
  In([&](TransactionKeyspace& space) {
    Fill(space, "gone", {"a", "b"});
    Fill(space, "dying", {"c"});
    Fill(space, "dying", {"d"}, MemberLifetime::Until(clock().Now() + 10ms));
  });
  EXPECT_TRUE(rows().Delete("gone").value());
  home_.Reopen();
  EXPECT_EQ(StatisticsOf(database()).orphans, 1u);
  clock().Advance(10ms);
  const PurgeReport report = *database().Purge({});
  EXPECT_EQ(report.leftovers, 2u);
  EXPECT_EQ(report.members, 1u);
}

TEST_P(CollectionUpkeep, NoVersionIsUsedTwice) {
  if (!home_.persistent()) return;
  // The same key, emptied and made again, before and after a restart: if a collection id were
  // reused, the members that are still queued would come back.
  for (int i = 0; i < 4; ++i) {
    In([&](TransactionKeyspace& space) { Fill(space, "set", {std::to_string(i)}); });
    EXPECT_EQ(Look(database(), rows(), "set").names, std::vector<std::string>{std::to_string(i)});
    EXPECT_TRUE(rows().Delete("set").value());
    home_.Reopen();
  }
  EXPECT_EQ(StatisticsOf(database()).orphans, 4u);
}

TEST_P(CollectionUpkeep, ADeadLargeOneIsSeenNowhereBeforeItIsPurged) {
  In([&](TransactionKeyspace& space) {
    Fill(space, "set", {"a", "b"}, MemberLifetime::Until(clock().Now() + 10ms));
  });
  const auto snapshot = *database().NewSnapshot();
  clock().Advance(10ms);
  EXPECT_FALSE(Look(database(), rows(), "set").exists);
  const PurgeReport report = *database().Purge({});
  EXPECT_EQ(report.rows, 1u);
  EXPECT_EQ(report.members + report.leftovers, 2u);
  EXPECT_EQ(database().Check()->members, 0u);
  EXPECT_TRUE(snapshot->In(rows()).Exists("set").value()) << "it was alive then";
}

INSTANTIATE_TEST_SUITE_P(Engines, CollectionUpkeep, AllEngines(), NameOfEngine);

// Compaction drops purged members, and nothing else of a collection.
TEST(CollectionCompaction, DropsPurgedMembersAndKeepsTheLiving) {
  EngineInHand hand;
  Keyspace& rows = hand.database().default_keyspace();
  InLatched(hand.database(), rows, {"set"}, [&](TransactionKeyspace& space) {
    Fill(space, "set", {"stays"});
    Fill(space, "set", {"later"}, MemberLifetime::Until(hand.clock().Now() + 1h));
    Fill(space, "set", {"dies"}, MemberLifetime::Until(hand.clock().Now() + 10ms));
    ASSERT_EQ(CodeOf(space.PutSide("set", "side", "v")), kOk);
  });
  hand.Compact();
  hand.clock().Advance(10ms);
  hand.Compact();
  EXPECT_EQ(Look(hand.database(), rows, "set").members, 2u);
  EXPECT_EQ(hand.database().Purge({})->members, 1u) << "compaction took it before the purge";
  ASSERT_TRUE(hand.database().Reclaim({.everything = true}).has_value());
  hand.Compact();
  hand.ExpectClean();
  EXPECT_EQ(Look(hand.database(), rows, "set").names, (std::vector<std::string>{"later", "stays"}));
  EXPECT_TRUE(hand.engine().Find("value of dies")->empty());
}

}  // namespace
}  // namespace mayfly
