// Goal: a set equals a std::set after the same changes.
// Method: seeded random operations, a latched transaction each; the seed is printed when they
// differ.
#include <set>

#include "base/random.h"
#include "types/plain_home.h"
#include "types/set.h"

namespace mayfly::types {
namespace {

constexpr int kSetGames = 12;
constexpr int kSetMoves = 500;
constexpr std::uint64_t kNames = 12;

using Names = std::set<std::string>;

class SetGame {
 public:
  explicit SetGame(std::uint64_t seed) : random_(seed) {}

  void Play() {
    for (int move = 0; move < kSetMoves && !testing::Test::HasFailure(); ++move) {
      home_.Run([&](core::TransactionKeyspace& space) {
        Set set = Set::Open(space, "key").value();
        for (std::uint64_t steps = random_.Between(1, 3); steps > 0; --steps) Move(set);
        ASSERT_EQ(set.size(), model_.size());
        ASSERT_EQ(Contents(set), model_);
      });
      ASSERT_EQ(home_.rows().contains("key"), !model_.empty());
    }
  }

 private:
  static Names Contents(const Set& set) {
    Names names;
    EXPECT_TRUE(set.Walk([&](Bytes name) { EXPECT_TRUE(names.emplace(name).second); }).ok());
    return names;
  }

  void Move(Set& set) {
    const std::string name = std::string(random_.Below(3), 'n') + std::to_string(random_.Below(4));
    switch (random_.Below(8)) {
      case 0:
      case 1:
      case 2: EXPECT_EQ(set.Add(name).value(), model_.insert(name).second); break;
      case 3:
      case 4: EXPECT_EQ(set.Remove(name).value(), model_.erase(name) == 1); break;
      case 5: EXPECT_EQ(set.Contains(name).value(), model_.contains(name)); break;
      case 6: Draw(set); break;
      default:
        if (!random_.OneIn(20)) break;
        EXPECT_TRUE(set.Clear().ok());
        model_.clear();
    }
  }

  void Draw(const Set& set) {
    const std::uint64_t count = random_.Below(kNames);
    Names drawn;
    EXPECT_TRUE(set.DrawDistinct(count, random_,
                                 [&](Bytes name) { EXPECT_TRUE(drawn.emplace(name).second); })
                    .ok());
    EXPECT_EQ(drawn.size(), std::min<std::uint64_t>(count, model_.size()));
    for (const std::string& name : drawn) EXPECT_TRUE(model_.contains(name));
  }

  Random random_;
  PlainHome home_;
  Names model_;
};

TEST(SetPlay, HoldsWhatAStandardSetHolds) {
  const std::uint64_t seed = FreshSeed();
  for (std::uint64_t game = 0; game < kSetGames; ++game) {
    SCOPED_TRACE(seed + game);
    SetGame(seed + game).Play();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace mayfly::types
