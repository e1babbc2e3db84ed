// Goal: an item comes back as it was written, and other bytes are refused. Method: items of every
// type, known bytes, every truncation, and changes that make bytes another writer's.
#include "items/item_codec.h"

#include <gtest/gtest.h>

#include "items/limits.h"

namespace mayfly::items {
namespace {

Item EveryType() {
  // clang-format off
  return {
      {"",       "empty name"},
      {"binary", Binary{std::string("\0\xff", 2)}},
      {"empty",  ""},
      {"false",  false},
      {"list",   AttributeValue::List{"a", Number(1), AttributeValue::List{}}},
      {"map",    Item{{"inner", Item{{"deep", Null()}}}, {"other", true}}},
      {"null",   Null()},
      {"number", *Number::Parse("-12.5")},
      {"set b",  AttributeValue::BinarySet{Binary{""}, Binary{"b"}}},
      {"set n",  AttributeValue::NumberSet{Number(-10), Number(-9), Number(2)}},
      {"set s",  AttributeValue::StringSet{"a", "b"}},
      {"text",   "h\xc3\xa9"},
      {"true",   true},
  };
  // clang-format on
}

AttributeValue Nested(std::size_t levels) {
  AttributeValue value = "core";
  for (std::size_t i = 0; i < levels; ++i) value = AttributeValue(AttributeValue::List{value});
  return value;
}

TEST(ItemCodec, GivesBackWhatWasWritten) {
  for (const std::uint64_t version : {std::uint64_t{0}, std::uint64_t{300}, ~std::uint64_t{0}}) {
    for (const Item& item : {Item{}, EveryType(), Item{{"deep", Nested(kStoredDepthMax)}}}) {
      const auto stored = DecodeItem(EncodeItem(item, version));
      ASSERT_TRUE(stored.has_value()) << stored.status().ToString();
      EXPECT_EQ(stored->version, version);
      EXPECT_EQ(stored->item, item);
    }
  }
}

TEST(ItemCodec, HasStableBytes) {
  EXPECT_EQ(EncodeItem({}, 0), std::string("\x01\x00\x00", 3));
  EXPECT_EQ(EncodeItem({{"a", "xy"}, {"b", Number(42)}}, 5), std::string("\x01\x05\x02\x01"
                                                                         "a\x00\x02xy\x01"
                                                                         "b\x01\x02"
                                                                         "42",
                                                                         15));
}

TEST(ItemCodec, RefusesEveryTruncationAndEveryTail) {
  const std::string whole = EncodeItem(EveryType(), 7);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto stored = DecodeItem(Bytes(whole).substr(0, size));
    ASSERT_FALSE(stored.has_value()) << size;
    EXPECT_EQ(stored.error().code(), StatusCode::kCorruption) << size;
  }
  EXPECT_FALSE(DecodeItem(whole + '\0').has_value());
}

TEST(ItemCodec, RefusesAFormatOfTheFuture) {
  std::string bytes = EncodeItem({}, 0);
  bytes[0] = 2;
  EXPECT_EQ(DecodeItem(bytes).status().code(), StatusCode::kUnsupported);
}

TEST(ItemCodec, RefusesWhatItWouldNotWrite) {
  using namespace std::string_literals;
  const std::string head = "\x01\x00"s;
  const std::string cases[] = {
      head + "\x02\x01"s + "b\x04\x01"s + "a\x04"s,  // Names out of order.
      head + "\x02\x01"s + "a\x04\x01"s + "a\x04"s,  // A name twice.
      head + "\x01\x01"s + "a\x01\x02"s + "07"s,     // No normal form.
      head + "\x01\x01"s + "a\x01\x01"s + "x"s,      // No number.
      head + "\x01\x01"s + "a\x03\x02"s,             // Neither true nor false.
      head + "\x01\x01"s + "a\x0a"s,                 // An unknown type.
      head + "\x01\x01"s + "a\xff"s,                 //
      head + "\x01\x01"s + "a\x07\x02\x01"s +
          "b\x01"
          "a"s,  // A set out of order.
      head + "\x01\x01"s + "a\x08\x02\x02"s +
          "10\x01"
          "9"s,                                           // By value, too.
      head + "\x01\x01"s + "a\x05\xff\xff\xff\xff\x0f"s,  // More elements than bytes.
      head + "\x81\x00\x01"s + "a\x04"s,                  // A varint that is too long.
  };
  for (const std::string& bytes : cases) {
    EXPECT_EQ(DecodeItem(bytes).status().code(), StatusCode::kCorruption) << &bytes - cases;
  }
  EXPECT_TRUE(DecodeItem(head + "\x01\x01"s + "a\x08\x02\x01"s +
                         "9\x02"
                         "10"s)
                  .has_value());
}

TEST(ItemCodec, RefusesWhatIsNestedTooDeep) {
  std::string bytes("\x01\x00\x01\x01x", 5);
  for (std::size_t i = 0; i <= kStoredDepthMax; ++i) bytes += "\x05\x01";
  bytes += '\x04';
  EXPECT_EQ(DecodeItem(bytes).status().code(), StatusCode::kCorruption);
  bytes.erase(5, 2);
  EXPECT_TRUE(DecodeItem(bytes).has_value());
}

}  // namespace
}  // namespace mayfly::items
