// Goal: requests that arrive together are answered in order, whatever is among them, and no client
// can make the server hold more than its bound of responses.
// Method: a server with one thread, whole pipelines as bytes over sockets.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "http/limits.h"
#include "http/server.h"
#include "http/testing/raw_client.h"
#include "mayfly/logger.h"

namespace mayfly::http {
namespace {

constexpr const char* kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

class HttpPipeline : public testing::Test {
 protected:
  HttpPipeline() : server_(router_, SilentLogger()) {
    router_.Add("POST", "/echo", [this](const Request& request) {
      ++echoed_;
      return Response{.body = "<" + request.body + ">"};
    });
    router_.Add("GET", "/long", [this](const Request& request) {
      ++long_answers_;
      return Response{.body = std::string(kLongBytes, 'x') + "<" + request.query + ">"};
    });
    router_.Add("GET", "/count", [this](const Request&) {
      return Response{.body = "<" + std::to_string(long_answers_) + ">"};
    });
    EXPECT_TRUE(server_.Open("127.0.0.1", 0).ok());
    server_.Start(1);
  }
  ~HttpPipeline() override { server_.Stop(); }

  static constexpr std::size_t kLongBytes = 1'000'000;
  static_assert(kLongBytes > kOutputBytesBeforeSend);

  Router router_;
  Server server_;
  std::atomic<int> echoed_{0};
  std::atomic<int> long_answers_{0};
};

// The texts between '<' and '>', in order.
std::vector<std::string> Marked(const std::string& text) {
  std::vector<std::string> marked;
  for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    marked.push_back(text.substr(at + 1, text.find('>', at) - at - 1));
  }
  return marked;
}

using Strings = std::vector<std::string>;

TEST_F(HttpPipeline, IsAnsweredInOrder) {
  RawClient client(server_.port());
  std::string all;
  Strings expected;
  for (int i = 0; i < 1000; ++i) {
    all += Post("/echo", std::to_string(i));
    expected.push_back(std::to_string(i));
  }
  client.Send(all);
  EXPECT_EQ(Marked(client.ReadUntil(">", 1000)), expected);
}

TEST_F(HttpPipeline, MayBeSplitAtEveryByte) {
  const std::string all = Post("/echo", "one") + Get("/count") +
                          "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                          "2;a=b\r\ntw\r\n1\r\no\r\n0\r\n\r\n" +
                          Post("/echo", "three");
  const Strings expected = {"one", "0", "two", "three"};
  RawClient whole(server_.port());
  whole.Send(all);
  EXPECT_EQ(Marked(whole.ReadUntil(">", 4)), expected);
  RawClient split(server_.port());
  for (const char& byte : all) split.Send({&byte, 1});
  EXPECT_EQ(Marked(split.ReadUntil(">", 4)), expected);
  for (std::size_t at = 1; at < all.size(); ++at) {
    split.Send(all.substr(0, at));
    split.Send(all.substr(at));
    ASSERT_EQ(Marked(split.ReadUntil(">", 4)), expected) << at;
  }
}

TEST_F(HttpPipeline, TheWholeOnesAreAnsweredBeforeTheLastIsThere) {
  RawClient client(server_.port());
  const std::string last = Post("/echo", "three");
  for (const std::size_t there : {std::size_t{3}, last.size() - 2}) {
    client.Send(Post("/echo", "one") + Post("/echo", "two") + last.substr(0, there));
    EXPECT_EQ(Marked(client.ReadUntil(">", 2)), Strings({"one", "two"}));
    client.Send(last.substr(there));
    EXPECT_EQ(Marked(client.ReadUntil(">")), Strings({"three"}));
  }
}

TEST_F(HttpPipeline, EndsWithABadRequest) {
  for (const std::string bad :
       {"NO HTTP AT ALL\r\n\r\n",
        "POST /echo HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        "POST /echo HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nx",
        "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nno number\r\n"}) {
    echoed_ = 0;
    RawClient client(server_.port());
    client.Send(Post("/echo", "one") + Post("/echo", "two") + bad + Post("/echo", "three"));
    const std::string text = client.ReadAll();
    EXPECT_EQ(Marked(text), Strings({"one", "two"})) << bad;
    const auto refusal = text.find("HTTP/1.1 400 ");
    EXPECT_GT(refusal, text.find("<two>")) << text;
    EXPECT_NE(refusal, std::string::npos) << text;
    EXPECT_EQ(Count(text, "HTTP/1.1 "), 3U) << text;
    EXPECT_EQ(echoed_, 2) << bad;
  }
}

TEST_F(HttpPipeline, EndsWithABodyThatIsTooLarge) {
  RawClient client(server_.port());
  client.Send(Post("/echo", "one") + Post("/echo", std::string(kBodyBytesMax + 1, 'x')));
  const std::string text = client.ReadAll();
  EXPECT_EQ(Marked(text), Strings({"one"}));
  EXPECT_GT(text.find("HTTP/1.1 413 "), text.find("<one>"));
  EXPECT_EQ(Count(text, "HTTP/1.1 413 "), 1U);
}

TEST_F(HttpPipeline, EndsWithTheRequestThatAsksForIt) {
  RawClient client(server_.port());
  client.Send(Post("/echo", "one") + Post("/echo", "two", "Connection: close\r\n") +
              Post("/echo", "three"));
  const std::string text = client.ReadAll();
  EXPECT_EQ(Marked(text), Strings({"one", "two"}));
  EXPECT_EQ(Count(text, "Connection: close\r\n"), 1U);
  EXPECT_EQ(echoed_, 2);
}

TEST_F(HttpPipeline, HeadHasALengthAndNoBody) {
  RawClient client(server_.port());
  client.Send(Get("/long?a", "HEAD") + Post("/echo", "next"));
  const std::string text = client.ReadUntil(">");
  EXPECT_EQ(Marked(text), Strings({"next"}));
  EXPECT_LT(text.size(), 1000U);
  EXPECT_EQ(Count(text, "Content-Length: " + std::to_string(kLongBytes + 3) + "\r\n"), 1U) << text;
}

TEST_F(HttpPipeline, WhoAsksBeforeItsBodyIsToldInItsTurn) {
  RawClient client(server_.port());
  client.Send(Post("/echo", "one") +
              "POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  const std::string first = client.ReadUntil(kContinue);
  EXPECT_EQ(Marked(first), Strings({"one"}));
  EXPECT_TRUE(first.ends_with(kContinue)) << first;
  client.Send("two" + Post("/echo", "three"));
  EXPECT_EQ(Marked(client.ReadUntil(">", 2)), Strings({"two", "three"}));
}

// The second client shares the thread: it is answered once the first one's responses fill its
// socket, and not only when all of them are made.
TEST_F(HttpPipeline, IsAnsweredOnlyAsFarAsItsClientReads) {
  constexpr int kRequests = 64;  // Some ten would fill the buffers of the system.
  RawClient client(server_.port());
  std::string all;
  Strings expected;
  for (int i = 0; i < kRequests; ++i) {
    all += Get("/long?" + std::to_string(i));
    expected.push_back(std::to_string(i));
  }
  client.Send(all);
  std::string text = client.ReadUntil("HTTP/1.1 200 OK");
  RawClient other(server_.port());
  other.Send(Get("/count"));
  const int answered = std::stoi(Marked(other.ReadUntil(">")).at(0));
  EXPECT_GT(answered, 0);
  EXPECT_LT(answered, kRequests / 2);
  text += client.ReadUntil(">", kRequests);
  EXPECT_EQ(Marked(text), expected);
  EXPECT_EQ(long_answers_, kRequests);
}

}  // namespace
}  // namespace mayfly::http
