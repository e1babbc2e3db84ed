// Goal: DraftMap is an ordered map whose drafts stay where they are, for few names and for many.
// Method: seeded plays beside std::map, long enough for many blocks, compared after each step.
#include "core/reads/draft_map.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace mayfly::core {
namespace {

using Map = DraftMap<int>;
using Model = std::map<std::string, int, std::less<>>;

std::unique_ptr<Map::value_type> MakeOne() { return std::make_unique<Map::value_type>(); }

Map::value_type* Put(Map& map, Bytes name, int value) {
  Map::value_type* const draft = map.Emplace(name, MakeOne).first;
  draft->second = value;
  return draft;
}

Model ContentOf(const Map& map) {
  Model content;
  std::string before;
  for (const auto& [name, value] : map) {
    EXPECT_TRUE(content.empty() || before < name) << "out of order: " << name;
    before = name;
    content.emplace(name, value);
  }
  return content;
}

void ExpectSameBounds(const Map& map, const Model& model, Bytes name) {
  const auto at = map.lower_bound(name);
  const auto expected = model.lower_bound(name);
  ASSERT_EQ(at == map.end(), expected == model.end());
  if (expected != model.end()) {
    EXPECT_EQ(at->first, expected->first);
  }
  if (expected != model.begin()) {
    EXPECT_EQ(std::prev(at)->first, std::prev(expected)->first);
  }
  const auto after = map.upper_bound(name);
  const auto expected_after = model.upper_bound(name);
  ASSERT_EQ(after == map.end(), expected_after == model.end());
  if (expected_after != model.end()) {
    EXPECT_EQ(after->first, expected_after->first);
  }
}

TEST(DraftMap, IsEmptyAtFirst) {
  const Map map;
  EXPECT_TRUE(map.empty());
  EXPECT_TRUE(map.begin() == map.end());
  EXPECT_TRUE(map.lower_bound("a") == map.end());
  EXPECT_EQ(map.Find("a"), nullptr);
}

TEST(DraftMap, FindsTheDraftThatIsThereInsteadOfMakingOne) {
  Map map;
  const Map::value_type* const made = Put(map, "a", 1);
  const auto [found, is_new] = map.Emplace("a", MakeOne);
  EXPECT_EQ(found, made);
  EXPECT_FALSE(is_new);
  EXPECT_EQ(found->second, 1);
}

TEST(DraftMap, IsLikeAMapWhateverIsPutAndErased) {
  for (const unsigned names : {5U, 100U, 3000U}) {
    std::mt19937 random(names);
    Map map;
    Model model;
    std::map<std::string, const Map::value_type*> places;
    for (int step = 0; step < 6000; ++step) {
      const std::string name = "name" + std::to_string(random() % names);
      if (random() % 4 == 0 && model.contains(name)) {
        map.Erase(name);
        model.erase(name);
        places.erase(name);
      } else {
        const Map::value_type* const draft = Put(map, name, step);
        const auto known = places.emplace(name, draft).first;
        EXPECT_EQ(known->second, draft) << "a draft has moved";
        model[name] = step;
      }
      ASSERT_EQ(map.empty(), model.empty());
      const Map::value_type* const found = map.Find(name);
      ASSERT_EQ(found != nullptr, model.contains(name));
      if (step % 97 == 0) {
        ASSERT_EQ(ContentOf(map), model) << names << " names, step " << step;
        ExpectSameBounds(map, model, name);
        ExpectSameBounds(map, model, name + "x");
        ExpectSameBounds(map, model, "");
        ExpectSameBounds(map, model, "z");
      }
    }
  }
}

// Short names, names with zeros at their end, and names that differ behind the eighth byte.
TEST(DraftMap, OrdersNamesOfAllLengths) {
  const std::string pieces[] = {std::string(1, '\0'), "a", std::string(1, '\xff')};
  std::mt19937 random(8);
  Map map;
  Model model;
  for (int step = 0; step < 4000; ++step) {
    std::string name;
    for (std::size_t length = random() % 12; name.size() < length;) name += pieces[random() % 3];
    const bool is_known = model.contains(name);
    ASSERT_EQ(map.Find(name) != nullptr, is_known);
    ExpectSameBounds(map, model, name);
    if (is_known) {
      map.Erase(name);
      model.erase(name);
    } else {
      Put(map, name, step);
      model[name] = step;
    }
  }
  EXPECT_EQ(ContentOf(map), model);
}

TEST(DraftMap, KeepsNamesThatComeInOrderOrAgainstIt) {
  for (const bool up : {true, false}) {
    Map map;
    Model model;
    for (int i = 0; i < 2000; ++i) {
      const std::string name = std::to_string(up ? 100'000 + i : 200'000 - i);
      Put(map, name, i);
      model[name] = i;
    }
    EXPECT_EQ(ContentOf(map), model);
  }
}

TEST(DraftMap, KeepsSomeAndHandsOutAll) {
  Map map;
  for (int i = 0; i < 500; ++i) Put(map, std::to_string(1000 + i), i);
  map.KeepIf([](const Map::value_type& draft) { return draft.second % 50 == 0; });
  EXPECT_EQ(ContentOf(map).size(), 10U);
  std::vector<std::string> handed;
  map.Empty([&](std::unique_ptr<Map::value_type> draft) { handed.push_back(draft->first); });
  EXPECT_EQ(handed.size(), 10U);
  EXPECT_TRUE(map.empty());
}

TEST(DraftMap, MovesWithItsDrafts) {
  Map map;
  const Map::value_type* const draft = Put(map, "a", 1);
  Map moved(std::move(map));
  EXPECT_EQ(moved.Find("a"), draft);
  Map assigned;
  Put(assigned, "b", 2);
  assigned = std::move(moved);
  EXPECT_EQ(assigned.Find("a"), draft);
  EXPECT_EQ(assigned.Find("b"), nullptr);
}

}  // namespace
}  // namespace mayfly::core
