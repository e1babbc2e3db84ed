// Goal: the cost of a command on a collection does not grow with the collection, nor with what was
// removed from it before. Method: an engine that counts its reads, steps and tombstones, at one
// size and at ten times it; no clock. Bounds are well above what is needed and far below either
// size.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/counting_engine.h"
#include "core/latched_fixture.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "types/hash.h"
#include "types/list.h"
#include "types/member_page.h"
#include "types/set.h"
#include "types/sorted_set.h"

namespace mayfly::types {
namespace {

constexpr int kSmall = 2000;
constexpr int kLarge = 20'000;

class Growth : public ::testing::Test {
 protected:
  Growth()
      : database_(
            *core::NewDatabase(std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_),
                               {.purge_on_read = false, .clock = &clock_})) {}

  void Run(const std::function<void(core::TransactionKeyspace&)>& task) {
    InLatched(*database_, database_->default_keyspace(), {"key"}, task);
  }

  // The engine's cost of a call.
  std::uint64_t Cost(const std::function<void(core::TransactionKeyspace&)>& task) {
    const EngineCosts before = *costs_;
    Run(task);
    return costs_->gets - before.gets + costs_->cursor_moves - before.cursor_moves +
           costs_->tombstones - before.tombstones + costs_->changes - before.changes;
  }

  // The highest cost of some calls in a row.
  std::uint64_t CostMax(int calls, const std::function<void(core::TransactionKeyspace&)>& task) {
    std::uint64_t dearest = 0;
    for (int i = 0; i < calls; ++i) dearest = std::max(dearest, Cost(task));
    return dearest;
  }

  // Ascending scores, many to a latched transaction.
  void FillSortedSet(int members, int first = 0) {
    Run([&](core::TransactionKeyspace& space) {
      SortedSet set = SortedSet::Open(space, "key").value();
      for (int i = first; i < first + members; ++i) {
        ASSERT_TRUE(set.Put("m" + std::to_string(i), i).has_value());
      }
    });
  }
  void FillList(int values) {
    Run([&](core::TransactionKeyspace& space) {
      List list = List::Open(space, "key").value();
      for (int i = 0; i < values; ++i) {
        const std::string value = "v" + std::to_string(i);
        const Bytes bytes = value;
        ASSERT_TRUE(list.Push(ListEnd::kTail, std::span(&bytes, 1)).ok());
      }
    });
  }

  static void PopMin(core::TransactionKeyspace& space) {
    SortedSet set = SortedSet::Open(space, "key").value();
    ASSERT_EQ(set.Take({.range = RankRange{0, 0}}).value().size(), 1u);
  }
  static void PopMax(core::TransactionKeyspace& space) {
    SortedSet set = SortedSet::Open(space, "key").value();
    ASSERT_EQ(set.Take({.range = RankRange{0, 0}, .reverse = true}).value().size(), 1u);
  }

