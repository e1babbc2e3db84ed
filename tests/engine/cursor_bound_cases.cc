// Goal: keys outside a cursor's bounds do not exist for it.
// Method: every pair of bounds and every target out of a nasty set of keys, half of them stored,
// compared with a plain filter over the stored ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/engine/cases.h"

namespace mayfly::engine::suite {
namespace {

using namespace std::string_literals;

// In order. Neighbours are as close as bytes allow.
const Keys& NastyKeys() {
  static const Keys keys = {"\0"s,    "\0\0"s, "\0\xff"s, "a",          "a\0"s,  "aa",
                            "a\xff"s, "b",     "b\xfe"s,  "b\xff\xff"s, "\xff"s, "\xff\xff"s};
  return keys;
}

// Every second one, from the first on, so that bounds and targets fall on keys and between them.
Keys PutEverySecond(Rig& rig) {
  Keys stored;
  for (std::size_t i = 0; i < NastyKeys().size(); i += 2) stored.push_back(NastyKeys()[i]);
  for (const std::string& key : stored) rig.Put(kRows, key, "value of " + key);
  rig.Put(kMembers, "a\0"s, "of another role");
  return stored;
}

Keys Within(const Keys& keys, const KeyRange& range) {
  Keys within;
  for (const std::string& key : keys) {
    if (key >= range.begin && (range.end.empty() || key < range.end)) within.push_back(key);
  }
  return within;
}

void ForAllBounds(const std::function<void(const KeyRange&)>& check) {
  Keys bounds = {""};
  bounds.insert(bounds.end(), NastyKeys().begin(), NastyKeys().end());
  for (const std::string& begin : bounds) {
    for (const std::string& end : bounds) {
      if (!end.empty() && begin > end) continue;
      SCOPED_TRACE("begin " + testing::PrintToString(begin) + ", end " +
                   testing::PrintToString(end));
      check({.begin = begin, .end = end});
    }
  }
}

void AllBoundsHoldOnAWalk(Rig& rig) {
  const Keys stored = PutEverySecond(rig);
  ForAllBounds([&](const KeyRange& range) {
    Keys expected = Within(stored, range);
    EXPECT_EQ(rig.ScanKeys(kRows, {.range = range}), expected);
    Keys back;
    for (auto& pair : rig.ScanBack(kRows, {.range = range})) back.push_back(pair.first);
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(back, expected);
  });
}

void SeeksClampToAllBounds(Rig& rig) {
  const Keys stored = PutEverySecond(rig);
  ForAllBounds([&](const KeyRange& range) {
    const Keys within = Within(stored, range);
    const auto cursor = rig.NewCursor(kRows, {.range = range});
    for (const std::string& target : NastyKeys()) {
      const auto after = std::lower_bound(within.begin(), within.end(), target);
      cursor->SeekAtOrAfter(target);
      EXPECT_EQ(KeyAt(*cursor), after == within.end() ? "(end)" : *after);
      const auto before = std::upper_bound(within.begin(), within.end(), target);
      cursor->SeekAtOrBefore(target);
      EXPECT_EQ(KeyAt(*cursor), before == within.begin() ? "(end)" : *std::prev(before));
    }
  });
}

void StepsFromASeekStayWithinAllBounds(Rig& rig) {
  const Keys stored = PutEverySecond(rig);
  ForAllBounds([&](const KeyRange& range) {
    const Keys within = Within(stored, range);
    const auto cursor = rig.NewCursor(kRows, {.range = range});
    for (std::size_t i = 0; i < within.size(); ++i) {
      cursor->SeekAtOrBefore(within[i]);
      ASSERT_EQ(KeyAt(*cursor), within[i]);
      cursor->Next();
      EXPECT_EQ(KeyAt(*cursor), i + 1 < within.size() ? within[i + 1] : "(end)");
      cursor->SeekAtOrAfter(within[i]);
      ASSERT_EQ(KeyAt(*cursor), within[i]);
      cursor->Prev();
      EXPECT_EQ(KeyAt(*cursor), i > 0 ? within[i - 1] : "(end)");
    }
  });
}

void BoundsHoldOnASnapshot(Rig& rig) {
  const Keys stored = PutEverySecond(rig);
  const auto snapshot = rig.NewSnapshot();
  for (const std::string& key : NastyKeys()) rig.Put(kRows, key, "later");
  for (const std::string& key : stored) rig.Delete(kRows, key);
  ForAllBounds([&](const KeyRange& range) {
    EXPECT_EQ(rig.ScanKeys(kRows, {.range = range, .snapshot = snapshot.get()}),
              Within(stored, range));
  });
}

void AnEmptyRangeShowsNothing(Rig& rig) {
  PutEverySecond(rig);
  const auto cursor = rig.NewCursor(kRows, {.range = {.begin = "a", .end = "a"}});
  cursor->SeekToFirst();
  EXPECT_EQ(KeyAt(*cursor), "(end)");
  cursor->SeekToLast();
  EXPECT_EQ(KeyAt(*cursor), "(end)");
  cursor->SeekAtOrAfter("a");
  EXPECT_EQ(KeyAt(*cursor), "(end)");
  cursor->SeekAtOrBefore("a");
  EXPECT_EQ(KeyAt(*cursor), "(end)");
}

void AnEmptyTargetLiesBeforeEveryKey(Rig& rig) {
  PutEverySecond(rig);
  const auto cursor = rig.NewCursor(kRows);
  cursor->SeekAtOrAfter("");
  EXPECT_EQ(KeyAt(*cursor), NastyKeys().front());
  cursor->SeekAtOrBefore("");
  EXPECT_EQ(KeyAt(*cursor), "(end)");
}

void BoundsAreCopied(Rig& rig) {
  PutEverySecond(rig);
  std::string begin = "a";
  std::string end = "b\xff\xff";
  const auto cursor = rig.NewCursor(kRows, {.range = {.begin = begin, .end = end}});
  begin.assign(begin.size(), '\xff');
  end.assign(end.size(), '\0');
  Keys seen;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) seen.emplace_back(cursor->key());
  EXPECT_EQ(seen, (Keys{"a\0"s, "a\xff", "b\xfe"}));
}

}  // namespace

Cases CursorBoundCases() {
  return {
      MAYFLY_CASE(AllBoundsHoldOnAWalk),
      MAYFLY_CASE(SeeksClampToAllBounds),
      MAYFLY_CASE(StepsFromASeekStayWithinAllBounds),
      MAYFLY_CASE(BoundsHoldOnASnapshot),
      MAYFLY_CASE(AnEmptyRangeShowsNothing),
      MAYFLY_CASE(AnEmptyTargetLiesBeforeEveryKey),
      MAYFLY_CASE(BoundsAreCopied),
  };
}

}  // namespace mayfly::engine::suite
