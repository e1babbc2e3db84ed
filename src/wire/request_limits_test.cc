// Goal: every limit holds, at its value and not one before.
// Method: each limit in threes, one below, on it, one above, in one piece and byte by byte.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/testing/pieces.h"
#include "wire/testing/requests.h"

namespace mayfly {
namespace {

constexpr std::size_t kLine = std::size_t{64} * 1024;

// The result for the bytes in one piece; it must be the same for single bytes.
Requests Parse(const std::string& wire, const RequestLimits& limits = {},
               bool unauthenticated = false) {
  Requests whole = ParsePieces({wire}, limits, unauthenticated);
  std::vector<Bytes> single;
  for (std::size_t i = 0; i < wire.size(); ++i) single.push_back(Bytes(wire).substr(i, 1));
  EXPECT_EQ(ParsePieces(single, limits, unauthenticated), whole);
  return whole;
}

void ExpectError(const Requests& got, RequestError error, const std::string& text) {
  EXPECT_EQ(got.error, error);
  EXPECT_EQ(got.error_text, text);
}

TEST(RequestLimits, AreThoseOfRedis) {
  const RequestLimits limits;
  EXPECT_EQ(limits.args_max, 2147483647);
  EXPECT_EQ(limits.bulk_bytes_max, 536870912);
  EXPECT_EQ(limits.line_bytes_max, 65536);
  EXPECT_EQ(limits.command_bytes_max, 1073741824);
  EXPECT_EQ(limits.unauthenticated_args_max, 10);
  EXPECT_EQ(limits.unauthenticated_bulk_bytes_max, 16384);
}

TEST(RequestLimits, BoundTheNumberOfArguments) {
  EXPECT_EQ(Parse("*2147483646\r\n").error, RequestError::kNone);
  EXPECT_EQ(Parse("*2147483647\r\n").error, RequestError::kNone);
  ExpectError(Parse("*2147483648\r\n"), RequestError::kInvalidMultibulkLength,
              "ERR Protocol error: invalid multibulk length");
  RequestLimits limits;
  limits.args_max = 2;
  EXPECT_EQ(Parse(Multibulk({"a"}), limits).commands.size(), 1);
  EXPECT_EQ(Parse(Multibulk({"a", "b"}), limits).commands.size(), 1);
  EXPECT_EQ(Parse(Multibulk({"a", "b", "c"}), limits).error, RequestError::kInvalidMultibulkLength);
}

TEST(RequestLimits, BoundAnArgument) {
  EXPECT_EQ(Parse("*1\r\n$536870911\r\n").error, RequestError::kNone);
  EXPECT_EQ(Parse("*1\r\n$536870912\r\n").error, RequestError::kNone);
  ExpectError(Parse("*1\r\n$536870913\r\n"), RequestError::kInvalidBulkLength,
              "ERR Protocol error: invalid bulk length");
  RequestLimits limits;
  limits.bulk_bytes_max = 3;
  EXPECT_EQ(Parse(Multibulk({"aa"}), limits).commands.size(), 1);
  EXPECT_EQ(Parse(Multibulk({"aaa"}), limits).commands.size(), 1);
  EXPECT_EQ(Parse(Multibulk({"aaaa"}), limits).error, RequestError::kInvalidBulkLength);
}

TEST(RequestLimits, BoundAnInlineCommand) {
  EXPECT_EQ(Parse(std::string(kLine - 1, 'a') + "\n").commands.size(), 1);
  EXPECT_EQ(Parse(std::string(kLine, 'a') + "\n").commands.size(), 1);
  EXPECT_EQ(Parse(std::string(kLine, 'a')).error, RequestError::kNone);
  ExpectError(Parse(std::string(kLine + 1, 'a') + "\n"), RequestError::kTooBigInline,
              "ERR Protocol error: too big inline request");
  ExpectError(Parse(std::string(1, '\0') + std::string(kLine, '\n')), RequestError::kTooBigInline,
              "ERR Protocol error: too big inline request");
}

TEST(RequestLimits, BoundTheLinesOfCounts) {
  const std::string bulk = "*1\r\n";
  EXPECT_EQ(Parse("*" + std::string(kLine - 1, '1')).error, RequestError::kNone);
  EXPECT_EQ(Parse("*" + std::string(kLine - 1, '1') + "\r\n").error,
            RequestError::kInvalidMultibulkLength);
  ExpectError(Parse("*" + std::string(kLine, '1') + "\r\n"), RequestError::kTooBigMultibulkCount,
              "ERR Protocol error: too big mbulk count string");
  EXPECT_EQ(Parse(bulk + "$" + std::string(kLine - 1, '1')).error, RequestError::kNone);
  EXPECT_EQ(Parse(bulk + "$" + std::string(kLine - 1, '1') + "\r\n").error,
            RequestError::kInvalidBulkLength);
  ExpectError(Parse(bulk + "$" + std::string(kLine, '1') + "\r\n"), RequestError::kTooBigBulkCount,
              "ERR Protocol error: too big bulk count string");
}

TEST(RequestLimits, BoundWhatHidesBehindAZeroByte) {
  const std::string hidden = std::string(1, '\0') + std::string(kLine, '\r');
  EXPECT_EQ(Parse("*" + hidden).error, RequestError::kTooBigMultibulkCount);
  EXPECT_EQ(Parse("*1\r\n$" + hidden).error, RequestError::kTooBigBulkCount);
}

TEST(RequestLimits, BoundAWholeCommandAndAnswerNothing) {
  const std::string wire = Multibulk({"SET", "key", std::string(100, 'v')});
  RequestLimits limits;
  limits.command_bytes_max = wire.size() + 1;
  EXPECT_EQ(Parse(wire + wire, limits).commands.size(), 2);
  limits.command_bytes_max = wire.size();
  EXPECT_EQ(Parse(wire + wire, limits).commands.size(), 2) << "a pipeline is no command";
  limits.command_bytes_max = wire.size() - 1;
  const Requests got = Parse(Multibulk({"PING"}) + wire, limits);
  EXPECT_EQ(got.commands.size(), 1);
  ExpectError(got, RequestError::kCommandTooBig, "");
}

TEST(RequestLimits, CallACommandTooBigBeforeTheyLookAtWhatFollows) {
  const std::string good = "*2\r\n$40\r\n" + std::string(40, 'a') + "\r\n";
  RequestLimits limits;
  for (const std::string bad : {"$x\r\n", "x\r\n", "$999999999\r\n"}) {
    limits.command_bytes_max = good.size() + bad.size();
    EXPECT_NE(Parse(good + bad, limits).error, RequestError::kCommandTooBig) << bad;
    limits.command_bytes_max = good.size() + bad.size() - 1;
    EXPECT_EQ(Parse(good + bad, limits).error, RequestError::kCommandTooBig) << bad;
  }
}

TEST(RequestLimits, AreNarrowForTheUnauthenticated) {
  const auto parse = [](const std::string& wire) { return Parse(wire, {}, true); };
  EXPECT_EQ(parse(Multibulk(Command(9, "a"))).commands.size(), 1);
  EXPECT_EQ(parse(Multibulk(Command(10, "a"))).commands.size(), 1);
  ExpectError(parse(Multibulk(Command(11, "a"))), RequestError::kUnauthenticatedMultibulk,
              "ERR Protocol error: unauthenticated multibulk length");
  EXPECT_EQ(parse(Multibulk({std::string(16383, 'a')})).commands.size(), 1);
  EXPECT_EQ(parse(Multibulk({std::string(16384, 'a')})).commands.size(), 1);
  ExpectError(parse(Multibulk({std::string(16385, 'a')})), RequestError::kUnauthenticatedBulk,
              "ERR Protocol error: unauthenticated bulk length");
  // A number that is invalid for every client is reported as such.
  EXPECT_EQ(parse("*3000000000\r\n").error, RequestError::kInvalidMultibulkLength);
  EXPECT_EQ(parse("*1\r\n$3000000000\r\n").error, RequestError::kInvalidBulkLength);
}

TEST(RequestLimits, WidenForTheCommandBehindAnAuthentication) {
  RequestParser parser;
  parser.set_unauthenticated(true);
  parser.Feed(Multibulk({"AUTH", "secret"}) + Multibulk(Command(11, "a")) +
              Multibulk(Command(11, "b")));
  ASSERT_EQ(parser.Next(), RequestParser::Outcome::kCommand);
  parser.set_unauthenticated(false);
  ASSERT_EQ(parser.Next(), RequestParser::Outcome::kCommand);
  EXPECT_EQ(parser.args().size(), 11);
  parser.set_unauthenticated(true);
  EXPECT_EQ(parser.Next(), RequestParser::Outcome::kError);
}

}  // namespace
}  // namespace mayfly
