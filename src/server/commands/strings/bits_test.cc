// Goal: counting and finding bits, a word at a time, agree with testing every single one.
// Method: random strings and ranges, mostly of equal bytes; the seed is printed when they differ.
#include "server/commands/strings/bits.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace mayfly::server {
namespace {

std::uint64_t CountSlowly(Bytes bytes, BitRange range) {
  std::uint64_t ones = 0;
  for (std::uint64_t bit = range.begin; bit < range.end; ++bit) ones += BitAt(bytes, bit) ? 1u : 0u;
  return ones;
}

std::optional<std::uint64_t> FindSlowly(Bytes bytes, BitRange range, bool on) {
  for (std::uint64_t bit = range.begin; bit < range.end; ++bit) {
    if (BitAt(bytes, bit) == on) return bit;
  }
  return std::nullopt;
}

TEST(Bits, AreCountedAndFoundAsOneByOne) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int i = 0; i < 5000; ++i) {
    std::string bytes(random.Below(40), random.OneIn(2) ? '\xff' : '\0');
    for (auto changes = random.Below(3); changes > 0 && !bytes.empty(); --changes) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    }
    const std::uint64_t end = random.Between(0, BitsOf(bytes));
    const BitRange range{random.Between(0, end), end};
    ASSERT_EQ(CountOnes(bytes, range), CountSlowly(bytes, range));
    ASSERT_EQ(FindBit(bytes, range, true), FindSlowly(bytes, range, true));
    ASSERT_EQ(FindBit(bytes, range, false), FindSlowly(bytes, range, false));
  }
}

TEST(Bits, BehindTheEndAreOff) {
  EXPECT_TRUE(BitAt("\x01", 7));
  EXPECT_FALSE(BitAt("\x01", 8));
  EXPECT_FALSE(BitAt("", 0));
}

}  // namespace
}  // namespace mayfly::server
