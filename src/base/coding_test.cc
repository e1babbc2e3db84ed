// Goal: what is written is what is read, and bytes that are short or malformed are refused
// untouched. Method: known bytes, round trips over edges and seeded draws, and every truncation of
// each encoding.
#include "base/coding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"

namespace mayfly {
namespace {

template <typename Integer>
struct Codec {
  void (*append)(std::string&, Integer);
  bool (*eat)(Bytes&, Integer&);
};

template <typename Integer>
std::vector<Integer> Samples() {
  std::vector<Integer> samples{0, 1, std::numeric_limits<Integer>::max()};
  for (int bit = 1; bit < std::numeric_limits<Integer>::digits; ++bit) {
    const auto power = static_cast<Integer>(Integer{1} << bit);
    samples.insert(samples.end(),
                   {static_cast<Integer>(power - 1), power, static_cast<Integer>(power + 1)});
  }
  Random random(3);
  for (int i = 0; i < 200; ++i) samples.push_back(static_cast<Integer>(random.Next()));
  return samples;
}

// What holds for every way of writing an integer.
template <typename Integer>
void ExpectSound(Codec<Integer> codec) {
  for (const Integer sample : Samples<Integer>()) {
    std::string bytes = "before";
    codec.append(bytes, sample);
    ASSERT_EQ(bytes.substr(0, 6), "before") << "writers append";
    bytes.erase(0, 6);

    const std::string followed = bytes + "after";
    Bytes in = followed;
    Integer value = 0;
    ASSERT_TRUE(codec.eat(in, value)) << sample;
    EXPECT_EQ(value, sample);
    EXPECT_EQ(in, "after") << "readers eat their own bytes only";

    for (std::size_t size = 0; size < bytes.size(); ++size) {
      Bytes cut = Bytes(bytes).substr(0, size);
      ASSERT_FALSE(codec.eat(cut, value)) << sample << " cut to " << size;
      EXPECT_EQ(cut, Bytes(bytes).substr(0, size)) << "a refused view stays as it was";
    }
  }
}

TEST(Coding, RoundTripsEveryIntegerAndRefusesEveryTruncation) {
  ExpectSound<std::uint16_t>({AppendBigEndian16, EatBigEndian16});
  ExpectSound<std::uint32_t>({AppendBigEndian32, EatBigEndian32});
  ExpectSound<std::uint64_t>({AppendBigEndian64, EatBigEndian64});
  ExpectSound<std::uint32_t>({AppendLittleEndian32, EatLittleEndian32});
  ExpectSound<std::uint64_t>({AppendLittleEndian64, EatLittleEndian64});
  ExpectSound<std::uint64_t>({AppendVarint, EatVarint});
  ExpectSound<std::int64_t>({AppendZigZag, EatZigZag});
}

template <typename Integer>
std::string Written(void (*append)(std::string&, Integer), Integer value) {
  std::string bytes;
  append(bytes, value);
  return bytes;
}

TEST(Coding, HasTheseBytesOnDisk) {
  EXPECT_EQ(Written<std::uint16_t>(AppendBigEndian16, 0x0102), "\x01\x02");
  EXPECT_EQ(Written<std::uint32_t>(AppendBigEndian32, 0x01020304), "\x01\x02\x03\x04");
  EXPECT_EQ(Written<std::uint64_t>(AppendBigEndian64, 0x0102030405060708),
            "\x01\x02\x03\x04\x05\x06\x07\x08");
  EXPECT_EQ(Written<std::uint32_t>(AppendLittleEndian32, 0x01020304), "\x04\x03\x02\x01");
  EXPECT_EQ(Written<std::uint64_t>(AppendLittleEndian64, 0x0102030405060708),
            "\x08\x07\x06\x05\x04\x03\x02\x01");
  EXPECT_EQ(Written<std::uint64_t>(AppendVarint, 0), std::string(1, '\0'));
  EXPECT_EQ(Written<std::uint64_t>(AppendVarint, 127), "\x7f");
  EXPECT_EQ(Written<std::uint64_t>(AppendVarint, 128), "\x80\x01");
  EXPECT_EQ(Written<std::uint64_t>(AppendVarint, 300), "\xac\x02");
  EXPECT_EQ(Written<std::uint64_t>(AppendVarint, ~std::uint64_t{0}),
            "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(Written<std::int64_t>(AppendZigZag, 0), std::string(1, '\0'));
  EXPECT_EQ(Written<std::int64_t>(AppendZigZag, -1), "\x01");
  EXPECT_EQ(Written<std::int64_t>(AppendZigZag, 1), "\x02");
  EXPECT_EQ(Written<std::int64_t>(AppendZigZag, -64), "\x7f");
  EXPECT_EQ(Written<std::int64_t>(AppendZigZag, 64), "\x80\x01");
  EXPECT_EQ(Written<std::int64_t>(AppendZigZag, std::numeric_limits<std::int64_t>::max()),
            "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(Written<std::int64_t>(AppendZigZag, std::numeric_limits<std::int64_t>::min()),
            "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(Coding, SortsBigEndianBytesAsNumbers) {
  std::vector<std::uint64_t> numbers = Samples<std::uint64_t>();
  std::vector<std::string> bytes;
  for (const std::uint64_t number : numbers) bytes.push_back(Written(AppendBigEndian64, number));
  std::sort(numbers.begin(), numbers.end());
  std::sort(bytes.begin(), bytes.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(bytes[i], Written(AppendBigEndian64, numbers[i]));
  }
}

// Expects a refusal that leaves the view alone.
void ExpectRefusedVarint(const std::string& bytes) {
  Bytes in = bytes;
  std::uint64_t value = 0;
  EXPECT_FALSE(EatVarint(in, value)) << testing::PrintToString(bytes);
  EXPECT_EQ(in, bytes);
}

TEST(Varint, RefusesAnythingButTheShortestForm) {
  ExpectRefusedVarint(std::string("\x80\x00", 2));
  ExpectRefusedVarint(std::string("\xff\x00", 2));
  // Every number written with one zero byte too many, and with two.
  for (const std::uint64_t sample : Samples<std::uint64_t>()) {
    std::string bytes = Written(AppendVarint, sample);
    for (int padding = 0; padding < 2; ++padding) {
      bytes.back() = static_cast<char>(bytes.back() | 0x80);
      bytes.push_back('\0');
      ExpectRefusedVarint(bytes);
    }
  }
}

TEST(Varint, RefusesNumbersPast64Bits) {
  const std::string nine(9, '\xff');
  ExpectRefusedVarint(nine + "\x02");
  ExpectRefusedVarint(nine + "\x7f");
  ExpectRefusedVarint(nine + "\x81\x01");
  ExpectRefusedVarint(std::string(11, '\x80') + "\x01");
}

TEST(Sized, RoundTripsBytesOfAnyLength) {
  Random random(4);
  for (const std::size_t size : {0u, 1u, 127u, 128u, 129u, 16383u, 16384u, 100'000u}) {
    const std::string payload = random.Bytes(size);
    std::string bytes;
    AppendSized(bytes, payload);
    AppendSized(bytes, "next");
    Bytes in = bytes;
    Bytes got;
    ASSERT_TRUE(EatSized(in, got));
    EXPECT_EQ(got, payload);
    ASSERT_TRUE(EatSized(in, got));
    EXPECT_EQ(got, "next");
    EXPECT_TRUE(in.empty());
  }
}

TEST(Sized, PointsIntoTheMemoryItReads) {
  const std::string bytes = std::string(1, 3) + "abc";
  Bytes in = bytes;
  Bytes got;
  ASSERT_TRUE(EatSized(in, got));
  EXPECT_EQ(got.data(), bytes.data() + 1);
}

TEST(Sized, RefusesEveryTruncation) {
  for (const std::size_t size : {1u, 3u, 200u}) {
    std::string bytes;
    AppendSized(bytes, std::string(size, 'x'));
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      Bytes in = Bytes(bytes).substr(0, cut);
      Bytes got = "untouched";
      ASSERT_FALSE(EatSized(in, got)) << size << " cut to " << cut;
      EXPECT_EQ(in.size(), cut);
    }
  }
}

TEST(Sized, RefusesALengthThatReachesPastTheEndOfMemory) {
  std::string bytes;
  AppendVarint(bytes, ~std::uint64_t{0});
  bytes += "abc";
  Bytes in = bytes;
  Bytes got;
  EXPECT_FALSE(EatSized(in, got));
  EXPECT_EQ(in, bytes);
}

}  // namespace
}  // namespace mayfly
