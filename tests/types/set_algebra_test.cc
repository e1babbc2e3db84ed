// Goal: unions, intersections and differences of sets and sorted sets equal the standard library's.
// Method: seeded random sets on plain maps; the seed is printed when they differ.
#include "types/set_algebra.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/random.h"
#include "types/plain_home.h"
#include "types/set.h"
#include "types/sorted_set.h"

namespace mayfly::types {
namespace {

using Scored = std::map<std::string, double>;  // A set: all scores are 1.
using Rows = std::map<std::string, std::vector<std::optional<double>>>;

constexpr int kRounds = 200;

// Makes a set, a sorted set or nothing under the key.
Scored Fill(core::TransactionKeyspace& space, Bytes key, Random& random) {
  Scored made;
  const bool sorted = random.OneIn(2);
  for (std::uint64_t names = random.Below(12); names > 0; --names) {
    const std::string name = std::to_string(random.Below(15));
    const double score = sorted ? static_cast<double>(random.Below(100)) : 1;
    made[name] = score;
    if (sorted) {
      EXPECT_TRUE(SortedSet::Open(space, key).value().Put(name, score).has_value());
    } else {
      EXPECT_TRUE(Set::Open(space, key).value().Add(name).has_value());
    }
  }
  return made;
}

template <typename Walk>
Rows Shown(core::TransactionKeyspace& space, const std::vector<Operand>& operands, Walk walk) {
  Rows rows;
  EXPECT_TRUE(walk(space, operands, [&](Bytes name, auto scores) {
                const auto fresh =
                    rows.try_emplace(std::string(name), scores.begin(), scores.end());
                EXPECT_TRUE(fresh.second) << "shown twice: " << name;
                return true;
              }).ok());
  return rows;
}

void CheckRound(std::uint64_t seed) {
  Random random(seed);
  PlainHome home;
  home.Run([&](core::TransactionKeyspace& space) {
    std::vector<std::string> keys;
    for (std::uint64_t i = random.Between(1, 4); i > 0; --i)
      keys.push_back("k" + std::to_string(i));
    std::vector<Operand> operands;
    std::vector<Scored> made;
    for (const std::string& key : keys) {
      made.push_back(Fill(space, key, random));
      operands.push_back(FindOperand(space, key, OperandKind::kSetsAndSortedSets).value());
      EXPECT_EQ(operands.back().members, made.back().size());
    }
    Rows all;
    for (std::size_t i = 0; i < made.size(); ++i) {
      for (const auto& [name, score] : made[i]) {
        all.try_emplace(name, made.size()).first->second[i] = score;
      }
    }
    EXPECT_EQ(Shown(space, operands, WalkUnion), all);
    Rows shared = all;
    std::erase_if(shared, [](const auto& row) {
      return std::any_of(row.second.begin(), row.second.end(), [](const auto& s) { return !s; });
    });
    EXPECT_EQ(Shown(space, operands, WalkIntersection), shared);
    Rows first_alone = all;
    std::erase_if(first_alone, [](const auto& row) {
      return !row.second.front() || std::any_of(row.second.begin() + 1, row.second.end(),
                                                [](const auto& s) { return s.has_value(); });
    });
    EXPECT_EQ(Shown(space, operands, WalkDifference), first_alone);
  });
}

TEST(SetAlgebra, IsWhatTheStandardLibraryMakesOfThem) {
  const std::uint64_t seed = FreshSeed();
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(seed + round);
    CheckRound(seed + round);
    if (HasFailure()) return;
  }
}

TEST(SetAlgebra, AWalkEndsWhenToldTo) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    const std::string names[] = {"a", "b", "c"};
    ASSERT_TRUE(Set::Replace(space, "key", names).ok());
    const Operand operand = FindOperand(space, "key", OperandKind::kSets).value();
    const std::vector<Operand> twice = {operand, operand};
    for (const auto walk : {WalkUnion, WalkIntersection}) {
      int shown = 0;
      EXPECT_TRUE(walk(space, twice, [&](Bytes, auto) { return ++shown < 2; }).ok());
      EXPECT_EQ(shown, 2);
    }
    int shown = 0;
    EXPECT_TRUE(WalkDifference(space, std::span(twice).first(1), [&](Bytes, auto) {
                  return ++shown < 2;
                }).ok());
    EXPECT_EQ(shown, 2);
  });
}

TEST(SetAlgebra, OnlySetsAreOperandsUnlessSortedSetsAreAskedFor) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    ASSERT_TRUE(space.Put("string", "x", Lifetime::Forever()).ok());
    ASSERT_TRUE(SortedSet::Open(space, "sorted").value().Put("a", 1).has_value());
    for (const char* key : {"string", "sorted"}) {
      EXPECT_EQ(FindOperand(space, key, OperandKind::kSets).error().code(), StatusCode::kWrongType);
    }
    EXPECT_TRUE(FindOperand(space, "sorted", OperandKind::kSetsAndSortedSets).value().scored);
    EXPECT_EQ(FindOperand(space, "string", OperandKind::kSetsAndSortedSets).error().code(),
              StatusCode::kWrongType);
    EXPECT_EQ(FindOperand(space, "none", OperandKind::kSets).value().members, 0u);
  });
}

}  // namespace
}  // namespace mayfly::types
