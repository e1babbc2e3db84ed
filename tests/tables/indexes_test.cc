// Goal: after any writes, updates, deletes and deaths an index holds what a plain recomputation
// gives. Method: seeded random play on each engine, in both modes; now and then the index is
// compared with the items.
#include <iostream>

#include "tables/random_posts.h"

namespace mayfly {
namespace {

constexpr int kIndexRounds = 40;
constexpr int kWritesPerRound = 25;

std::vector<Item> Sorted(std::vector<Item> items) {
  const auto text = [](const Item& item) {
    return *item.at("user").string() + "/" + item.at("nr").number()->text();
  };
  std::sort(items.begin(), items.end(),
            [&](const Item& a, const Item& b) { return text(a) < text(b); });
  return items;
}

// The expected content of an index on these attributes.
std::vector<Item> Recomputed(const std::vector<Item>& items, const std::vector<std::string>& keys,
                             const std::vector<std::string>& more) {
  std::vector<Item> entries;
  for (const Item& item : items) {
    Item entry;
    bool has_keys = true;
    for (const std::string& name : keys) {
      has_keys = has_keys && item.contains(name);
      if (item.contains(name)) entry[name] = item.at(name);
    }
    for (const std::string& name : more) {
      if (item.contains(name)) entry[name] = item.at(name);
    }
    if (has_keys) entries.push_back(entry);
  }
  return Sorted(entries);
}

class TableIndexes : public EachTables {
 protected:
  void Play(TtlMode mode) {
    const std::uint64_t seed = PlaySeed();
    std::cout << "MAYFLY_SEED=" << seed << "\n";
    SCOPED_TRACE("MAYFLY_SEED=" + std::to_string(seed));
    Make(PostsSpec(mode));
    RandomPosts posts(seed);
    for (int round = 0; round < kIndexRounds && !HasFailure(); ++round) {
      for (int i = 0; i < kWritesPerRound; ++i) Write(posts);
      clock().Advance(Millis(static_cast<std::int64_t>(posts.random().Below(3000))));
      if (posts.random().OneIn(3)) {
        ASSERT_TRUE(database().Purge().has_value());
      }
      if (posts.random().OneIn(3)) {
        ASSERT_TRUE(tables().SweepExpired("posts").has_value());
      }
      Compare();
    }
  }

  void Write(RandomPosts& posts) {
    switch (posts.random().Below(4)) {
      case 0:
        ASSERT_TRUE(tables().DeleteItem({.table = "posts", .key = posts.Key()}).has_value());
        return;
      case 1: {
        const char* update = posts.random().OneIn(2) ? "REMOVE topic" : "REMOVE score, expires";
        ASSERT_TRUE(tables()
                        .UpdateItem({.table = "posts", .key = posts.Key(), .update = update})
                        .has_value());
        return;
      }
      case 2:
        ASSERT_TRUE(
            tables()
                .UpdateItem({.table = "posts",
                             .key = posts.Key(),
                             .update = "SET topic = :t, score = :s, expires = :e",
                             .arguments = {.values = {{":t", posts.Topic()},
                                                      {":s", posts.Score()},
                                                      {":e", posts.Expires(clock().Now())}}}})
                .has_value());
        return;
      default: Put("posts", posts.Post(clock().Now()));
    }
  }

  void Compare() {
    const std::vector<Item> items = ScanAll({.table = "posts"});
    EXPECT_EQ(Sorted(ScanAll({.table = "posts", .index = "by_topic"})),
              Recomputed(items, {"user", "nr", "topic", "score"}, {"title"}));
    EXPECT_EQ(Sorted(ScanAll({.table = "posts", .index = "by_score"})),
              Recomputed(items, {"user", "nr", "score"}, {}));
    EXPECT_EQ(Sorted(ScanAll({.table = "posts", .index = "by_score", .all_attributes = true})),
              Sorted([&] {
                std::vector<Item> scored;
                for (const Item& item : items) {
                  if (item.contains("score")) scored.push_back(item);
                }
                return scored;
              }()));
  }
};

TEST_P(TableIndexes, HoldWhatTheItemsSay) { Play(TtlMode::kExact); }

TEST_P(TableIndexes, HoldWhatTheItemsSayUntilTheyAreSwept) { Play(TtlMode::kUntilSwept); }

INSTANTIATE_TEST_SUITE_P(Engines, TableIndexes, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
