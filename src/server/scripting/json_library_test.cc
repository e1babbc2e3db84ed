// Goal: `cjson` writes, reads and refuses what Redis' does, in the same words.
// Method: scripts with what Redis 7.0 answered to them.
#include <gtest/gtest.h>

#include "server/scripting/testing/script_runner.h"

namespace mayfly::server {
namespace {

struct Case {
  const char* script;
  const char* answer;  // A string of the script's, or what an error says.
};

class JsonLibrary : public testing::Test {
 protected:
  // Without what is around it on the wire.
  std::string Answer(Bytes script) {
    std::string wire = WireOfScript(engine_, host_, script);
    if (wire.starts_with("$")) return wire.substr(std::min(wire.find(' ') + 1, wire.size()));
    if (wire.starts_with("-ERR user_script:1: ")) {
      return wire.substr(20, wire.find(" script: {sha}") - 20);
    }
    return wire;
  }
  void Expect(std::span<const Case> cases) {
    for (const Case& one : cases) EXPECT_EQ(Answer(one.script), one.answer) << one.script;
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  ScriptEngine engine_{clock_};
  PlainScriptHost host_;
};

TEST_F(JsonLibrary, WritesValues) {
  static constexpr Case kCases[] = {
      {"return cjson.encode({1,2,[5]=3})", "[1,2,null,null,3]"},
      {"return cjson.encode({1,nil,3})", "[1,null,3]"},
      {"return cjson.encode({[1.5]=1})", R"({"1.5":1})"},
      {"return cjson.encode({[0]=1})", R"({"0":1})"},
      {"return cjson.encode({[-3]=4})", R"({"-3":4})"},
      {R"(return cjson.encode("a/b\\\127\1\n\""))", R"("a\/b\\\u007f\u0001\n\"")"},
      {"return cjson.encode({a={}})", R"({"a":{}})"},
      {"return cjson.encode(1e15)", "1e+15"},
      {"return cjson.encode(12345678901234567)", "1.2345678901235e+16"},
      {"return cjson.encode(cjson.null)", "null"},
      {"return cjson.encode({true,false,0.5})", "[true,false,0.5]"},
      {"local n=0 for _ in cjson.encode({[1]=1,a=2}):gmatch('\"') do n=n+1 end return 'q'..n",
       "q4"},
  };
  Expect(kCases);
}

TEST_F(JsonLibrary, RefusesWhatJsonCannotSay) {
  static constexpr Case kCases[] = {
      {"return cjson.encode({[20]=3})", "Cannot serialise table: excessively sparse array"},
      {"return cjson.encode(0/0)", "Cannot serialise number: must not be NaN or Inf"},
      {"return cjson.encode({[true]=1})",
       "Cannot serialise boolean: table key must be a number or string"},
      {"return cjson.encode(function() end)", "Cannot serialise function: type not supported"},
      {"return cjson.encode({1,function() end})", "Cannot serialise function: type not supported"},
      {"return cjson.encode(coroutine.create(function() end))",
       "Cannot serialise thread: type not supported"},
      {"return cjson.encode()", "bad argument #1 to 'encode' (expected 1 argument)"},
      {"return cjson.encode(1,2)", "bad argument #1 to 'encode' (expected 1 argument)"},
  };
  Expect(kCases);
}

TEST_F(JsonLibrary, ReadsValues) {
  // clang-format off
  static constexpr Case kCases[] = {
      {R"(return cjson.decode("\"\\ud83d\\ude00\""))",                                "\xf0\x9f\x98\x80"},
      {R"(return cjson.decode("\"\\u00e9\\u20ac\""))",                                "\xc3\xa9\xe2\x82\xac"},
      {R"(return #cjson.decode("\"\\u0000\""))",                                      ":1"},
      {R"(return cjson.decode("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"")=="\"\\/\b\f\n\r\t")", ":1"},
      {R"(return cjson.decode("[\"a\tb\"]")[1])",                                     "a\tb"},
      {R"(return cjson.decode("  [1,2,3]  "))",                                       "*3 :1 :2 :3"},
      {R"(return cjson.decode("{\"a\":{\"b\":[1,{}]}}").a.b[1])",                     ":1"},
      {R"(return tostring(cjson.decode("0x10")))",                                    "16"},
      {R"(return tostring(cjson.decode("nan")))",                                     "nan"},
      {R"(return tostring(cjson.decode("NaN")))",                                     "nan"},
      {R"(return tostring(cjson.decode("-inf")))",                                    "-inf"},
      {R"(return tostring(cjson.decode("Infinity")))",                                "inf"},
      {R"(return tostring(cjson.decode("+1")))",                                      "1"},
      {R"(return tostring(cjson.decode("01")))",                                      "1"},
      {R"(return tostring(cjson.decode("1e400")))",                                   "inf"},
      {R"(return tostring(cjson.decode("1.5e3")))",                                   "1500"},
      {R"(return tostring(cjson.decode(12)))",                                        "12"},
      {R"(return tostring(cjson.decode("null")))",                                    "userdata: (nil)"},
      {R"(return {cjson.decode("true"),cjson.decode("false")==false})",               "*2 :1 :1"},
  };
  // clang-format on
  Expect(kCases);
}

