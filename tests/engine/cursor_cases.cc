// Goal: a cursor shows one frozen state in byte order, both ways.
// Method: small scans by hand, and long ones over rows in files and in memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/cases.h"

namespace mayfly::engine::suite {
namespace {

Pairs Reversed(Pairs pairs) {
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

void PutLetters(Rig& rig, std::string_view letters) {
  for (const char letter : letters) {
    rig.Put(kRows, std::string(1, letter), std::string(1, static_cast<char>(letter - 'a' + 'A')));
  }
}

void ACursorStartsNowhere(Rig& rig) {
  PutLetters(rig, "abc");
  const auto cursor = rig.NewCursor(kRows);
  EXPECT_FALSE(cursor->Valid());
  EXPECT_TRUE(cursor->status().ok());
}

void ACursorOverNothingShowsNothing(Rig& rig) {
  rig.Put(kMembers, "key", "value");
  const auto cursor = rig.NewCursor(kRows);
  cursor->SeekToFirst();
  EXPECT_EQ(KeyAt(*cursor), "(end)");
  cursor->SeekToLast();
  EXPECT_EQ(KeyAt(*cursor), "(end)");
  cursor->SeekAtOrAfter("a");
  EXPECT_EQ(KeyAt(*cursor), "(end)");
  cursor->SeekAtOrBefore("z");
  EXPECT_EQ(KeyAt(*cursor), "(end)");
}

void ACursorWalksBothWaysInByteOrder(Rig& rig) {
  PutLetters(rig, "cabd");
  const Pairs expected = {{"a", "A"}, {"b", "B"}, {"c", "C"}, {"d", "D"}};
  EXPECT_EQ(rig.Scan(kRows), expected);
  EXPECT_EQ(rig.ScanBack(kRows), Reversed(expected));
}

void ACursorTurnsRoundAnywhere(Rig& rig) {
  PutLetters(rig, "abcdefg");
  rig.Compact(Role::kRows);
  rig.Put(kRows, "cc", "CC");
  rig.Delete(kRows, "e");
  const Keys keys = {"a", "b", "c", "cc", "d", "f", "g"};
  const auto cursor = rig.NewCursor(kRows);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    cursor->SeekAtOrAfter(keys[i]);
    ASSERT_EQ(KeyAt(*cursor), keys[i]);
    if (i + 1 < keys.size()) {
      cursor->Next();
      ASSERT_EQ(KeyAt(*cursor), keys[i + 1]);
      cursor->Prev();
      ASSERT_EQ(KeyAt(*cursor), keys[i]);
    }
    if (i > 0) {
      cursor->Prev();
      ASSERT_EQ(KeyAt(*cursor), keys[i - 1]);
      cursor->Next();
      ASSERT_EQ(KeyAt(*cursor), keys[i]);
    }
  }
}

void ACursorIsSoughtAgainAfterEitherEnd(Rig& rig) {
  PutLetters(rig, "abc");
  const auto cursor = rig.NewCursor(kRows);
  cursor->SeekToLast();
  ASSERT_EQ(KeyAt(*cursor), "c");
  cursor->Next();
  EXPECT_EQ(KeyAt(*cursor), "(end)");
  cursor->SeekToFirst();
  ASSERT_EQ(KeyAt(*cursor), "a");
  cursor->Prev();
  EXPECT_EQ(KeyAt(*cursor), "(end)");
  cursor->SeekAtOrBefore("b");
  EXPECT_EQ(KeyAt(*cursor), "b");
}

void ACursorShowsTheStateOfItsMakingEvenBeforeItsFirstSeek(Rig& rig) {
  PutLetters(rig, "abc");
  const auto cursor = rig.NewCursor(kRows);
  rig.Put(kRows, "a", "changed");
  rig.Put(kRows, "aa", "added");
  rig.Delete(kRows, "b");
  rig.DeleteRange(kRows, "c", "d");
  rig.Compact(Role::kRows);
  Pairs seen;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    seen.emplace_back(cursor->key(), cursor->value());
  }
  EXPECT_EQ(seen, (Pairs{{"a", "A"}, {"b", "B"}, {"c", "C"}}));
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"a", "aa"}));
}

void ACursorInTheMiddleOfItsWalkIsNotDisturbed(Rig& rig) {
  PutLetters(rig, "bdf");
  const auto cursor = rig.NewCursor(kRows);
  cursor->SeekToFirst();
  rig.Put(kRows, "c", "added");
  rig.Delete(kRows, "d");
  cursor->Next();
  EXPECT_EQ(KeyAt(*cursor), "d");
  EXPECT_EQ(ValueAt(*cursor), "D");
  rig.Put(kRows, "f", "changed");
  rig.Put(kRows, "a", "added");
  cursor->SeekToLast();
  EXPECT_EQ(ValueAt(*cursor), "F");
  cursor->SeekToFirst();
  EXPECT_EQ(KeyAt(*cursor), "b");
}

