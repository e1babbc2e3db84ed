// Goal: requests are parsed as they were sent, however the bytes were split, and malformed or
// oversize ones are refused with their status.
// Method: bytes fed in pieces; random requests and pieces from a seed that is printed.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "http/limits.h"
#include "http/request_reader.h"

namespace mayfly::http {
namespace {

using Outcome = RequestReader::Outcome;

constexpr std::size_t kBodyMax = 1000;

std::string Show(const Request& request) {
  std::string text = request.method + " " + request.path + " [" + request.query + "]";
  for (const Header& header : request.headers) text += " " + header.name + "=" + header.value;
  return text + " (" + request.body + ")";
}

// Feeds pieces as a connection does: the rest of one stays in front of the next.
class Feeder {
 public:
  // Requests that were completed, or "fault STATUS" at the end.
  std::vector<std::string> Feed(std::string_view piece) {
    held_ += piece;
    std::vector<std::string> whole;
    while (true) {
      std::string_view bytes = held_;
      const Outcome outcome = reader.Read(bytes);
      held_.erase(0, held_.size() - bytes.size());
      switch (outcome) {
        case Outcome::kNeedsMore: return whole;
        case Outcome::kHeader:
          if (reader.TakeBody(kBodyMax)) break;
          whole.emplace_back("too large");
          return whole;
        case Outcome::kWhole:
          whole.push_back(Show(reader.request()));
          reader.Next();
          break;
        case Outcome::kFault:
          whole.push_back("fault " + std::to_string(reader.fault_status()));
          return whole;
      }
    }
  }

  RequestReader reader;

