// Goal: items survive JSON both ways, and malformed items are refused in DynamoDB's words.
// Method: JSON texts, read and written again.
#include "dynamo/json/attribute_json.h"

#include <gtest/gtest.h>

#include <string>

#include "dynamo/json/base64.h"
#include "dynamo/json/json_memory.h"
#include "dynamo/json/limits.h"
#include "dynamo/json/refusal.h"

namespace mayfly::dynamo {
namespace {

std::string RoundTrip(const std::string& text) {
  const auto parsed = ParseJson(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  const auto item = ReadItem(parsed->as_object());
  EXPECT_TRUE(item.has_value()) << text;
  return item ? ToText(WriteItem(*item)) : "";
}

std::string Refused(const std::string& value) {
  const auto parsed = ParseJson("{\"a\":" + value + "}");
  EXPECT_TRUE(parsed.has_value()) << value;
  const auto item = ReadItem(parsed->as_object());
  if (item) return "";
  const std::string type(item.error().type());
  return type.substr(type.find('#') + 1) + ": " + item.error().message();
}

TEST(AttributeJson, EveryTypeComesBack) {
  for (const std::string text : {
           R"({"a":{"S":"alice"}})",
           R"({"a":{"S":""}})",
           R"({"a":{"N":"-12345678901234567890123456789012345678"}})",
           R"({"a":{"B":"AAEC/w=="}})",
           R"({"a":{"BOOL":false}})",
           R"({"a":{"NULL":true}})",
           R"({"a":{"L":[{"N":"1"},{"L":[]},{"M":{}}]}})",
           R"({"a":{"M":{"b":{"M":{"c":{"S":"deep"}}}}}})",
           R"({"a":{"SS":["x","y"]}})",
           R"({"a":{"NS":["-1","2","10"]}})",
           R"({"a":{"BS":["AA==","AQ=="]}})",
           R"({"a":{"S":"\u0000 \" \\ ü 😀"}})",
       }) {
    const std::string once = RoundTrip(text);
    EXPECT_EQ(RoundTrip(once), once);
    if (text.find("\\u0000") == std::string::npos) {
      EXPECT_EQ(once, text);
    }
  }
}

TEST(AttributeJson, NumbersAreWrittenInTheirNormalForm) {
  EXPECT_EQ(RoundTrip(R"({"a":{"N":"1.50E2"}})"), R"({"a":{"N":"150"}})");
  EXPECT_EQ(RoundTrip(R"({"a":{"N":"-0.0"}})"), R"({"a":{"N":"0"}})");
}

TEST(AttributeJson, ExactlyOneTypeIsWanted) {
  EXPECT_EQ(Refused("{}"),
            "ValidationException: Supplied AttributeValue is empty, must contain exactly one of "
            "the supported datatypes");
  EXPECT_EQ(Refused(R"({"X": "a"})"), Refused("{}"));
  EXPECT_EQ(Refused(R"({"S": null})"), Refused("{}"));
  EXPECT_EQ(Refused(R"({"S": "a", "N": "1"})"),
            "ValidationException: Supplied AttributeValue has more than one datatypes set, must "
            "contain exactly one of the supported datatypes");
  EXPECT_EQ(Refused(R"({"NULL": false})"),
            "ValidationException: One or more parameter values were invalid: Null attribute value "
            "types must have the value of true");
}

TEST(AttributeJson, SetsHaveMembersAndNoneTwice) {
  EXPECT_EQ(Refused(R"({"SS": ["a", "a"]})"),
            "ValidationException: One or more parameter values were invalid: Input collection "
            "[a, a] contains duplicates.");
  EXPECT_EQ(Refused(R"({"NS": ["1", "1.0"]})"),
            "ValidationException: Input collection contains duplicates");
  EXPECT_EQ(Refused(R"({"BS": ["AA==", "AA=="]})"),
            "ValidationException: One or more parameter values were invalid: Input collection "
            "[AA==, AA==]of type BS contains duplicates.");
  for (const std::string type : {"SS", "NS", "BS"}) {
    EXPECT_NE(Refused("{\"" + type + "\": []}").find("empty"), std::string::npos) << type;
  }
}

