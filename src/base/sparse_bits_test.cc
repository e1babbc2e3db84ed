// Goal: a set shows what was put into it, in order, whatever its memory held before. Method: numbers
// at the ends of words; random sets beside std::set.
#include "base/sparse_bits.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/random.h"

namespace mayfly {
namespace {

using Bits = SparseBits<2048>;

std::vector<std::size_t> MembersOf(const Bits& bits) {
  std::vector<std::size_t> seen;
  bits.ForEach([&](std::size_t number) { seen.push_back(number); });
  return seen;
}

TEST(SparseBits, HoldsWhatWasSetAndShowsItInOrder) {
  Bits bits;
  bits.set(2047).set(0).set(64);
  Bits other;
  other.set(63);
  bits |= other;
  EXPECT_EQ(MembersOf(bits), (std::vector<std::size_t>{0, 63, 64, 2047}));
  EXPECT_TRUE(bits[63]);
  EXPECT_FALSE(bits[62]);
  EXPECT_FALSE(bits[128]) << "of a word that nothing was set in";
  bits.clear();
  EXPECT_TRUE(MembersOf(bits).empty());
  EXPECT_EQ(MembersOf(bits.set(1)), (std::vector<std::size_t>{1})) << "nothing comes back";
}

TEST(SparseBits, AllHoldsEveryNumber) {
  const Bits all = Bits::All();
  std::size_t next = 0;
  all.ForEach([&](std::size_t number) { EXPECT_EQ(number, next++); });
  EXPECT_EQ(next, 2048U);
  EXPECT_TRUE(all[2047]);
}

TEST(SparseBits, CopiesAreEqual) {
  Random random(1);
  Bits copy;
  for (int round = 0; round < 200; ++round) {
    Bits bits;
    std::set<std::size_t> expected;
    for (std::uint64_t i = random.Below(40); i > 0; --i) {
      const std::size_t number = random.Below(2048);
      bits.set(number);
      expected.insert(number);
    }
    copy = bits;
    EXPECT_EQ(MembersOf(copy), (std::vector<std::size_t>(expected.begin(), expected.end())));
  }
}

}  // namespace
}  // namespace mayfly