void KeyAndValueStayUntilTheCursorMoves(Rig& rig) {
  rig.Put(kRows, "key", std::string(4000, 'x'));
  const auto cursor = rig.NewCursor(kRows);
  cursor->SeekToFirst();
  ASSERT_TRUE(cursor->Valid());
  const Bytes key = cursor->key();
  const Bytes value = cursor->value();
  rig.Put(kRows, "key", std::string(4000, 'y'));
  rig.Compact(Role::kRows);
  rig.Delete(kRows, "key");
  rig.Compact(Role::kRows);
  EXPECT_EQ(key, "key");
  EXPECT_EQ(value, std::string(4000, 'x'));
}

void ACursorShowsItsSnapshot(Rig& rig) {
  PutLetters(rig, "abc");
  const auto snapshot = rig.NewSnapshot();
  rig.Delete(kRows, "a");
  rig.Put(kRows, "b", "changed");
  rig.Put(kRows, "d", "added");
  const Pairs before = {{"a", "A"}, {"b", "B"}, {"c", "C"}};
  EXPECT_EQ(rig.Scan(kRows, {.snapshot = snapshot.get()}), before);
  EXPECT_EQ(rig.ScanBack(kRows, {.snapshot = snapshot.get()}), Reversed(before));
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"b", "c", "d"}));
}

void ACursorSkipsWhatWasDeleted(Rig& rig) {
  for (std::size_t i = 0; i < 300; ++i) rig.Put(kRows, NumberedKey(i), "value");
  rig.Compact(Role::kRows);
  Keys expected;
  for (std::size_t i = 0; i < 300; ++i) {
    if (i % 10 == 3) {
      expected.push_back(NumberedKey(i));
    } else {
      rig.Delete(kRows, NumberedKey(i));
    }
  }
  EXPECT_EQ(rig.ScanKeys(kRows), expected);
  const auto cursor = rig.NewCursor(kRows);
  cursor->SeekAtOrAfter(NumberedKey(4));
  EXPECT_EQ(KeyAt(*cursor), NumberedKey(13));
  cursor->SeekAtOrBefore(NumberedKey(292));
  EXPECT_EQ(KeyAt(*cursor), NumberedKey(283));
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.ScanKeys(kRows), expected);
}

// Enough bytes for several files, some rewritten in newer ones.
void ACursorWalksManyKeysBothWays(Rig& rig) {
  constexpr std::size_t kKeys = 3000;
  Pairs expected;
  Batch batch;
  for (std::size_t i = 0; i < kKeys; ++i) {
    batch.Put(kRows, NumberedKey(i), std::string(100, 'a'));
    expected.emplace_back(NumberedKey(i), std::string(100, 'a'));
    if (batch.change_count() == 100) {
      rig.Commit(batch);
      batch.Clear();
    }
  }
  for (std::size_t i = 0; i < kKeys; i += 7) {
    rig.Put(kRows, NumberedKey(i), std::string(100, 'b'));
    expected[i].second = std::string(100, 'b');
  }
  EXPECT_TRUE(rig.Scan(kRows) == expected);
  EXPECT_TRUE(rig.ScanBack(kRows) == Reversed(expected));
  EXPECT_TRUE(rig.Scan(kRows, {.fill_cache = false}) == expected);
}

void SeveralCursorsWalkIndependently(Rig& rig) {
  PutLetters(rig, "ab");
  const auto first = rig.NewCursor(kRows);
  first->SeekToFirst();
  rig.Put(kRows, "c", "C");
  const auto second = rig.NewCursor(kRows);
  second->SeekToLast();
  EXPECT_EQ(KeyAt(*second), "c");
  first->Next();
  EXPECT_EQ(KeyAt(*first), "b");
  first->Next();
  EXPECT_EQ(KeyAt(*first), "(end)");
  EXPECT_EQ(KeyAt(*second), "c");
}

}  // namespace

Cases CursorCases() {
  return {
      MAYFLY_CASE(ACursorStartsNowhere),
      MAYFLY_CASE(ACursorOverNothingShowsNothing),
      MAYFLY_CASE(ACursorWalksBothWaysInByteOrder),
      MAYFLY_CASE(ACursorTurnsRoundAnywhere),
      MAYFLY_CASE(ACursorIsSoughtAgainAfterEitherEnd),
      MAYFLY_CASE(ACursorShowsTheStateOfItsMakingEvenBeforeItsFirstSeek),
      MAYFLY_CASE(ACursorInTheMiddleOfItsWalkIsNotDisturbed),
      MAYFLY_CASE(KeyAndValueStayUntilTheCursorMoves),
      MAYFLY_CASE(ACursorShowsItsSnapshot),
      MAYFLY_CASE(ACursorSkipsWhatWasDeleted),
      MAYFLY_CASE(ACursorWalksManyKeysBothWays),
      MAYFLY_CASE(SeveralCursorsWalkIndependently),
  };
}

}  // namespace mayfly::engine::suite
