// Goal: replies as JSON keep their kind, and what is stored cannot look like another kind.
// Method: replies of each kind; the text is compared, and read again by a parser.
#include "console/reply_json.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <limits>

#include "base/random.h"
#include "dynamo/json/base64.h"

namespace mayfly::console {
namespace {

namespace json = boost::json;

std::string JsonOf(const Reply& reply) {
  std::string text;
  AppendJson(reply, text);
  return text;
}

TEST(ReplyJson, HasAFormForEachKind) {
  using Kind = Reply::Kind;
  EXPECT_EQ(JsonOf(Reply::Null()), "null");
  EXPECT_EQ(JsonOf(Reply::NullArray()), "null");
  EXPECT_EQ(JsonOf(Reply::Boolean(true)), "true");
  EXPECT_EQ(JsonOf(Reply::Text(Kind::kSimpleString, "OK")), R"("OK")");
  EXPECT_EQ(JsonOf(Reply::Bulk("")), R"("")");
  EXPECT_EQ(JsonOf(Reply::Bulk("a\"\\\n\x01")), R"("a\"\\\n\u0001")");
  EXPECT_EQ(JsonOf(Reply::Text(Kind::kVerbatim, "txt:hello")), R"("hello")");
  EXPECT_EQ(JsonOf(Reply::Text(Kind::kBigNumber, "123456789012345678901")),
            R"("123456789012345678901")");
  EXPECT_EQ(JsonOf(Reply::Text(Kind::kError, "ERR no")), R"({"error":"ERR no"})");
  EXPECT_EQ(JsonOf(Reply::Text(Kind::kBulkError, "ERR \xff")), R"({"error":"ERR \\xff"})");
  EXPECT_EQ(JsonOf(Reply::Array({Reply::Integer(1), Reply::Null()})), "[1,null]");
  EXPECT_EQ(JsonOf(Reply::Of(Kind::kSet, {})), "[]");
  EXPECT_EQ(JsonOf(Reply::Of(Kind::kMap, {Reply::Bulk("a"), Reply::Integer(1), Reply::Integer(2),
                                          Reply::Array({})})),
            R"({"map":[["a",1],[2,[]]]})");
}

TEST(ReplyJson, NumbersLoseNoDigit) {
  const std::int64_t last = std::int64_t{1} << 53;
  EXPECT_EQ(JsonOf(Reply::Integer(last)), "9007199254740992");
  EXPECT_EQ(JsonOf(Reply::Integer(last + 1)), R"({"integer":"9007199254740993"})");
  EXPECT_EQ(JsonOf(Reply::Integer(-last)), "-9007199254740992");
  EXPECT_EQ(JsonOf(Reply::Integer(-last - 1)), R"({"integer":"-9007199254740993"})");
  EXPECT_EQ(JsonOf(Reply::Integer(std::numeric_limits<std::int64_t>::min())),
            R"({"integer":"-9223372036854775808"})");
  EXPECT_EQ(JsonOf(Reply::Double(0.1)), "0.1");
  EXPECT_EQ(JsonOf(Reply::Double(std::numeric_limits<double>::infinity())), R"({"double":"inf"})");
  EXPECT_EQ(JsonOf(Reply::Double(-std::numeric_limits<double>::infinity())),
            R"({"double":"-inf"})");
  EXPECT_EQ(JsonOf(Reply::Double(std::numeric_limits<double>::quiet_NaN())), R"({"double":"nan"})");
  for (const double number : {1e300, -1e-300, 5e-324, 1.0, 123456789.0}) {
    EXPECT_EQ(json::parse(JsonOf(Reply::Double(number))).to_number<double>(), number);
  }
}

TEST(ReplyJson, AnyBytesComeBackAsTheyWere) {
  const std::uint64_t seed = FreshSeed();
  Random random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = random.Bytes(random.Below(6));
    if (random.OneIn(2)) {
      for (char& byte : bytes) byte = static_cast<char>(byte & 0x7f);
    }
    const json::value read = json::parse(JsonOf(Reply::Bulk(bytes)));
    const auto back = ArgumentsOf(json::array{read});
    ASSERT_TRUE(back.has_value()) << "seed " << seed;
    EXPECT_EQ(back->front(), bytes) << "seed " << seed;
    EXPECT_EQ(read.is_string(), IsUtf8(bytes)) << "seed " << seed;
  }
}

TEST(ReplyJson, KnowsUtf8) {
  for (const char* text : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
  }
  for (const char* text : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf",
                           "\xe2\x82", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_FALSE(IsUtf8(text)) << text;
  }
}

TEST(ReplyJson, ArgumentsAreTextsOrBytes) {
  const auto read = [](const char* text) { return ArgumentsOf(json::parse(text)); };
  EXPECT_EQ(read(R"(["SET","k",{"base64":"/w=="}])").value(),
            (std::vector<std::string>{"SET", "k", "\xff"}));
  for (const char* wrong :
       {"7", "{}", "[]", "[1]", "[null]", "[[]]", R"(["GET",{}])", R"(["GET",{"base64":1}])",
        R"(["GET",{"base64":"a"}])", R"(["GET",{"base64":"/w==","x":1}])"}) {
    EXPECT_FALSE(read(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace mayfly::console
