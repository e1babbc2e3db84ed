// Items as text are what their tree would be written as. Method: each type, every byte that JSON
// treats apart, and both ways side by side.
#include "dynamo/item_text.h"

#include <gtest/gtest.h>

#include "dynamo/attribute_json.h"
#include "dynamo/json.h"
#include "dynamo/reply.h"

namespace mayfly::dynamo {
namespace {

Item Everything() {
  std::string odd = "\"\\/\b\f\n\r\t\x7f\xc3\xa4\xe2\x82\xac";
  for (char c = 1; c < 0x20; ++c) odd += c;
  odd += '\0';
  AttributeValue::Map inner;
  inner["a \"name\""] = true;
  inner["empty"] = AttributeValue::Map();
  return {
      {"string",     odd                                                         },
      {"nothing",    ""                                                          },
      {"number",     *Number::Parse("-12.5E-7")                                  },
      {"binary",     Binary{odd}                                                 },
      {"false",      false                                                       },
      {"null",       Null()                                                      },
      {"list",       AttributeValue::List{"x", Number(1), AttributeValue::List()}},
      {"map",        inner                                                       },
      {"strings",    AttributeValue::StringSet{"a", odd}                         },
      {"numbers",    AttributeValue::NumberSet{Number(1), Number(-2)}            },
      {"binaries",   AttributeValue::BinarySet{Binary{"a"}, Binary{"b"}}         },
      {"na\x01me\"", "x"                                                         },
  };
}

// As a tree again: escapes may differ, what they mean may not.
json::value Parsed(const std::string& text) {
  const auto parsed = ParseJson(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? *parsed : json::value();
}

TEST(ItemText, IsWhatTheTreeSays) {
  const Item item = Everything();
  EXPECT_EQ(Parsed(ItemText(item)), json::value(WriteItem(item)));
  EXPECT_EQ(ReadItem(Parsed(ItemText(item)).as_object()), item);
  EXPECT_EQ(ItemText({}), "{}");
}

TEST(ItemText, OfSeveralIsAnArray) {
  EXPECT_EQ(ItemsText({}), "[]");
  EXPECT_EQ(ItemsText({{{"a", "x"}}, {}}), R"([{"a":{"S":"x"}},{}])");
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
