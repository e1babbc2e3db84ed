// Goal: draws have the right number, members and distribution, for small and large collections.
// Method: fixed seeds; evenness by Pearson's chi-squared against a bound that a fair draw passes by
// far, and by every member being drawn.
#include "types/random_members.h"

#include <cmath>
#include <map>
#include <set>

#include "types/hash.h"
#include "types/member_key.h"
#include "types/plain_home.h"

namespace mayfly::types {
namespace {

// Keeps a hash of `members` fields open while `task` draws from it.
template <typename Task>
void WithHash(std::uint64_t members, Task task) {
  PlainHome home;
  home.Run([&](core::TransactionKeyspace& space) {
    Hash hash = Hash::Open(space, "key").value();
    for (std::uint64_t i = 0; i < members; ++i) {
      ASSERT_TRUE(hash.Put(std::to_string(i), std::to_string(i * 2)).has_value());
    }
    const auto cursor = hash.NewCursor().value();
    task(*cursor);
  });
}

// Counts what is drawn, and checks that values belong to their members.
struct Tally {
  std::map<std::string, int> times;
  int draws = 0;

  void operator()(Bytes member, Bytes value) {
    const std::string name(NameOfMember(member));
    EXPECT_EQ(std::to_string(std::stoull(name) * 2), value);
    ++times[name];
    ++draws;
  }
};

double ChiSquared(const Tally& tally, std::uint64_t members) {
  const double expected = static_cast<double>(tally.draws) / static_cast<double>(members);
  double sum = (static_cast<double>(members) - static_cast<double>(tally.times.size())) * expected;
  for (const auto& [name, times] : tally.times) sum += std::pow(times - expected, 2) / expected;
  return sum;
}

TEST(RandomMembers, RepeatedDrawsOfAFewAreEven) {
  constexpr std::uint64_t kMembers = 50;
  WithHash(kMembers, [&](core::MemberCursor& cursor) {
    Random random(1);
    Tally many;
    ASSERT_TRUE(DrawWithRepetition(cursor, kMembers, 20'000, random, many).ok());
    EXPECT_EQ(many.draws, 20'000);
    EXPECT_LT(ChiSquared(many, kMembers), 100);  // 49 degrees of freedom: beyond 1 in 10^4.
    Tally singles;
    for (int i = 0; i < 20'000; ++i) {
      ASSERT_TRUE(DrawWithRepetition(cursor, kMembers, 1, random, singles).ok());
    }
    EXPECT_EQ(singles.draws, 20'000);
    EXPECT_LT(ChiSquared(singles, kMembers), 100);
  });
}

TEST(RandomMembers, DistinctDrawsOfAFewAreEvenAndDiffer) {
  constexpr std::uint64_t kMembers = 50;
  WithHash(kMembers, [&](core::MemberCursor& cursor) {
    Random random(2);
    Tally all;
    for (int i = 0; i < 2'000; ++i) {
      Tally once;
      ASSERT_TRUE(DrawDistinct(cursor, kMembers, 10, random, once).ok());
      ASSERT_EQ(once.times.size(), 10u);
      ASSERT_EQ(once.draws, 10);
      for (const auto& [name, times] : once.times) all.times[name] += times;
      all.draws += once.draws;
    }
    EXPECT_LT(ChiSquared(all, kMembers), 100);
  });
}

TEST(RandomMembers, AskingForAllOrMoreGivesEachOnce) {
  for (const std::uint64_t members : {1u, 2u, 1024u, 1025u, 3000u}) {
    WithHash(members, [&](core::MemberCursor& cursor) {
      Random random(3);
      for (const std::uint64_t count : {members, members + 7}) {
        Tally tally;
        ASSERT_TRUE(DrawDistinct(cursor, members, count, random, tally).ok());
        EXPECT_EQ(tally.times.size(), members);
        EXPECT_EQ(static_cast<std::uint64_t>(tally.draws), members);
      }
    });
  }
}

TEST(RandomMembers, DistinctDrawsOfManyDiffer) {
  constexpr std::uint64_t kMembers = 6000;
  WithHash(kMembers, [&](core::MemberCursor& cursor) {
    Random random(4);
    for (const std::uint64_t count : {0u, 1u, 100u, 1999u, 2000u, 2001u, 5999u}) {
      Tally tally;
      ASSERT_TRUE(DrawDistinct(cursor, kMembers, count, random, tally).ok());
      EXPECT_EQ(tally.times.size(), count);
      EXPECT_EQ(static_cast<std::uint64_t>(tally.draws), count);
    }
  });
}

TEST(RandomMembers, DrawsOfManyAreNearToEven) {
  constexpr std::uint64_t kMembers = 4000;
  constexpr std::uint64_t kDraws = 80'000;
  WithHash(kMembers, [&](core::MemberCursor& cursor) {
    Random random(5);
    Tally tally;
    ASSERT_TRUE(DrawWithRepetition(cursor, kMembers, kDraws, random, tally).ok());
    EXPECT_EQ(tally.times.size(), kMembers);
    // Windows leave a spread of about 1/8 beside that of chance: the sum stays within twice fair.
    EXPECT_LT(ChiSquared(tally, kMembers), 2.0 * kMembers);
  });
}

// Shows a few members over and over, as hashes that lie close together would make it happen.
class ClusteredCursor final : public core::MemberCursor {
 public:
  explicit ClusteredCursor(std::uint64_t members) {
    for (std::uint64_t i = 0; i < members; ++i) {
      members_.insert(MemberKeysFrom(1) + std::to_string(i));
    }
    at_ = members_.end();
  }
  bool Valid() const override { return at_ != members_.end(); }
  void SeekToFirst() override { at_ = members_.begin(); }
  void SeekToLast() override { at_ = std::prev(members_.end()); }
  void SeekAtOrAfter(Bytes target) override { at_ = members_.lower_bound(std::string(target)); }
  void SeekAtOrBefore(Bytes /*target*/) override {}
  void Next() override { ++at_; }
  void Prev() override { --at_; }
  Bytes member() const override { return *at_; }
  Bytes value() const override { return {}; }
  std::optional<WallTime> deadline() const override { return std::nullopt; }
  Status status() const override { return {}; }

 private:
  std::set<std::string> members_;
  std::set<std::string>::const_iterator at_;
};

TEST(RandomMembers, HashesThatCrowdDoNotKeepTheDrawFromEnding) {
  constexpr std::uint64_t kMembers = 3000;
  ClusteredCursor cursor(kMembers);
  Random random(6);
  std::set<std::string> drawn;
  ASSERT_TRUE(DrawDistinct(cursor, kMembers, 900, random, [&](Bytes member, Bytes /*value*/) {
                EXPECT_TRUE(drawn.emplace(member).second);
              }).ok());
  EXPECT_EQ(drawn.size(), 900u);
}

TEST(RandomMembers, NothingIsDrawnFromNothing) {
  ClusteredCursor cursor(0);
  Random random(7);
  Tally tally;
  EXPECT_TRUE(DrawWithRepetition(cursor, 0, 5, random, tally).ok());
  EXPECT_TRUE(DrawDistinct(cursor, 0, 5, random, tally).ok());
  EXPECT_EQ(tally.draws, 0);
}

}  // namespace
}  // namespace mayfly::types
