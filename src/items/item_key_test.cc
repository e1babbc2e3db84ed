// Goal: the order of keys is the order of their values, and keys can be decoded. Method: seeded
// draws of strings, binaries and numbers of 38 digits, compared as values and as bytes.
#include "items/item_key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "items/compare.h"

namespace mayfly::items {
namespace {

std::string Encoded(const AttributeValue& value) {
  std::string bytes;
  AppendKeyValue(value, bytes);
  return bytes;
}

Number NumberOf(const std::string& text) {
  const auto number = Number::Parse(text);
  EXPECT_TRUE(number.has_value()) << text;
  return number.value_or(Number());
}

Number DrawNumber(Random& random) {
  std::string text = random.OneIn(2) ? "-" : "";
  const std::uint64_t digits = random.OneIn(3) ? random.Between(1, 3) : random.Between(1, 38);
  for (std::uint64_t i = 0; i < digits; ++i) {
    text += static_cast<char>('0' + (random.OneIn(3) ? 9 * random.Below(2) : random.Below(10)));
    if (i == 0) text += '.';
  }
  const std::int64_t power = random.OneIn(2) ? static_cast<std::int64_t>(random.Below(5)) - 2
                                             : static_cast<std::int64_t>(random.Below(209)) - 90;
  return NumberOf(text + "e" + std::to_string(power));
}

std::string DrawBytes(Random& random) {
  static constexpr char kLetters[] = {'\x00', '\x01', 'a', 'b', '\xfe', '\xff'};
  std::string bytes(random.Below(6), ' ');
  for (char& byte : bytes) byte = kLetters[random.Below(std::size(kLetters))];
  return bytes;
}

TEST(ItemKey, OrdersAsTheValuesDo) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int i = 0; i < 20000; ++i) {
    AttributeValue a;
    AttributeValue b;
    switch (random.Below(3)) {
      case 0: a = DrawNumber(random), b = DrawNumber(random); break;
      case 1: a = DrawBytes(random), b = DrawBytes(random); break;
      default: a = Binary{DrawBytes(random)}, b = Binary{DrawBytes(random)}; break;
    }
    ASSERT_EQ(std::partial_ordering(Encoded(a) <=> Encoded(b)), Compare(a, b))
        << (a.number() != nullptr ? a.number()->text() + " " + b.number()->text() : "");
  }
}

TEST(ItemKey, OrdersNumbersAtTheEdges) {
  const char* ascending[] = {"-9.9999999999999999999999999999999999999e125",
                             "-1e125",
                             "-1e38",
                             "-100.1",
                             "-100",
                             "-99",
                             "-10.1",
                             "-10",
                             "-9",
                             "-1.01",
                             "-1",
                             "-0.1",
                             "-1.5e-130",
                             "-1e-130",
                             "0",
                             "1e-130",
                             "1.5e-130",
                             "0.1",
                             "1",
                             "1.01",
                             "9",
                             "10",
                             "10.1",
                             "99",
                             "100",
                             "100.1",
                             "1e38",
                             "1e125",
                             "9.9999999999999999999999999999999999999e125"};
  for (std::size_t i = 0; i + 1 < std::size(ascending); ++i) {
    EXPECT_LT(Encoded(NumberOf(ascending[i])), Encoded(NumberOf(ascending[i + 1]))) << ascending[i];
  }
}

TEST(ItemKey, ComesBackAndEndsItself) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int i = 0; i < 2000; ++i) {
    const AttributeValue values[] = {DrawNumber(random), DrawBytes(random),
                                     Binary{DrawBytes(random)}};
    std::string bytes;
    for (const AttributeValue& value : values) AppendKeyValue(value, bytes);
    Bytes rest = bytes;
    for (const AttributeValue& value : values) {
      const auto taken = TakeKeyValue(rest);
      ASSERT_TRUE(taken.has_value()) << taken.status().ToString();
      ASSERT_EQ(*taken, value);
    }
    ASSERT_TRUE(rest.empty());
  }
}

