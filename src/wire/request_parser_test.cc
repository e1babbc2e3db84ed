// Goal: the same commands and errors as Redis 7.0, however the bytes are cut.
// Method: a table of requests in every cut, pipelines of many commands, seeded random ones.
#include "wire/request_parser.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/testing/environment.h"
#include "wire/testing/pieces.h"
#include "wire/testing/requests.h"

namespace mayfly {
namespace {

using Outcome = RequestParser::Outcome;

struct RequestCase {
  std::string wire;
  std::vector<Command> commands;
  std::string error_text;
};

std::string Zeros(const char* text, std::size_t size) { return {text, size}; }

const std::vector<RequestCase> kCases = {
    {"*1\r\n$4\r\nPING\r\n", {{"PING"}}, ""},
    {"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", {{"GET", "k"}}, ""},
    {"*2\r\n$3\r\nGET\r\n$0\r\n\r\n", {{"GET", ""}}, ""},
    {"*2\r\n$4\r\nECHO\r\n$12\r\n\r\n*1\r\n$1\r\nx\n\r\n", {{"ECHO", "\r\n*1\r\n$1\r\nx\n"}}, ""},
    {Zeros("*1\r\n$3\r\na\0b\r\n", 13), {{std::string("a\0b", 3)}}, ""},
    {"PING\r\n", {{"PING"}}, ""},
    {"PING\n", {{"PING"}}, ""},
    {"  set  k\tv  \r\n", {{"set", "k", "v"}}, ""},
    {"set k \"\"\r\n", {{"set", "k", ""}}, ""},
    {"set k \"a\\x41\\n\"\r\nget k\r\n", {{"set", "k", "aA\n"}, {"get", "k"}}, ""},
    {"PING\r\n*1\r\n$4\r\nPING\r\nPING\n", {{"PING"}, {"PING"}, {"PING"}}, ""},
    // No commands, and no errors.
    {"", {}, ""},
    {"\r\n\n   \r\nPING\r\n", {{"PING"}}, ""},
    {"*0\r\n*-1\r\n*-10\r\n*-9223372036854775808\r\nPING\r\n", {{"PING"}}, ""},
    // Incomplete.
    {"*2\r\n$3\r\nGET\r\n$1\r\nk", {}, ""},
    {"PING", {}, ""},
    // The bytes in the place of line breaks are not checked.
    {"*1\rX$4\rYPINGZZ*1\r\n$1\r\na\r\n", {{"PING"}, {"a"}}, ""},
    // A zero byte hides the line's end.
    {Zeros("GET \0k\r\nPING\r\n", 14), {}, ""},
    {Zeros("*1\0\r\n$4\r\nPING\r\n", 15), {}, ""},
    // Errors, after valid commands.
    {"PING\r\n*a\r\n", {{"PING"}}, "ERR Protocol error: invalid multibulk length"},
    {"*\r\n", {}, "ERR Protocol error: invalid multibulk length"},
    {"*01\r\n", {}, "ERR Protocol error: invalid multibulk length"},
    {"*+1\r\n", {}, "ERR Protocol error: invalid multibulk length"},
    {"*-0\r\n", {}, "ERR Protocol error: invalid multibulk length"},
    {"* 1\r\n", {}, "ERR Protocol error: invalid multibulk length"},
    {"*1 \r\n", {}, "ERR Protocol error: invalid multibulk length"},
    {"*3000000000\r\n", {}, "ERR Protocol error: invalid multibulk length"},
    {"*99999999999999999999\r\n", {}, "ERR Protocol error: invalid multibulk length"},
    {"*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$-10\r\n", {}, "ERR Protocol error: invalid bulk length"},
    {"*1\r\n$-1\r\n", {}, "ERR Protocol error: invalid bulk length"},
    {"*1\r\n$2000000000\r\n", {}, "ERR Protocol error: invalid bulk length"},
    {"*1\r\n$blabla\r\n", {}, "ERR Protocol error: invalid bulk length"},
    {"*1\r\n$\r\n", {}, "ERR Protocol error: invalid bulk length"},
    {"*1\r\n$00\r\n", {}, "ERR Protocol error: invalid bulk length"},
    {"*1\r\n$1\r\na\r\n*3\r\n$3\r\nSET\r\n$1\r\nx\r\nfooz\r\n",
     {{"a"}},
     "ERR Protocol error: expected '$', got 'f'"},
    {"*1\r\n*1\r\n", {}, "ERR Protocol error: expected '$', got '*'"},
    {"*1\r\n\xff\r\n", {}, "ERR Protocol error: expected '$', got '\xff'"},
    {"*1\r\n\r\n", {}, "ERR Protocol error: expected '$', got ' '"},
    {"*1\r\n\nx\r\n", {}, "ERR Protocol error: expected '$', got ' '"},
    {"PING\r\nset k \"v\r\nPING\r\n",
     {{"PING"}},
     "ERR Protocol error: unbalanced quotes in request"},
    {"set k 'v\n", {}, "ERR Protocol error: unbalanced quotes in request"},
    {"set k \"v\"x\r\n", {}, "ERR Protocol error: unbalanced quotes in request"},
};

TEST(RequestParser, GivesTheSameCommandsAndErrorsInEveryCut) {
  for (const RequestCase& c : kCases) {
    InEveryCut(c.wire, [&](const std::vector<Bytes>& pieces) {
      const Requests got = ParsePieces(pieces);
      EXPECT_EQ(got.commands, c.commands)
          << testing::PrintToString(c.wire) << " in " << pieces.size() << " pieces";
      EXPECT_EQ(got.error_text, c.error_text) << testing::PrintToString(c.wire);
      EXPECT_EQ(got.error == RequestError::kNone, c.error_text.empty());
    });
  }
}

TEST(RequestParser, StaysWithItsErrorWhateverArrives) {
  RequestParser parser;
  parser.Feed("*1\r\nfoo\r\n");
  ASSERT_EQ(parser.Next(), Outcome::kError);
  parser.Feed("*1\r\n$4\r\nPING\r\n");
  EXPECT_EQ(parser.Next(), Outcome::kError);
  EXPECT_EQ(parser.error(), RequestError::kExpectedDollar);
  EXPECT_EQ(parser.error_text(), "ERR Protocol error: expected '$', got 'f'");
  EXPECT_TRUE(parser.args().empty());
}

TEST(RequestParser, ParsesPipelinesOfManyCommands) {
  std::string wire;
  std::vector<Command> sent;
  for (int i = 0; i < 20'000; ++i) {
    const std::string n = std::to_string(i);
    sent.push_back(i % 7 == 0 ? Command{"get", n} : Command{"SET", "key" + n, std::string(9, 'v')});
    wire += i % 7 == 0 ? "get " + n + "\r\n" : Multibulk(sent.back());
  }
  EXPECT_EQ(ParsePieces({wire}).commands, sent);
  Random random(1);
  EXPECT_EQ(ParsePieces(RandomPieces(wire, 100, random)).commands, sent);
  EXPECT_EQ(ParsePieces(RandomPieces(wire, 20'000, random)).commands, sent);
}

TEST(RequestParser, TakesBytesThatAreReadStraightIntoIt) {
  const std::string wire = Multibulk({"SET", "k", std::string(300'000, 'v')}) + Multibulk({"PING"});
  RequestParser parser;
  std::vector<std::size_t> sizes;
  Bytes left = wire;
  while (true) {
    const Outcome outcome = parser.Next();
    ASSERT_NE(outcome, Outcome::kError);
    if (outcome == Outcome::kCommand) {
      sizes.push_back(parser.args().size());
      continue;
    }
    if (left.empty()) break;
    const std::span<char> room = parser.Prepare(4096);
    ASSERT_GE(room.size(), 4096);
    const Bytes piece = left.substr(0, 4096);
    std::memcpy(room.data(), piece.data(), piece.size());
    parser.Commit(piece.size());
    left.remove_prefix(piece.size());
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 1}));
}

TEST(RequestParser, MakesRoomForALargeArgumentOnce) {
  RequestParser parser;
  parser.Feed("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000000\r\n");
  ASSERT_EQ(parser.Next(), Outcome::kNeedMore);
  EXPECT_GE(parser.Prepare(1).size(), 1'000'002);
  EXPECT_LT(parser.memory_bytes(), 1'100'000);
  const char* const place = parser.Prepare(1).data();
  const std::string value(1'000'000, 'v');
  parser.Feed(value);
  parser.Feed("\r\n");
  ASSERT_EQ(parser.Next(), Outcome::kCommand);
  EXPECT_EQ(parser.args()[2], value);
  EXPECT_EQ(parser.args()[2].data(), place) << "the argument was moved";
}

TEST(RequestParser, BelievesNoAnnouncementOfGigabytes) {
  RequestParser parser;
  parser.Feed("*2147483647\r\n$536870912\r\n");
  ASSERT_EQ(parser.Next(), Outcome::kNeedMore);
  parser.Prepare(1);
  EXPECT_LT(parser.memory_bytes(), 2 * kAnnouncedBytesMax);
  const std::string mebibyte(kAnnouncedBytesMax, 'x');
  for (std::size_t fed = 1; fed <= 8; ++fed) {
    parser.Feed(mebibyte);
    ASSERT_EQ(parser.Next(), Outcome::kNeedMore);
    parser.Prepare(1);
    EXPECT_LE(parser.memory_bytes(), (2 * fed + 3) * mebibyte.size());
  }
}

TEST(RequestParser, KeepsArgumentsWhereverTheBufferMoves) {
  Command command = {"MSET"};
  for (int i = 0; i < 5000; ++i) command.push_back("argument " + std::to_string(i));
  const std::string wire = Multibulk({"PING"}) + Multibulk(command) + Multibulk({"PING"});
  Random random(2);
  for (const std::size_t piece_bytes_max : {1u, 7u, 100u, 3000u}) {
    const Requests got = ParsePieces(RandomPieces(wire, piece_bytes_max, random));
    EXPECT_EQ(got.commands, (std::vector<Command>{{"PING"}, command, {"PING"}}));
  }
}

TEST(RequestParser, GivesMemoryBackWhenIdle) {
  RequestParser parser;
  parser.Feed(Multibulk(Command(5000, std::string(100, 'x'))));
  ASSERT_EQ(parser.Next(), Outcome::kCommand);
  ASSERT_EQ(parser.Next(), Outcome::kNeedMore);
  parser.Feed("*2\r\n$1\r\na\r\n");
  ASSERT_EQ(parser.Next(), Outcome::kNeedMore);
  parser.Release();
  EXPECT_GT(parser.memory_bytes(), 0) << "half a command must stay";
  parser.Feed("$1\r\nb\r\n");
  ASSERT_EQ(parser.Next(), Outcome::kCommand);
  EXPECT_EQ(parser.args()[0], "a");
  EXPECT_EQ(parser.args()[1], "b");
  EXPECT_EQ(parser.buffered_bytes(), 0);
  parser.Release();
  EXPECT_EQ(parser.memory_bytes(), 0);
  parser.Feed("PING\r\n");
  EXPECT_EQ(parser.Next(), Outcome::kCommand);
}

TEST(RequestParser, TakesRandomCommandsInRandomPieces) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  SCOPED_TRACE("MAYFLY_SEED=" + std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<Command> sent;
    std::string wire;
    for (std::uint64_t i = random.Below(20); i > 0; --i) {
      Command command;
      for (std::uint64_t arg = random.Between(1, 8); arg > 0; --arg) {
        command.push_back(random.Bytes(random.OneIn(20) ? random.Below(70'000) : random.Below(40)));
      }
      wire += Multibulk(command);
      sent.push_back(std::move(command));
    }
    const Requests got = ParsePieces(RandomPieces(wire, random.Between(1, 5000), random));
    ASSERT_EQ(got.commands, sent);
    ASSERT_EQ(got.error, RequestError::kNone);
  }
}

}  // namespace
}  // namespace mayfly
