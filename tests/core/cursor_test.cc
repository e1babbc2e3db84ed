// Cursors show the living rows of one frozen state, in key order, both ways.
// Method: a keyspace of few rows, dead ones between; every seek, bound and filter, on every engine.
#include <gtest/gtest.h>

#include <vector>

#include "core/each_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using Keys = std::vector<std::string>;

class Cursors : public EachEngine {
 protected:
  // b, d, f and h live; a, c, e, g and i are dead; d and h have deadlines.
  void Fill() {
    for (const char* key : {"a", "c", "e", "g", "i"}) Put(key, Lifetime::For(1ms));
    for (const char* key : {"b", "f"}) Put(key, Lifetime::Forever());
    for (const char* key : {"d", "h"}) Put(key, Lifetime::For(100ms));
    clock().Advance(1ms);
  }

  void Put(Bytes key, Lifetime lifetime = Lifetime::Default()) {
    EXPECT_EQ(CodeOf(rows().Put(key, "value of " + std::string(key), lifetime)), kOk);
  }

  Keys Forward(const CursorOptions& options = {}) {
    Keys keys;
    const auto cursor = *rows().NewCursor(options);
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) keys.emplace_back(cursor->key());
    EXPECT_EQ(CodeOf(cursor->status()), kOk);
    return keys;
  }

  Keys Backward(const CursorOptions& options = {}) {
    Keys keys;
    const auto cursor = *rows().NewCursor(options);
    for (cursor->SeekToLast(); cursor->Valid(); cursor->Prev()) keys.emplace_back(cursor->key());
    EXPECT_EQ(CodeOf(cursor->status()), kOk);
    return keys;
  }
};

TEST_P(Cursors, WalkTheLivingInOrderBothWays) {
  Fill();
  EXPECT_EQ(Forward(), (Keys{"b", "d", "f", "h"}));
  EXPECT_EQ(Backward(), (Keys{"h", "f", "d", "b"}));
}

TEST_P(Cursors, StartNowhere) {
  Fill();
  EXPECT_FALSE((*rows().NewCursor())->Valid());
}

TEST_P(Cursors, ShowValuesAndDeadlines) {
  Fill();
  const auto cursor = *rows().NewCursor();
  cursor->SeekToFirst();
  EXPECT_EQ(cursor->value(), "value of b");
  EXPECT_EQ(cursor->deadline(), std::nullopt);
  cursor->Next();
  EXPECT_EQ(cursor->value(), "value of d");
  EXPECT_EQ(cursor->deadline(), kStart + 100ms);
}

TEST_P(Cursors, SeekToTheNearestLivingRowOnEitherSide) {
  Fill();
  const auto cursor = *rows().NewCursor();
  const auto after = [&](Bytes target) -> std::string {
    cursor->SeekAtOrAfter(target);
    return cursor->Valid() ? std::string(cursor->key()) : "-";
  };
  const auto before = [&](Bytes target) -> std::string {
    cursor->SeekAtOrBefore(target);
    return cursor->Valid() ? std::string(cursor->key()) : "-";
  };
  EXPECT_EQ(after("d"), "d");
  EXPECT_EQ(after("e"), "f");
  EXPECT_EQ(after("h\x01"), "-");
  EXPECT_EQ(after(""), "b");
  EXPECT_EQ(before("d"), "d");
  EXPECT_EQ(before("e"), "d");
  EXPECT_EQ(before("a"), "-");
  EXPECT_EQ(before("zzz"), "h");
}

TEST_P(Cursors, TurnRoundAnywhere) {
  Fill();
  const auto cursor = *rows().NewCursor();
  cursor->SeekToFirst();
  cursor->Next();
  cursor->Next();
  EXPECT_EQ(cursor->key(), "f");
  cursor->Prev();
  EXPECT_EQ(cursor->key(), "d");
  cursor->Next();
  EXPECT_EQ(cursor->key(), "f");
  cursor->SeekToLast();
  cursor->Prev();
  cursor->Next();
  EXPECT_EQ(cursor->key(), "h");
  cursor->Next();
  EXPECT_FALSE(cursor->Valid());
  cursor->SeekToFirst();
  cursor->Prev();
  EXPECT_FALSE(cursor->Valid());
  EXPECT_EQ(CodeOf(cursor->status()), kOk);
}

