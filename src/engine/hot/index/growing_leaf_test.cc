// Goal: keys that come in order are added to the leaf that is remembered, and only if they belong
// there; and keys are found whatever they share with others.
// Method: keys in order and others, splits and merges, two roles that share nodes; a cursor over each
// role shows where every key went, beside a plain map.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/random.h"
#include "engine/hot/index/hot_cursor.h"
#include "engine/hot/index/hot_index.h"
#include "engine/hot/index/test_writer.h"

namespace mayfly::engine::hot {
namespace {

class GrowingLeafTest : public ::testing::Test {
 protected:
  void Put(Role role, const std::string& key) {
    writer_.WriteOne({.role = role, .key = key, .value = "value"});
    rows_[role].insert({key, "value"});
  }
  void Delete(Role role, const std::string& key) {
    writer_.WriteOne({.kind = HotChange::Kind::kDelete, .role = role, .key = key, .value = {}});
    rows_[role].erase(key);
  }
  void Put(Role role, char first, int from, int to) {
    for (int i = from; i < to; ++i) Put(role, fmt::format("{}{:06}", first, i));
  }
  // All rows of each role, in both directions.
  void Check() {
    for (const auto& [role, rows] : rows_) {
      const Sequence state = index_.OpenState();
      HotCursor cursor(index_, role, state);
      cursor.SeekToFirst();
      for (const auto& [key, value] : rows) {
        ASSERT_TRUE(cursor.Valid()) << key;
        ASSERT_EQ(cursor.key(), key);
        cursor.Next();
      }
      ASSERT_FALSE(cursor.Valid());
      cursor.SeekToLast();
      for (auto row = rows.rbegin(); row != rows.rend(); ++row, cursor.Prev()) {
        ASSERT_TRUE(cursor.Valid()) << row->first;
        ASSERT_EQ(cursor.key(), row->first);
      }
      ASSERT_FALSE(cursor.Valid());
      for (const auto& [key, value] : rows) {
        cursor.SeekAtOrAfter(key);
        ASSERT_TRUE(cursor.Valid() && cursor.key() == key) << key;
      }
      index_.CloseState(state);
    }
  }

  HotIndex index_{TestOptions()};
  TestWriter writer_{index_};
  std::map<Role, std::map<std::string, std::string>> rows_;
};

TEST_F(GrowingLeafTest, KeysInOrderStayInOrder) {
  Put(Role::kRows, 'k', 0, 5000);
  Check();
}

TEST_F(GrowingLeafTest, AKeyBehindTheBoundOfTheLeafGoesElsewhere) {
  Put(Role::kRows, 'b', 0, 500);
  Put(Role::kRows, 'a', 0, 50);
  // The leaf at whose end the last one came has a part of both.
  for (int i = 0; i < 500; i += 7) {
    Put(Role::kRows, fmt::format("b{:06}x", i));
    Put(Role::kRows, fmt::format("a{:06}", 50 + i));
  }
  Check();
}

TEST_F(GrowingLeafTest, AKeyThatIsNotBehindTheLastRowOfTheLeafGoesElsewhere) {
  Put(Role::kRows, 'k', 0, 400);
  for (int i = 399; i > 0; i -= 3) Put(Role::kRows, fmt::format("k{:06}x", i));
  Check();
}

TEST_F(GrowingLeafTest, ALeafThatHasLeftItsTreeIsNotUsed) {
  Put(Role::kRows, 'r', 0, 200);
  for (int i = 199; i >= 10; --i) Delete(Role::kRows, fmt::format("r{:06}", i));
  const std::size_t used = index_.memory().used_bytes;
  Put(Role::kExpiry, 's', 0, 200);  // Takes the node.
  EXPECT_GT(index_.memory().used_bytes, used);
  Put(Role::kRows, "z");
  Check();
}

// Three levels whose separators have the same first bytes, and keys before, behind and inside of these.
TEST_F(GrowingLeafTest, KeysOutsideThePrefixOfTheRootAreFound) {
  for (int i = 0; i < 12'000; ++i) Put(Role::kRows, fmt::format("prefix:{:06}", i * 7919 % 12'007));
  Check();
  for (const char* key : {"", "a", "p", "prefix", "prefix:", "prefix9", "prefixz", "q", "z"}) {
    Put(Role::kRows, key);
  }
  Check();
  // Enough of both kinds for separators without the prefix.
  Put(Role::kRows, 'a', 0, 1000);
  Check();
  Put(Role::kRows, 'z', 0, 1000);
  Check();
  for (int i = 0; i < 12'000; ++i) {
    Delete(Role::kRows, fmt::format("prefix:{:06}", i * 7919 % 12'007));
  }
  Check();
}

TEST_F(GrowingLeafTest, StreamsAndOtherKeysDoNotDisturbEachOther) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  int next = 0;
  for (int step = 0; step < 20'000; ++step) {
    const Role role = random.OneIn(2) ? Role::kRows : Role::kExpiry;
    auto& rows = rows_[role];
    const std::uint64_t what = random.Below(10);
    if (what < 6) {
      Put(role, fmt::format("{}{:06}", static_cast<char>('a' + random.Below(3)), next++));
    } else if (what < 7) {
      Put(role,
          fmt::format("{}{:06}", static_cast<char>('a' + random.Below(3)), random.Below(20'000)));
    } else if (!rows.empty()) {
      // Some in a row, so that leaves merge.
      auto row = rows.lower_bound(
          fmt::format("{}{:06}", static_cast<char>('a' + random.Below(3)), random.Below(20'000)));
      for (int i = 0; i < 4 && row != rows.end(); ++i) {
        const std::string key = (row++)->first;
        Delete(role, key);
      }
    }
    if (step % 5000 == 4999) Check();
  }
}

}  // namespace
}  // namespace mayfly::engine::hot