TEST(AttributeJson, OtherJsonTypesAreNotConverted) {
  EXPECT_EQ(Refused(R"({"N": 1})"),
            "SerializationException: NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(Refused(R"({"S": true})"),
            "SerializationException: TRUE_VALUE cannot be converted to String");
  EXPECT_EQ(Refused(R"("text")"), "SerializationException: Unexpected value type in payload");
  EXPECT_EQ(Refused(R"({"L": {}})"),
            "SerializationException: Start of structure or map found where not expected");
  EXPECT_EQ(Refused(R"({"M": []})"), "SerializationException: Unexpected field type");
  EXPECT_EQ(Refused(R"({"BOOL": "maybe"})"),
            "SerializationException: Unexpected token received from parser");
}

TEST(AttributeJson, BinariesAreStrictBase64) {
  EXPECT_EQ(Refused(R"({"B": "AAA"})"),
            "SerializationException: Base64 encoded length is expected a multiple of 4 bytes but "
            "found: 3");
  EXPECT_EQ(Refused(R"({"B": "A*=="})"), "SerializationException: Invalid Base64 character: '*'");
  EXPECT_NE(Refused(R"({"B": "AB=="})"), "");
  EXPECT_NE(Refused(R"({"B": "A=AA"})"), "");
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(*FromBase64(ToBase64(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Json, TextThatIsNoneIsRefused) {
  for (const std::string text :
       {"", "{", "{} x", "{\"a\":1,}", "\"\xff\"", "nul", "{\"a\":1 \"b\":2}"}) {
    EXPECT_FALSE(ParseJson(text).has_value()) << text;
  }
  EXPECT_TRUE(ParseJson(" {\"a\": [1, 2.5, \"x\", null, true]} \n").has_value());
}

TEST(Json, ANameTwiceIsRefusedWhereverItIs) {
  EXPECT_FALSE(ParseJson(R"({"a":1,"a":1})").has_value());
  EXPECT_FALSE(ParseJson(R"({"x":[{"a":1,"b":2,"\u0061":1}]})").has_value());
  EXPECT_TRUE(ParseJson(R"({"x":{"a":1},"a":{"x":{"a":1}}})").has_value());
}

TEST(Json, DepthHasABound) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(ParseJson(nested(kJsonDepthMax)).has_value());
  EXPECT_FALSE(ParseJson(nested(kJsonDepthMax + 1)).has_value());
  EXPECT_FALSE(ParseJson(std::string(1'000'000, '[')).has_value());
}

std::string Repeated(const std::string& begin, const std::string& part, std::size_t bytes,
                     const std::string& end) {
  std::string text = begin + part;
  while (text.size() < bytes) text += "," + part;
  return text + end;
}

// Everything an item can be is read, however dense; text that only seems small is refused early.
TEST(AttributeJson, MemoryIsBoundedInProportionToTheText) {
  constexpr std::size_t kBytes = 4'000'000;
  const auto read = [](const std::string& text) {
    JsonMemory memory(text.size());
    const auto value = ParseJson(text, memory.values(), memory.scratch());
    EXPECT_LE(memory.used_max(), kJsonBytesFree + kJsonBytesPerByte * text.size());
    EXPECT_TRUE(value || value.error().code() == StatusCode::kBusy);
    return value.has_value();
  };
  for (const char* const value : {R"({"N":"1"})", R"({"S":""})", R"({"BOOL":true})", R"({"L":[]})",
                                  R"({"M":{"a":{"N":"1"},"b":{"S":"x"}}})"}) {
    EXPECT_TRUE(read(Repeated(R"({"a":{"L":[)", value, kBytes, "]}}"))) << value;
  }
  EXPECT_TRUE(read(Repeated(R"({"a":{"NS":[)", R"("1")", kBytes, "]}}")));
  for (const char* const value : {"{}", "[]", "0"}) {
    EXPECT_FALSE(read(Repeated(R"({"a":[)", value, kBytes, "]}"))) << value;
  }
}

}  // namespace
}  // namespace mayfly::dynamo
