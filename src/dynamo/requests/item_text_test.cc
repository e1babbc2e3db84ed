// Goal: items as text equal what their tree would be written as. Method: each type, every byte that
// JSON treats specially, and both ways side by side.
#include "dynamo/json/item_text.h"

#include <gtest/gtest.h>

#include "dynamo/json/attribute_json.h"
#include "dynamo/json/json.h"
#include "dynamo/requests/reply.h"
#include "items/item_codec.h"

namespace mayfly::dynamo {
namespace {

Item Everything() {
  std::string odd = "\"\\/\b\f\n\r\t\x7f\xc3\xa4\xe2\x82\xac";
  for (char c = 1; c < 0x20; ++c) odd += c;
  odd += '\0';
  AttributeValue::Map inner;
  inner["a \"name\""] = true;
  inner["empty"] = AttributeValue::Map();
  // clang-format off
  return {
      {"string",     odd},
      {"nothing",    ""},
      {"number",     *Number::Parse("-12.5E-7")},
      {"binary",     Binary{odd}},
      {"false",      false},
      {"null",       Null()},
      {"list",       AttributeValue::List{"x", Number(1), AttributeValue::List()}},
      {"map",        inner},
      {"strings",    AttributeValue::StringSet{"a", odd}},
      {"numbers",    AttributeValue::NumberSet{Number(1), Number(-2)}},
      {"binaries",   AttributeValue::BinarySet{Binary{"a"}, Binary{"b"}}},
      {"na\x01me\"", "x"},
  };
  // clang-format on
}

// Parsed again: escapes may differ, their meaning may not.
json::value Parsed(const std::string& text) {
  const auto parsed = ParseJson(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? *parsed : json::value();
}

TEST(ItemText, IsWhatTheTreeSays) {
  const Item item = Everything();
  EXPECT_EQ(Parsed(ItemText(item)), json::value(WriteItem(item)));
  const auto read = ReadItem(Parsed(ItemText(item)).as_object());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, item);
  EXPECT_EQ(ItemText({}), "{}");
}

TEST(ItemText, OfAStoredItemIsThatOfTheItem) {
  const Item item = Everything();
  std::string text = "before ";
  ASSERT_TRUE(AppendStoredItem(items::EncodeItem(item, 7), text).ok());
  EXPECT_EQ(text, "before " + ItemText(item));
  text.clear();
  ASSERT_TRUE(AppendStoredItem(items::EncodeItem({}, 7), text).ok());
  EXPECT_EQ(text, "{}");
}

// Truncated anywhere, and with any byte changed: an error or a text, nothing worse.
TEST(ItemText, OfADamagedItemIsRefusedWhereAnItemIs) {
  const std::string stored = items::EncodeItem(Everything(), 7);
  for (std::size_t size = 0; size < stored.size(); ++size) {
    std::string text;
    EXPECT_FALSE(AppendStoredItem(Bytes(stored).substr(0, size), text).ok()) << size;
  }
  for (std::size_t i = 0; i < stored.size(); ++i) {
    std::string damaged = stored;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x15);
    std::string text;
    const bool written = AppendStoredItem(damaged, text).ok();
    EXPECT_TRUE(written || !items::DecodeItem(damaged).has_value()) << i;
  }
}

TEST(ItemText, StandsBesideTheTreeInAReply) {
  Reply reply;
  EXPECT_EQ(ToText(reply), "{}");
  reply.texts.emplace_back("Items", "[]");
  EXPECT_EQ(ToText(reply), R"({"Items":[]})");
  reply.members["Count"] = 0;
  reply.texts.emplace_back("Item", "{}");
  EXPECT_EQ(ToText(reply), R"({"Count":0,"Items":[],"Item":{}})");
}

}  // namespace
}  // namespace mayfly::dynamo