  // A leaf's items and what was removed from it, twice over; and its move to another space, with
  // room for the rest.
  static constexpr std::uint64_t kLeafBound = 2 * (kLeafRowsMax + kLeafRemovedMax);
  static constexpr std::uint64_t kMoveBound = kLeafBound + 4 * kLeafRowsMax;

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  std::unique_ptr<Database> database_;
};

TEST_F(Growth, APopFromASortedSetDoesNotPassAllEarlierPops) {
  FillSortedSet(kLarge);
  for (int i = 0; i < kLarge / 4; ++i) Run(PopMin);
  EXPECT_LE(CostMax(100, PopMin), kMoveBound);
  for (int i = 0; i < kLarge / 4; ++i) Run(PopMax);
  EXPECT_LE(CostMax(100, PopMax), kMoveBound);
}

TEST_F(Growth, NorDoesOneThatWorksBehindAMemberThatStays) {
  FillSortedSet(1, -1);
  FillSortedSet(10);
  const auto transaction = [&](int i) {
    return [i](core::TransactionKeyspace& space) {
      SortedSet set = SortedSet::Open(space, "key").value();
      ASSERT_TRUE(set.Put("m" + std::to_string(10 + i), 10 + i).has_value());
      std::string name;
      ASSERT_TRUE(set.Walk({.range = ScoreRange{0, 1e9}, .limit = 1},
                           [&](Bytes found, double) { name = found; })
                      .ok());
      EXPECT_TRUE(set.Remove(name).value());
    };
  };
  for (int i = 0; i < kSmall; ++i) Run(transaction(i));
  std::uint64_t dearest = 0;
  for (int i = kSmall; i < kSmall + 100; ++i) dearest = std::max(dearest, Cost(transaction(i)));
  EXPECT_LE(dearest, kMoveBound);
}

TEST_F(Growth, AScriptThatPopsAThousandInOneWorkPassesNoneTwice) {
  FillSortedSet(kSmall);
  const std::uint64_t cost = Cost([](core::TransactionKeyspace& space) {
    for (int i = 0; i < kSmall / 2; ++i) PopMin(space);
  });
  EXPECT_LE(cost, kSmall / 2 * kLeafBound);
}

TEST_F(Growth, RanksAndCountsOfASortedSetDoNotWalkIt) {
  FillSortedSet(kLarge);
  EXPECT_LE(Cost([](core::TransactionKeyspace& space) {
              const SortedSet set = SortedSet::Open(space, "key").value();
              EXPECT_EQ(set.RankOf("m12345").value()->rank, 12'345u);
            }),
            kLeafBound);
  EXPECT_LE(Cost([](core::TransactionKeyspace& space) {
              const SortedSet set = SortedSet::Open(space, "key").value();
              EXPECT_EQ(set.Count({.range = ScoreRange{1000, 18'999}}).value(), 18'000u);
            }),
            2 * kLeafBound);
  for (const bool reverse : {false, true}) {
    EXPECT_LE(Cost([&](core::TransactionKeyspace& space) {
                const SortedSet set = SortedSet::Open(space, "key").value();
                std::string names;
                ASSERT_TRUE(set.Walk({.range = RankRange{9000, 9001}, .reverse = reverse},
                                     [&](Bytes name, double) { names += std::string(name) + " "; })
                                .ok());
                EXPECT_EQ(names, reverse ? "m10999 m10998 " : "m9000 m9001 ");
              }),
              2 * kLeafBound);
    EXPECT_LE(Cost([&](core::TransactionKeyspace& space) {
                const SortedSet set = SortedSet::Open(space, "key").value();
                std::string names;
                ASSERT_TRUE(set.Walk({.range = ScoreRange{1000, 18'999},
                                      .reverse = reverse,
                                      .offset = 9000,
                                      .limit = 1},
                                     [&](Bytes name, double) { names += name; })
                                .ok());
                EXPECT_EQ(names, reverse ? "m9999" : "m10000");
              }),
              3 * kLeafBound);
  }
}

TEST_F(Growth, AScoreIsWrittenAtTheSameCostWhateverTheSize) {
  const auto add = [](core::TransactionKeyspace& space) {
    SortedSet set = SortedSet::Open(space, "key").value();
    ASSERT_TRUE(set.Put("new" + std::to_string(set.size()), 700.5).value().added);
  };
  FillSortedSet(kSmall);
  const std::uint64_t small = Cost(add);
  FillSortedSet(kLarge, kSmall);
  EXPECT_LE(Cost(add), 2 * small + 8);
}

TEST_F(Growth, AValuePutIntoOrTakenOutOfAListMovesNoOther) {
  FillList(kLarge);
  const auto insert = [](core::TransactionKeyspace& space) {
    List list = List::Open(space, "key").value();
    ASSERT_TRUE(list.Insert(kLarge / 2, "new").ok());
  };
  const auto remove = [](core::TransactionKeyspace& space) {
    List list = List::Open(space, "key").value();
    const std::uint64_t position = kLarge / 3;
    ASSERT_TRUE(list.Remove(std::span(&position, 1)).ok());
  };
  EXPECT_LE(CostMax(20, insert), 100u);
  EXPECT_LE(CostMax(20, remove), 100u);
}

TEST_F(Growth, PositionsAndEndsOfAListThatWasChangedInItsMiddleStayNear) {
  FillList(kLarge);
  for (int i = 0; i < 500; ++i) {
    Run([&](core::TransactionKeyspace& space) {
      List list = List::Open(space, "key").value();
      ASSERT_TRUE(list.Insert(static_cast<std::uint64_t>(37 * i + 1), "new").ok());
    });
  }
  EXPECT_LE(Cost([](core::TransactionKeyspace& space) {
              const List list = List::Open(space, "key").value();
              EXPECT_EQ(list.At(19'000).value(), "v18500");
            }),
            kLeafBound);
  EXPECT_LE(CostMax(50,
                    [](core::TransactionKeyspace& space) {
                      List list = List::Open(space, "key").value();
                      EXPECT_EQ(list.Pop(ListEnd::kHead, 1).value().size(), 1u);
                      const Bytes value = "pushed";
                      EXPECT_TRUE(list.Push(ListEnd::kTail, std::span(&value, 1)).ok());
                    }),
            kLeafBound);
}

TEST_F(Growth, TheLastMembersOfASetAreDrawnAtTheCostOfWhatIsLeft) {
  Run([&](core::TransactionKeyspace& space) {
    Set set = Set::Open(space, "key").value();
    for (int i = 0; i < kLarge; ++i) ASSERT_TRUE(set.Add("m" + std::to_string(i)).value());
  });
  Random random(1);
  const auto pop = [&](core::TransactionKeyspace& space) {
    Set set = Set::Open(space, "key").value();
    std::string drawn;
    ASSERT_TRUE(set.DrawDistinct(1, random, [&](Bytes name) { drawn = name; }).ok());
    ASSERT_TRUE(set.Remove(drawn).value());
  };
  for (int i = 0; i < kLarge - 100; ++i) Run(pop);
  EXPECT_LE(CostMax(99, pop), 2000u);
}

TEST_F(Growth, TheFirstPageOfAHashDoesNotPassAllThatWasRemovedFromIt) {
  const auto name = [](int i) { return "f" + std::to_string(i); };
  for (int i = 0; i < kLarge; ++i) {
    Run([&](core::TransactionKeyspace& space) {
      Hash hash = Hash::Open(space, "key").value();
      ASSERT_TRUE(hash.Put(name(i), "v").value());
      ASSERT_EQ(hash.Remove(name(i - 10)).value(), i >= 10);
    });
  }
  EXPECT_LE(Cost([](core::TransactionKeyspace& space) {
              ASSERT_TRUE(WalkPage(space, "key", 0, 10, [](Bytes, Bytes) {}).has_value());
            }),
            2000u);
}

}  // namespace
}  // namespace mayfly::types
