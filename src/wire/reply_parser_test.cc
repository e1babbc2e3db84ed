// Goal: every reply of both versions is read, in every cut, and malformed ones are refused.
// Method: tables of replies, of malformed bytes, and of limits in threes.
#include "wire/reply_parser.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "wire/testing/pieces.h"
#include "wire/testing/replies.h"

namespace mayfly {
namespace {

using Kind = Reply::Kind;

Reply WithAttributes(Reply reply, Reply::Items attributes) {
  reply.attributes = std::move(attributes);
  return reply;
}

Reply Simple(const char* text) { return Reply::Text(Kind::kSimpleString, text); }

struct Case {
  std::string wire;
  std::vector<Reply> replies;
};

std::vector<Case> Cases() {
  const double infinity = std::numeric_limits<double>::infinity();
  return {
      {"", {}},
      {"+OK\r\n", {Simple("OK")}},
      {"+\r\n", {Simple("")}},
      {"-ERR x\r\n", {Reply::Text(Kind::kError, "ERR x")}},
      {":0\r\n:-5\r\n:+7\r\n", {Reply::Integer(0), Reply::Integer(-5), Reply::Integer(7)}},
      {"$0\r\n\r\n", {Reply::Bulk("")}},
      {"$5\r\na\r\n\xff"
       "b\r\n",
       {Reply::Bulk("a\r\n\xff"
                    "b")}},
      {"$-1\r\n*-1\r\n_\r\n", {Reply::Null(), Reply::NullArray(), Reply::Null()}},
      {"*0\r\n", {Reply::Array({})}},
      {"*2\r\n:1\r\n*1\r\n$1\r\na\r\n",
       {Reply::Array({Reply::Integer(1), Reply::Array({Reply::Bulk("a")})})}},
      {"%1\r\n+k\r\n~2\r\n#t\r\n#f\r\n",
       {Reply::Of(Kind::kMap, {Simple("k"), Reply::Of(Kind::kSet, {Reply::Boolean(true),
                                                                   Reply::Boolean(false)})})}},
      {"%0\r\n~0\r\n", {Reply::Of(Kind::kMap, {}), Reply::Of(Kind::kSet, {})}},
      {">2\r\n+message\r\n+x\r\n", {Reply::Of(Kind::kPush, {Simple("message"), Simple("x")})}},
      {",1.5\r\n,inf\r\n,-inf\r\n,nan\r\n,10\r\n",
       {Reply::Double(1.5), Reply::Double(infinity), Reply::Double(-infinity),
        Reply::Double(std::numeric_limits<double>::quiet_NaN()), Reply::Double(10)}},
      {"(-123456789012345678901234567890\r\n",
       {Reply::Text(Kind::kBigNumber, "-123456789012345678901234567890")}},
      {"=8\r\ntxt:a\r\nb\r\n", {Reply::Text(Kind::kVerbatim, "txt:a\r\nb")}},
      {"!5\r\nERR x\r\n", {Reply::Text(Kind::kBulkError, "ERR x")}},
      {"|1\r\n+ttl\r\n:9\r\n*2\r\n|1\r\n+a\r\n*1\r\n:1\r\n:2\r\n:3\r\n",
       {WithAttributes(
           Reply::Array(
               {WithAttributes(Reply::Integer(2), {Simple("a"), Reply::Array({Reply::Integer(1)})}),
                Reply::Integer(3)}),
           {Simple("ttl"), Reply::Integer(9)})}},
      {"|0\r\n|1\r\n+a\r\n+b\r\n|1\r\n+c\r\n+d\r\n$1\r\nx\r\n",
       {WithAttributes(Reply::Bulk("x"), {Simple("a"), Simple("b"), Simple("c"), Simple("d")})}},
      {"|1\r\n+a\r\n+b\r\n*0\r\n+OK\r\n",
       {WithAttributes(Reply::Array({}), {Simple("a"), Simple("b")}), Simple("OK")}},
  };
}

TEST(ReplyParser, ReadsEveryReplyInEveryCut) {
  for (const Case& c : Cases()) {
    InEveryCut(c.wire, [&](const std::vector<Bytes>& pieces) {
      const Replies got = ParseReplies(pieces);
      EXPECT_TRUE(got.error.ok()) << got.error.ToString();
      EXPECT_TRUE(got.replies == c.replies) << testing::PrintToString(c.wire);
    });
  }
}

TEST(ReplyParser, WaitsForTheRest) {
  for (const Case& c : Cases()) {
    for (std::size_t size = 0; size < c.wire.size(); ++size) {
      const Replies got = ParseReplies({Bytes(c.wire).substr(0, size)});
      EXPECT_TRUE(got.error.ok());
      EXPECT_LT(got.replies.size(), c.replies.size());
    }
  }
}

TEST(ReplyParser, RefusesWhatIsNoReply) {
  for (const std::string wire : {"\r\n",           "x\r\n",    "+a\n",
                                 "+a\rb\r\n",      "+a\r\r\n", ":\r\n",
                                 ":1x\r\n",        ":++1\r\n", ":01\r\n",
                                 "$-2\r\n",        "$x\r\n",   "$1\r\nabc",
                                 "$01\r\n",        "*-2\r\n",  "*x\r\n",
                                 "%-1\r\n",        "~-1\r\n",  ">-1\r\n",
                                 "_x\r\n",         "#x\r\n",   "#\r\n",
                                 ",\r\n",          ",1x\r\n",  "(\r\n",
                                 "(1x\r\n",        "(-\r\n",   "=3\r\ntxt\r\n",
                                 "=4\r\ntxtx\r\n", "=-1\r\n",  "!-1\r\n",
                                 "*1\r\n>0\r\n",   "|-1\r\n",  ":9223372036854775808\r\n"}) {
    InEveryCut(wire, [&](const std::vector<Bytes>& pieces) {
      const Replies got = ParseReplies(pieces);
      EXPECT_EQ(got.error.code(), StatusCode::kCorruption) << testing::PrintToString(wire);
      EXPECT_TRUE(got.replies.empty());
    });
  }
}

TEST(ReplyParser, RefusesStreamedReplies) {
  for (const std::string wire :
       {"$?\r\n", "=?\r\n", "!?\r\n", "*?\r\n", "%?\r\n", "~?\r\n", ">?\r\n", "|?\r\n"}) {
    EXPECT_EQ(ParseReplies({wire}).error.code(), StatusCode::kUnsupported) << wire;
  }
}

TEST(ReplyParser, StaysWithItsErrorAfterTheRepliesBeforeIt) {
  const Replies got = ParseReplies({"+OK\r\nx\r\n", "+OK\r\n"});
  EXPECT_EQ(got.replies.size(), 1);
  EXPECT_EQ(got.error.code(), StatusCode::kCorruption);
}

TEST(ReplyParser, BoundsDepthValuesAndBytes) {
  ReplyLimits limits;
  limits.depth_max = 3;
  limits.values_max = 10;
  limits.bulk_bytes_max = 8;
  limits.line_bytes_max = 16;
  limits.reply_bytes_max = 64;
  const auto code = [&](const std::string& wire) {
    return ParseReplies({wire}, limits).error.code();
  };
  const auto nested = [](int depth) {
    std::string wire;
    for (int i = 0; i < depth; ++i) wire += "*1\r\n";
    return wire + ":1\r\n";
  };
  const auto list = [](int size) {
    std::string wire = "*" + std::to_string(size) + "\r\n";
    for (int i = 0; i < size; ++i) wire += ":1\r\n";
    return wire;
  };
  EXPECT_EQ(code(nested(2) + nested(3)), StatusCode::kOk);
  EXPECT_EQ(code(nested(4)), StatusCode::kInvalid);
  EXPECT_EQ(code(list(8) + list(9)), StatusCode::kOk) << "each reply is counted by itself";
  EXPECT_EQ(code(list(10)), StatusCode::kInvalid);
  EXPECT_EQ(code("*11\r\n"), StatusCode::kInvalid);
  EXPECT_EQ(code("$7\r\n1234567\r\n$8\r\n12345678\r\n"), StatusCode::kOk);
  EXPECT_EQ(code("$9\r\n"), StatusCode::kInvalid);
  EXPECT_EQ(code("+23456789012345\r\n+234567890123456\r\n"), StatusCode::kOk);
  EXPECT_EQ(code("+2345678901234567\r\n"), StatusCode::kInvalid);
  EXPECT_EQ(code("*4\r\n$8\r\n12345678\r\n$8\r\n12345678\r\n$8\r\n12345678\r\n$8\r\n12345678\r\n"),
            StatusCode::kOk);
  EXPECT_EQ(code("*5\r\n$8\r\n12345678\r\n$8\r\n12345678\r\n$8\r\n12345678\r\n$8\r\n12345678\r\n"
                 "$8\r\n12345678\r\n"),
            StatusCode::kInvalid);
}

}  // namespace
}  // namespace mayfly
