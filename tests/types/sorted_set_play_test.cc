// Goal: a sorted set equals a std::set of pairs and a map after the same changes.
// Method: seeded random operations, a latched transaction each; the seed is printed when they
// differ. Few names and few scores, so that scores are often equal and bounds often hit.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/random.h"
#include "types/plain_home.h"
#include "types/sorted_set.h"

namespace mayfly::types {
namespace {

constexpr int kSortedSetGames = 16;
constexpr int kSortedSetMoves = 400;
constexpr double kScores[] = {-std::numeric_limits<double>::infinity(), -2, -0.5, 0, 0.5, 2,
                              std::numeric_limits<double>::infinity()};

using Pair = std::pair<double, std::string>;
using Pairs = std::vector<Pair>;

class SortedSetGame {
 public:
  explicit SortedSetGame(std::uint64_t seed) : random_(seed) {}

  void Play() {
    for (int move = 0; move < kSortedSetMoves && !testing::Test::HasFailure(); ++move) {
      home_.Run([&](core::TransactionKeyspace& space) {
        SortedSet sorted_set = SortedSet::Open(space, "key").value();
        for (std::uint64_t steps = random_.Between(1, 3); steps > 0; --steps) Move(sorted_set);
        ASSERT_EQ(sorted_set.size(), scores_.size());
        ASSERT_EQ(Shown(sorted_set, {.range = RankRange{0, -1}}),
                  Pairs(order_.begin(), order_.end()));
      });
      ASSERT_EQ(home_.rows().contains("key"), !scores_.empty());
    }
  }

 private:
  std::string Name() { return std::string(1, static_cast<char>('a' + random_.Below(10))); }
  double Score() { return kScores[random_.Below(std::size(kScores))]; }

  static Pairs Shown(const SortedSet& sorted_set, const RangeQuery& query) {
    Pairs shown;
    EXPECT_TRUE(
        sorted_set.Walk(query, [&](Bytes name, double score) { shown.emplace_back(score, name); })
            .ok());
    return shown;
  }

  void Move(SortedSet& sorted_set) {
    switch (random_.Below(9)) {
      case 0:
      case 1:
      case 2:
      case 3: return Put(sorted_set);
      case 4: return Remove(sorted_set);
      case 5: return Ask(sorted_set);
      case 6:
      case 7: {
        const RangeQuery query = Query();
        EXPECT_EQ(Shown(sorted_set, query), Expected(query));
        return;
      }
      default: return Take(sorted_set);
    }
  }

  void Put(SortedSet& sorted_set) {
    const ScoreRule rule{.only_new = random_.OneIn(6),
                         .only_present = random_.OneIn(6),
                         .only_greater = random_.OneIn(6),
                         .only_less = random_.OneIn(6),
                         .increment = random_.OneIn(3)};
    const std::string name = Name();
    double score = Score();
    const auto old = scores_.find(name);
    const bool known = old != scores_.end();
    const Result<ScoreOutcome> outcome = sorted_set.Put(name, score, rule);
    if (known && rule.increment) score += old->second;
    ASSERT_EQ(outcome.has_value(), !std::isnan(score));
    if (!outcome) return;
    const bool allowed = known ? !rule.only_new && !(rule.only_greater && score <= old->second) &&
                                     !(rule.only_less && score >= old->second)
                               : !rule.only_present;
    ASSERT_EQ(outcome->allowed, allowed);
    if (!allowed) return;
    EXPECT_EQ(outcome->added, !known);
    EXPECT_EQ(outcome->changed, known && old->second != score);
    EXPECT_EQ(outcome->score, score);
    if (known) order_.erase({old->second, name});
    scores_[name] = score;
    order_.emplace(score, name);
  }

  void Remove(SortedSet& sorted_set) {
    const std::string name = Name();
    const auto old = scores_.find(name);
    EXPECT_EQ(sorted_set.Remove(name).value(), old != scores_.end());
    if (old == scores_.end()) return;
    order_.erase({old->second, name});
    scores_.erase(old);
  }

  void Ask(const SortedSet& sorted_set) {
    const std::string name = Name();
    const auto known = scores_.find(name);
    const auto rank = sorted_set.RankOf(name).value();
    ASSERT_EQ(rank.has_value(), known != scores_.end());
    if (!rank) return;
    const auto place = order_.find({known->second, name});
    EXPECT_EQ(rank->rank, static_cast<std::uint64_t>(std::distance(order_.begin(), place)));
    EXPECT_EQ(rank->score, known->second);
    EXPECT_EQ(sorted_set.Score(name).value(), known->second);
  }

  RangeQuery Query() {
    RangeQuery query{.range = RankRange{}, .reverse = random_.OneIn(2)};
    if (random_.OneIn(2)) {
      query.range = RankRange{.first = static_cast<std::int64_t>(random_.Below(24)) - 12,
                              .last = static_cast<std::int64_t>(random_.Below(24)) - 12};
      return query;
    }
    query.range = ScoreRange{.min = Score(),
                             .max = Score(),
                             .min_excluded = random_.OneIn(2),
                             .max_excluded = random_.OneIn(2)};
    query.offset = static_cast<std::int64_t>(random_.Below(4)) - 1;
    query.limit = static_cast<std::int64_t>(random_.Below(6)) - 1;
    return query;
  }

  Pairs Expected(const RangeQuery& query) const {
    Pairs all(order_.begin(), order_.end());
    if (query.reverse) std::reverse(all.begin(), all.end());
    const auto size = static_cast<std::int64_t>(all.size());
    Pairs expected;
    if (const auto* ranks = std::get_if<RankRange>(&query.range)) {
      const std::int64_t first = ranks->first < 0 ? ranks->first + size : ranks->first;
      const std::int64_t last = ranks->last < 0 ? ranks->last + size : ranks->last;
      for (std::int64_t i = 0; i < size; ++i) {
        if (i >= first && i <= last) expected.push_back(all[static_cast<std::size_t>(i)]);
      }
      return expected;
    }
    const auto& scores = std::get<ScoreRange>(query.range);
    std::int64_t skip = query.offset;
    for (const Pair& pair : all) {
      const double score = pair.first;
      if (scores.min_excluded ? score <= scores.min : score < scores.min) continue;
      if (scores.max_excluded ? score >= scores.max : score > scores.max) continue;
      if (skip-- > 0 || query.offset < 0) continue;
      if (query.limit >= 0 && static_cast<std::int64_t>(expected.size()) == query.limit) break;
      expected.push_back(pair);
    }
    return expected;
  }

  void Take(SortedSet& sorted_set) {
    const RangeQuery query = Query();
    const Pairs expected = Expected(query);
    const std::vector<ScoredName> taken = sorted_set.Take(query).value();
    Pairs pairs;
    for (const ScoredName& one : taken) pairs.emplace_back(one.score, one.name);
    EXPECT_EQ(pairs, expected);
    for (const Pair& pair : expected) {
      order_.erase(pair);
      scores_.erase(pair.second);
    }
  }

  Random random_;
  PlainHome home_;
  std::map<std::string, double> scores_;
  std::set<Pair> order_;
};

TEST(SortedSetPlay, HoldsWhatASetOfPairsAndAMapHold) {
  const std::uint64_t seed = FreshSeed();
  for (std::uint64_t game = 0; game < kSortedSetGames; ++game) {
    SCOPED_TRACE(seed + game);
    SortedSetGame(seed + game).Play();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace mayfly::types
