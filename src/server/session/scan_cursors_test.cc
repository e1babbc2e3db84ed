// Goal: cursors of scans never go stale. Method: scans over a sorted set of keys with bounds so small
// that nearly everything is forgotten, with others scanning, keys coming and going, and restarts.
#include "server/session/scan_cursors.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/random.h"

namespace mayfly::server {
namespace {

constexpr WallTime kNow = WallTimeFromMs(1'800'000'000'000);

using Keys = std::set<std::string>;

// As the handler of SCAN does it. Returns the next cursor.
std::uint64_t Page(ScanCursors& cursors, const Keys& keys, std::uint64_t cursor,
                   std::uint64_t count, Keys& shown) {
  const ScanCursors::Place place = cursors.Find(0, cursor);
  const std::uint64_t rows = std::max(count, place.rows_min);
  auto key = keys.lower_bound(place.key);
  for (std::uint64_t i = 0; i < rows && key != keys.end(); ++i) shown.insert(*key++);
  return key == keys.end() ? 0 : cursors.Keep(0, place, rows, *key);
}

Keys ManyKeys(int count) {
  Keys keys;
  for (int i = 0; i < count; ++i) keys.insert("a long common prefix:" + std::to_string(i));
  return keys;
}

TEST(ScanCursors, GoOnExactlyWhereTheyStoodAsOftenAsAsked) {
  ScanCursors cursors(kNow);
  const Keys keys = ManyKeys(100);
  Keys first;
  const std::uint64_t cursor = Page(cursors, keys, 0, 10, first);
  EXPECT_NE(cursor, 0u);
  EXPECT_LT(cursor, std::uint64_t{1} << 53);
  EXPECT_EQ(first.size(), 10u);
  for (int again = 0; again < 2; ++again) {
    Keys second;
    Page(cursors, keys, cursor, 10, second);
    EXPECT_EQ(second.size(), 10u);
    EXPECT_EQ(*second.begin(), *std::next(keys.begin(), 10));
  }
}

TEST(ScanCursors, OutliveAnyNumberOfOtherScans) {
  ScanCursors cursors(kNow);
  const Keys keys = ManyKeys(5000);
  Keys shown;
  std::uint64_t cursor = Page(cursors, keys, 0, 10, shown);
  for (int page = 0; cursor != 0; ++page) {
    ASSERT_LT(page, 1000);
    Keys theirs;
    // The first two times so many that no place is left; then a few.
    for (int i = 0; i < (page < 2 ? 70'000 : 10); ++i) Page(cursors, keys, 0, 1, theirs);
    cursor = Page(cursors, keys, cursor, 10, shown);
  }
  EXPECT_EQ(shown, keys);
}

TEST(ScanCursors, WhatStaysIsShownAndScansEndThoughNothingIsRememberedButMilestones) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ScanCursors cursors(kNow, {.places_max = 1, .milestones_max = 1000, .spacing = 8});
    const Keys stays = ManyKeys(300);
    Keys keys = stays;
    std::vector<std::uint64_t> scans(4, 0);
    std::vector<Keys> shown(scans.size());
    std::vector<bool> over(scans.size(), false);
    int pages = 0;
    for (; std::find(over.begin(), over.end(), false) != over.end(); ++pages) {
      ASSERT_LT(pages, 4000);
      const std::size_t one = random.Below(scans.size());
      if (over[one]) continue;
      scans[one] = Page(cursors, keys, scans[one], 1 + random.Below(3), shown[one]);
      over[one] = scans[one] == 0;
      const std::string passing = "a long common prefix:" + std::to_string(random.Below(300)) + "x";
      if (!keys.insert(passing).second) keys.erase(passing);
    }
    for (const Keys& one : shown) {
      EXPECT_TRUE(std::includes(one.begin(), one.end(), stays.begin(), stays.end()));
    }
  }
}

TEST(ScanCursors, BeginAgainAfterARestart) {
  const Keys keys = ManyKeys(5000);
  Keys shown;
  ScanCursors before(kNow);
  std::uint64_t cursor = 0;
  for (int page = 0; page < 30; ++page) cursor = Page(before, keys, cursor, 100, shown);
  shown.clear();
  // Others have scanned since: no number of theirs is one of before.
  ScanCursors after(kNow + std::chrono::seconds(30));
  Keys theirs;
  for (std::uint64_t other = Page(after, keys, 0, 7, theirs); other != 0;) {
    other = Page(after, keys, other, 7, theirs);
  }
  for (int page = 0; cursor != 0; ++page) {
    ASSERT_LT(page, 100);
    cursor = Page(after, keys, cursor, 100, shown);
  }
  EXPECT_EQ(shown, keys);
}

TEST(ScanCursors, NumbersAreNeverGivenOutTwice) {
  ScanCursors cursors(kNow, {.places_max = 10, .milestones_max = 10, .spacing = 100});
  const Keys keys = ManyKeys(50);
  std::set<std::uint64_t> numbers;
  for (int i = 0; i < 10'000; ++i) {
    Keys shown;
    const std::uint64_t cursor = Page(cursors, keys, 0, 5, shown);
    EXPECT_TRUE(numbers.insert(cursor).second);
  }
}

TEST(ScanCursors, OfOneDatabaseSayNothingInAnother) {
  ScanCursors cursors(kNow);
  const Keys keys = ManyKeys(100);
  Keys shown;
  const std::uint64_t cursor = Page(cursors, keys, 0, 10, shown);
  EXPECT_NE(cursors.Find(0, cursor).key, "");
  EXPECT_EQ(cursors.Find(1, cursor).key, "");
}

}  // namespace
}  // namespace mayfly::server
