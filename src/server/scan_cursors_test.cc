// Cursors of scans: found again as often as asked, and forgotten in the order of their use.
#include "server/scan_cursors.h"

#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

TEST(ScanCursors, AreFoundAgainMoreThanOnce) {
  ScanCursors cursors;
  const std::uint64_t a = cursors.Keep("a");
  const std::uint64_t b = cursors.Keep("b");
  EXPECT_NE(a, 0u);
  EXPECT_NE(a, b);
  EXPECT_EQ(cursors.Find(a), "a");
  EXPECT_EQ(cursors.Find(b), "b");
  EXPECT_EQ(cursors.Find(a), "a");
  EXPECT_EQ(cursors.Find(0), std::nullopt);
  EXPECT_EQ(cursors.Find(b + 1), std::nullopt);
}

TEST(ScanCursors, TheOneNobodyUsedForLongestIsForgotten) {
  ScanCursors cursors(2);
  const std::uint64_t a = cursors.Keep("a");
  const std::uint64_t b = cursors.Keep("b");
  EXPECT_TRUE(cursors.Find(a));
  cursors.Keep("c");
  EXPECT_TRUE(cursors.Find(a));
  EXPECT_FALSE(cursors.Find(b));
}

}  // namespace
}  // namespace mayfly::server