 private:
  std::string held_;
};

std::vector<std::string> Read(const std::string& bytes) { return Feeder().Feed(bytes); }

using Strings = std::vector<std::string>;

TEST(RequestReader, GivesPathQueryHeadersAndBody) {
  EXPECT_EQ(Read("POST /a/b?c=d&e?f HTTP/1.1\r\nHoST: X\r\nAccept: a\r\nACCEPT: b, c\r\n"
                 "Content-Length: 3\r\n\r\nabc"),
            Strings({"POST /a/b [c=d&e?f] host=X accept=a,b, c content-length=3 (abc)"}));
  EXPECT_EQ(Read("GET /? HTTP/1.0\r\n\r\n"), Strings({"GET / [] ()"}));
}

TEST(RequestReader, NothingOfARequestIsInTheNext) {
  EXPECT_EQ(
      Read("POST /long?q HTTP/1.1\r\nA: 1\r\nB: 2\r\nContent-Length: 3\r\n\r\nabc"
           "GET / HTTP/1.1\r\nC:\r\n\r\nPUT / HTTP/1.1\r\n\r\n"),
      Strings({"POST /long [q] a=1 b=2 content-length=3 (abc)", "GET / [] c= ()", "PUT / [] ()"}));
}

TEST(RequestReader, PutsChunksTogetherAndLeavesWhatFollowsThemOut) {
  EXPECT_EQ(Read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "3;x=\"y\"\r\nabc\r\nA\r\n0123456789\r\n0\r\nHost: late\r\n\r\n"
                 "GET / HTTP/1.1\r\n\r\n"),
            Strings({"POST / [] transfer-encoding=chunked (abc0123456789)", "GET / [] ()"}));
}

TEST(RequestReader, TellsWhatItsClientWants) {
  const auto reader_of = [](const std::string& bytes, auto check) {
    RequestReader reader;
    std::string_view left = bytes;
    ASSERT_EQ(reader.Read(left), Outcome::kHeader) << bytes;
    check(reader);
  };
  reader_of("GET / HTTP/1.1\r\n\r\n", [](const RequestReader& reader) {
    EXPECT_EQ(reader.version(), 11U);
    EXPECT_TRUE(reader.keep_alive());
    EXPECT_FALSE(reader.asks_before_body());
  });
  reader_of("GET / HTTP/1.0\r\n\r\n", [](const RequestReader& reader) {
    EXPECT_EQ(reader.version(), 10U);
    EXPECT_FALSE(reader.keep_alive());
  });
  reader_of("GET / HTTP/1.1\r\nConnection: a, Close\r\n\r\n",
            [](const RequestReader& reader) { EXPECT_FALSE(reader.keep_alive()); });
  reader_of("POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 9\r\n\r\n",
            [](const RequestReader& reader) {
              EXPECT_TRUE(reader.asks_before_body());
              EXPECT_EQ(reader.body_bytes_ahead(), 9U);
            });
  reader_of("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
            [](const RequestReader& reader) { EXPECT_FALSE(reader.asks_before_body()); });
}

TEST(RequestReader, RefusesWhatIsNoRequest) {
  for (const std::string bytes :
       {"\x01\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}) {
    EXPECT_EQ(Read(bytes), Strings({"fault 400"})) << bytes;
  }
}

// Others read such a line as a field of its own, and may find the end of the body elsewhere.
TEST(RequestReader, RefusesALineThatGoesOnInTheNext) {
  const std::string end = "\r\n\r\nab";
  for (const std::string head : {"POST / HTTP/1.1\r\nHost: x\r\n Transfer-Encoding: chunked",
                                 "POST / HTTP/1.1\r\nHost: x\r\n\tContent-Length: 2",
                                 "POST / HTTP/1.1\r\n Content-Length: 2",
                                 "POST / HTTP/1.1\r\nContent-Length: 2\r\nX: y\r\n "}) {
    EXPECT_EQ(Read(head + end), Strings({"fault 400"})) << head;
    Feeder feeder;
    Strings outcome;
    for (const char byte : head + end) {
      if (outcome.empty()) outcome = feeder.Feed({&byte, 1});
    }
    EXPECT_EQ(outcome, Strings({"fault 400"})) << head;
  }
  // In a body, such bytes are data.
  EXPECT_EQ(Read("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\na\r\n b").size(), 1U);
}

TEST(RequestReader, BodiesEndAtTheirBound) {
  const std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(Read("POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n"), Strings({"too large"}));
  EXPECT_EQ(Read(chunked + "3e9\r\n"), Strings({"fault 413"}));
  EXPECT_EQ(Read(chunked + "3e8\r\n" + std::string(1000, 'x') + "\r\n"), Strings());
  EXPECT_EQ(Read(chunked + "3e8\r\n" + std::string(1000, 'x') + "\r\n1\r\n"),
            Strings({"fault 413"}));
}

// Every part of a request without an end: its line, one field, its fields, data between chunks.
TEST(RequestReader, NothingElseIsWithoutABound) {
  const std::string begin = "POST / HTTP/1.1\r\n";
  const std::string chunked = begin + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string field = "a: " + std::string(100, 'x') + "\r\n";
  const struct {
    std::string begin;
    std::string more;
    // clang-format off
  } endless[] = {
      {"POST /",             "x"},
      {begin + "a: ",        "x"},
      {begin,                field},
      {chunked + "1;x=",     "x"},
      {chunked + "0\r\na: ", "x"},
      {chunked + "0\r\n",    field},
  };
  // clang-format on
  for (const auto& one : endless) {
    Feeder feeder;
    Strings outcome = feeder.Feed(one.begin);
    std::size_t fed = 0;
    while (outcome.empty() && fed < 4 * kHeaderBytesMax) {
      outcome = feeder.Feed(one.more);
      fed += one.more.size();
    }
    EXPECT_EQ(outcome, Strings({"fault 431"})) << one.begin;
    EXPECT_LE(fed, kHeaderBytesMax + 200) << one.begin;
  }
}

class RandomRequests {
 public:
  explicit RandomRequests(unsigned seed) : random_(seed) {}
  std::size_t Below(std::size_t bound) { return random_() % bound; }

  std::string Next() {
    std::string text = "POST /" + Word() + "?" + Word() + " HTTP/1.1\r\n";
    for (std::size_t i = Below(4); i > 0; --i) text += "X-" + Word() + ": " + Word() + "\r\n";
    const std::string body = Word() + Word() + "\r\n" + Word();
    if (Below(2) == 0) {
      return text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    }
    text += "Transfer-Encoding: chunked\r\n\r\n";
    for (std::size_t at = 0; at < body.size();) {
      const std::string chunk = body.substr(at, 1 + Below(9));
      text += std::to_string(chunk.size()) + "\r\n" + chunk + "\r\n";
      at += chunk.size();
    }
    return text + "0\r\n" + (Below(2) == 0 ? "T: " + Word() + "\r\n" : "") + "\r\n";
  }

 private:
  std::string Word() {
    std::string word(1 + Below(20), 'a');
    for (char& c : word) c = static_cast<char>('a' + Below(26));
    return word;
  }

  std::mt19937 random_;
};

TEST(RequestReader, PiecesMakeNoDifference) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomRequests random(seed);
  for (int round = 0; round < 300; ++round) {
    std::string all;
    Strings expected;
    for (std::size_t i = 1 + random.Below(5); i > 0; --i) {
      const std::string one = random.Next();
      const Strings alone = Read(one);
      ASSERT_EQ(alone.size(), 1U) << one;
      expected.push_back(alone[0]);
      all += one;
    }
    Feeder feeder;
    Strings seen;
    const std::size_t piece_max = 1 + random.Below(40);
    for (std::size_t at = 0; at < all.size();) {
      const std::string piece = all.substr(at, 1 + random.Below(piece_max));
      at += piece.size();
      for (std::string& whole : feeder.Feed(piece)) seen.push_back(std::move(whole));
    }
    ASSERT_EQ(seen, expected) << all;
  }
}

}  // namespace
}  // namespace mayfly::http
