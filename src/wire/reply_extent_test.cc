// Goal: replies are told apart without being parsed. Method: replies of all kinds, written by
// ReplyWriter and as RESP3 has them, in pieces of every size; beside ReplyParser, which reads them.
#include "wire/reply_extent.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/reply_parser.h"

namespace mayfly {
namespace {

const std::vector<std::string>& ExampleReplies() {
  static const std::vector<std::string> replies = {
      "+OK\r\n",
      "-ERR no\r\n",
      ":-12\r\n",
      "$-1\r\n",
      "*-1\r\n",
      "_\r\n",
      "#t\r\n",
      ",1.5\r\n",
      "(12345678901234567890\r\n",
      "$0\r\n\r\n",
      "$6\r\n*1\r\n$3\r\n",
      "=7\r\ntxt:a\r\n\r\n",
      "!5\r\nERR a\r\n",
      "*0\r\n",
      "*3\r\n:1\r\n*2\r\n$1\r\na\r\n$-1\r\n+x\r\n",
      "%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n%0\r\n",
      "~2\r\n:1\r\n:2\r\n",
      "|1\r\n+ttl\r\n:3\r\n*1\r\n+v\r\n",
  };
  return replies;
}

TEST(ReplyExtent, FindsTheEndOfEachReplyHoweverTheBytesAreCut) {
  std::string all;
  for (const std::string& reply : ExampleReplies()) all += reply;
  for (std::size_t piece = 1; piece <= all.size(); ++piece) {
    ReplyExtent extent;
    std::string arrived;
    std::vector<std::string> found;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      arrived += all.substr(at, piece);
      while (true) {
        const auto size = extent.Find(arrived);
        ASSERT_TRUE(size.has_value()) << size.error().ToString();
        if (*size == 0) break;
        found.push_back(arrived.substr(0, *size));
        arrived.erase(0, *size);
      }
    }
    EXPECT_EQ(found, ExampleReplies()) << "pieces of " << piece;
    EXPECT_EQ(arrived, "");
  }
}

TEST(ReplyExtent, AgreesWithTheParser) {
  for (const std::string& reply : ExampleReplies()) {
    ReplyParser parser;
    parser.Feed(reply);
    const auto parsed = parser.Next();
    ASSERT_TRUE(parsed.has_value() && parsed->has_value()) << reply;
    EXPECT_EQ(parser.buffered_bytes(), 0u);
    EXPECT_EQ(ReplyExtent().Find(reply).value_or(0), reply.size()) << reply;
  }
}

TEST(ReplyExtent, RefusesWhatIsNoReply) {
  for (const char* bytes : {"HTTP/1.1 400\r\n", "\r\n", "$x\r\n", "*99999999999999\r\n", "*\r\n"}) {
    const auto size = ReplyExtent().Find(bytes);
    ASSERT_FALSE(size.has_value()) << bytes;
    EXPECT_EQ(size.error().code(), StatusCode::kCorruption);
  }
  EXPECT_FALSE(ReplyExtent().Find(std::string(100'000, '+')).has_value());
}

}  // namespace
}  // namespace mayfly