TEST_P(Cursors, StayWithinPrefixAndBounds) {
  for (const char* key : {"a", "ab", "abc", "ac", "b", "\xff", "\xff\xff", "\xff\xff\xff"})
    Put(key);
  EXPECT_EQ(Forward({.prefix = "ab"}), (Keys{"ab", "abc"}));
  EXPECT_EQ(Backward({.prefix = "a"}), (Keys{"ac", "abc", "ab", "a"}));
  EXPECT_EQ(Forward({.prefix = "\xff\xff"}), (Keys{"\xff\xff", "\xff\xff\xff"}));
  EXPECT_EQ(Forward({.begin = "ab", .end = "b"}), (Keys{"ab", "abc", "ac"}));
  EXPECT_EQ(Backward({.begin = "ab", .end = "b"}), (Keys{"ac", "abc", "ab"}));
  EXPECT_EQ(Forward({.prefix = "a", .begin = "abc"}), (Keys{"abc", "ac"}));
  EXPECT_EQ(Forward({.prefix = "a", .end = "ac"}), (Keys{"a", "ab", "abc"}));
  EXPECT_EQ(Forward({.begin = "b", .end = "b"}), Keys{});
  EXPECT_EQ(Forward({.prefix = "a", .begin = "b"}), Keys{});
  EXPECT_EQ(CodeOf(rows().NewCursor({.begin = "b", .end = "a"})), kInvalid);
}

TEST_P(Cursors, SeeksClampToTheBounds) {
  for (const char* key : {"a", "b", "c", "d"}) Put(key);
  const auto cursor = *rows().NewCursor({.begin = "b", .end = "d"});
  cursor->SeekAtOrAfter("a");
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->key(), "b");
  cursor->SeekAtOrBefore("z");
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->key(), "c");
  cursor->SeekAtOrBefore("a");
  EXPECT_FALSE(cursor->Valid());
  cursor->SeekAtOrAfter("d");
  EXPECT_FALSE(cursor->Valid());
}

TEST_P(Cursors, FilterByWhetherRowsHaveADeadline) {
  Fill();
  EXPECT_EQ(Forward({.filter = RowFilter::kMortal}), (Keys{"d", "h"}));
  EXPECT_EQ(Backward({.filter = RowFilter::kMortal}), (Keys{"h", "d"}));
  EXPECT_EQ(Forward({.filter = RowFilter::kImmortal}), (Keys{"b", "f"}));
}

TEST_P(Cursors, ShowTheStateAndInstantTheyWereMadeAt) {
  Fill();
  const auto cursor = *rows().NewCursor();
  EXPECT_EQ(CodeOf(rows().Delete("b")), kOk);
  Put("e");
  Put("f", Lifetime::For(1ms));
  clock().Advance(100ms);  // d and h die.
  EXPECT_EQ(CodeOf(database().Purge()), kOk);
  Keys keys;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) keys.emplace_back(cursor->key());
  EXPECT_EQ(keys, (Keys{"b", "d", "f", "h"}));
  EXPECT_EQ(Forward(), Keys{"e"});
}

TEST_P(Cursors, LeaveTheDeadToOthers) {
  Fill();
  Forward();
  EXPECT_EQ(StatisticsOf(database()).due_rows, 5u);
}

TEST_P(Cursors, StayInTheirKeyspace) {
  const auto before = *database().CreateKeyspace("before");
  const auto after = *database().CreateKeyspace("after");
  for (Keyspace* keyspace : {before.get(), after.get()}) {
    ASSERT_EQ(CodeOf(keyspace->Put("x", "value")), kOk);
    ASSERT_EQ(CodeOf(keyspace->Put("\xff\xff\xff\xff", "value")), kOk);
  }
  const auto cursor = *before->NewCursor();
  cursor->SeekAtOrAfter("\xff\xff\xff\xff\xff");
  EXPECT_FALSE(cursor->Valid());
  cursor->SeekToLast();
  EXPECT_EQ(cursor->key(), "\xff\xff\xff\xff");
  EXPECT_EQ(Forward(), Keys{});
}

INSTANTIATE_TEST_SUITE_P(On, Cursors, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