TEST_F(JsonLibrary, SaysWhereATextIsWrong) {
  static constexpr Case kCases[] = {
      {R"(return cjson.decode(""))", "Expected value but found T_END at character 1"},
      {R"(return cjson.decode("[1,]"))", "Expected value but found T_ARR_END at character 4"},
      {R"(return cjson.decode("{1:2}"))",
       "Expected object key string but found T_NUMBER at character 2"},
      {R"(return cjson.decode("[1 2]"))",
       "Expected comma or array end but found T_NUMBER at character 4"},
      {R"(return cjson.decode("{\"a\" 1}"))", "Expected colon but found T_NUMBER at character 6"},
      {R"(return cjson.decode("{\"a\":1 2}"))",
       "Expected comma or object end but found T_NUMBER at character 8"},
      {R"(return cjson.decode("{\"a\":1,}"))",
       "Expected object key string but found T_OBJ_END at character 8"},
      {R"(return cjson.decode("1 2"))", "Expected the end but found T_NUMBER at character 3"},
      {R"(return cjson.decode("\"abc"))",
       "Expected value but found unexpected end of string at character 5"},
      {R"(return cjson.decode("[\"a\0b\"]"))",
       "Expected value but found unexpected end of string at character 4"},
      {R"(return cjson.decode("\"\\x\""))",
       "Expected value but found invalid escape code at character 2"},
      {R"(return cjson.decode("\"\\u12\""))",
       "Expected value but found invalid unicode escape code at character 2"},
      {R"(return cjson.decode("\"\\ud800\\u0041\""))",
       "Expected value but found invalid unicode escape code at character 2"},
      {R"(return cjson.decode("\"\\udc00\""))",
       "Expected value but found invalid unicode escape code at character 2"},
      {R"(return cjson.decode("-"))", "Expected value but found invalid number at character 1"},
      {R"(return cjson.decode("1e"))", "Expected the end but found invalid token at character 2"},
      {R"(return cjson.decode("infx"))", "Expected the end but found invalid token at character 4"},
      {R"(return cjson.decode("tru"))", "Expected value but found invalid token at character 1"},
      {R"(return cjson.decode("\0"))", "Expected value but found T_END at character 1"},
      {R"(return cjson.decode("\0a"))", "JSON parser does not support UTF-16 or UTF-32"},
      {R"(return cjson.decode("[[1],{\"a\":[tru]}]"))",
       "Expected value but found invalid token at character 12"},
      {R"(return cjson.decode(("["):rep(1001)))",
       "Found too many nested data structures (1001) at character 1001"},
      {R"(return cjson.decode(1,2))", "bad argument #1 to 'decode' (expected 1 argument)"},
      {R"(return cjson.decode({}))", "bad argument #1 to 'decode' (string expected, got table)"},
  };
  Expect(kCases);
}

TEST_F(JsonLibrary, FollowsItsSettingsForOneRun) {
  static constexpr Case kCases[] = {
      {"cjson.encode_invalid_numbers(true) return cjson.encode({0/0,1/0,-1/0})", "[nan,inf,-inf]"},
      {"cjson.encode_invalid_numbers('null') return cjson.encode({0/0})", "[null]"},
      {"return tostring(cjson.encode_invalid_numbers())", "false"},
      {"cjson.encode_number_precision(3) return cjson.encode(3.14159)", "3.14"},
      {"return cjson.encode(3.14159)", "3.14159"},
      {"cjson.decode_invalid_numbers(false) local ok,e=pcall(cjson.decode,'01') return e",
       "Expected value but found invalid number at character 1"},
      {"cjson.encode_sparse_array(true) return cjson.encode({[20]=3})", R"({"20":3})"},
      {"cjson.encode_max_depth(1) return cjson.encode({{}})",
       "Cannot serialise, excessive nesting (2)"},
      {"return {tostring(cjson.encode_keep_buffer()),tostring(cjson.decode_invalid_numbers())}",
       "*2 $4 true $4 true"},
      {"local c,r,s=cjson.encode_sparse_array() return {r,s,cjson.decode_max_depth()}",
       "*3 :2 :10 :1000"},
      {"return cjson.encode_number_precision(15)",
       "bad argument #1 to 'encode_number_precision' (expected integer between 1 and 14)"},
      {"return cjson.encode_max_depth(1,2)",
       "bad argument #2 to 'encode_max_depth' (found too many arguments)"},
      {"return cjson.encode_invalid_numbers('x')",
       "bad argument #1 to 'encode_invalid_numbers' (invalid option 'x')"},
      {"return cjson.encode_keep_buffer(1)",
       "bad argument #1 to 'encode_keep_buffer' (invalid option '1')"},
  };
  Expect(kCases);
}

}  // namespace
}  // namespace mayfly::server