TEST(ItemKey, HasStableBytes) {
  EXPECT_EQ(Encoded("a"), std::string("\x00"
                                      "a\x00\x01",
                                      4));
  EXPECT_EQ(Encoded(Binary{std::string("\0", 1)}), std::string("\x02\x00\xff\x00\x01", 5));
  EXPECT_EQ(Encoded(Number(0)), "\x01\x02");
  EXPECT_EQ(Encoded(Number(123)), std::string("\x01\x03\x84\x0d\x1f\x00", 6));
  EXPECT_EQ(Encoded(Number(-123)), std::string("\x01\x01\x7b\xf2\xe0\xff", 6));
  EXPECT_EQ(ItemKey("a", nullptr), PartitionPrefix("a"));
  EXPECT_EQ(ItemKey("a", nullptr).substr(2), Encoded("a"));
  const AttributeValue sort = Number(1);
  EXPECT_EQ(ItemKey("a", &sort), PartitionPrefix("a") + Encoded(sort));
  EXPECT_EQ(PartitionPrefix("a").substr(0, 2), std::string("\x9d\x6c", 2));
}

TEST(ItemKey, RefusesDamagedKeys) {
  using namespace std::string_literals;
  const std::string cases[] = {
      ""s,      // Nothing.
      "\x00"s,  // No end.
      "\x00"
      "a"s,  //
      "\x00"
      "a\x00"s,  // Half an end.
      "\x00"
      "a\x00\x02"s,  // Neither an end nor a zero byte.
      "\x03"
      "a\x00\x01"s,                                         // A type that is no key's.
      "\x01"s,                                              // No sign.
      "\x01\x04"s,                                          // An unknown sign.
      "\x01\x03"s,                                          // No power.
      "\x01\x03\x82"s,                                      // No digits.
      "\x01\x03\x82\x00"s,                                  //
      "\x01\x03\x82\x0d"s,                                  // No end.
      "\x01\x03\x82\x05\x00"s,                              // A zero in front.
      "\x01\x03\x82\x0d\x01\x00"s,                          // Zeros behind.
      "\x01\x03\x82\x66\x00"s,                              // More than 99.
      "\x01\x03\x82"s + std::string(20, '\x0d') + "\x00"s,  // 40 digits.
  };
  for (const std::string& bytes : cases) {
    Bytes rest = bytes;
    EXPECT_EQ(TakeKeyValue(rest).status().code(), StatusCode::kCorruption) << &bytes - cases;
    EXPECT_EQ(rest, bytes) << &bytes - cases;
  }
}

TEST(ItemKey, PrefixCoversExactlyWhatBeginsWithIt) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int i = 0; i < 20000; ++i) {
    const std::string beginning = DrawBytes(random).substr(0, random.Below(4));
    const std::string whole = DrawBytes(random);
    std::string prefix;
    AppendKeyPrefix(beginning, prefix);
    const std::string key = Encoded(whole);
    ASSERT_EQ(key >= prefix && key < PrefixEnd(prefix), whole.starts_with(beginning));
  }
}

TEST(ItemKey, PrefixEndIsTheFirstBeyond) {
  EXPECT_EQ(PrefixEnd("a"), "b");
  EXPECT_EQ(PrefixEnd("a\xff\xff"), "b");
  EXPECT_EQ(PrefixEnd("\xff\xff"), "");
  EXPECT_EQ(PrefixEnd(""), "");
  EXPECT_EQ(PrefixEnd("a\x7f"), "a\x80");
}

TEST(ItemKey, SegmentsAreTheWholeAndDoNotOverlap) {
  for (const std::uint32_t segments : {1U, 2U, 3U, 7U, 4096U, 65536U, 1'000'000U}) {
    EXPECT_EQ(SegmentBegin(0, segments), std::string(2, '\0'));
    EXPECT_EQ(SegmentBegin(segments, segments), "");
    std::string before = SegmentBegin(0, segments);
    for (std::uint32_t i = 1; i < segments; ++i) {
      const std::string begin = SegmentBegin(i, segments);
      ASSERT_EQ(begin.size(), 2u);
      ASSERT_LE(before, begin) << i << " of " << segments;
      ASSERT_TRUE(segments > 65536U || before != begin) << i << " of " << segments;
      before = begin;
    }
  }
}

}  // namespace
}  // namespace mayfly::items
