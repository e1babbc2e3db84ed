// Goal: the checksums that reach the disk give the same numbers on every machine and in every
// build. Method: published check values, pinned results of our own, and small differences in the
// input.
#include "base/checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/random.h"

namespace mayfly {
namespace {

// One bit at a time, straight from the definition of the polynomial.
std::uint16_t SlowCrc16(Bytes bytes) {
  unsigned crc = 0;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(byte)) << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000u) != 0 ? (crc << 1) ^ 0x1021u : crc << 1;
    }
    crc &= 0xffffu;
  }
  return static_cast<std::uint16_t>(crc);
}

TEST(Crc16, GivesTheCheckValueOfItsPolynomial) { EXPECT_EQ(Crc16("123456789"), 0x31C3); }

TEST(Crc16, OfNothingIsZero) { EXPECT_EQ(Crc16(""), 0); }

TEST(Crc16, TakesBytesAboveAsciiAsUnsigned) {
  EXPECT_EQ(Crc16(Bytes("\x01", 1)), 0x1021);
  EXPECT_EQ(Crc16(Bytes("\xff", 1)), SlowCrc16(Bytes("\xff", 1)));
  EXPECT_NE(Crc16(Bytes("\0a", 2)), Crc16(Bytes("\0b", 2)));
}

TEST(Crc16, AgreesWithItsDefinitionOnRandomBytes) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::string bytes = random.Bytes(random.Below(64));
    ASSERT_EQ(Crc16(bytes), SlowCrc16(bytes)) << "at draw " << i;
  }
}

TEST(Hash64, GivesXxh3sPublishedValueOfNothing) { EXPECT_EQ(Hash64(""), 0x2D06800538D394C2u); }

TEST(Hash64, NeverChangesWhatIsOnDisk) {
  // One input for each of the algorithm's ways by length: up to 3, 8, 16, 128, 240 and more.
  EXPECT_EQ(Hash64("a"), 0xE6C632B61E964E1Fu);
  EXPECT_EQ(Hash64("mayfly"), 0x4D67E2F8EA90FF8Au);
  EXPECT_EQ(Hash64("123456789"), 0x72DCB18B67A17DFFu);
  EXPECT_EQ(Hash64(std::string(100, 'x')), 0xC90984FFDF50CE42u);
  EXPECT_EQ(Hash64(std::string(200, 'x')), 0x50EF124FB1E4DE53u);
  EXPECT_EQ(Hash64(std::string(1000, 'x')), 0xC0A4877B962CBA82u);
  EXPECT_EQ(Hash64("mayfly", 42), 0x29B02561CB7ABE6Eu);
}

TEST(Hash64, TellsEveryFlippedBit) {
  const std::string bytes = Random(2).Bytes(100);
  std::set<std::uint64_t> seen{Hash64(bytes)};
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_TRUE(seen.insert(Hash64(flipped)).second) << "bit " << bit;
  }
}

TEST(Hash64, DependsOnItsSeed) { EXPECT_NE(Hash64("mayfly", 1), Hash64("mayfly", 2)); }

}  // namespace
}  // namespace mayfly
