// Goal: requests that are ready together reach their route together, of one client and of several;
// those that a route leaves are passed to it again, and responses keep their order and their bound.
// Method: a router called directly; a server with one thread whose route records its calls.
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "http/limits.h"
#include "http/server.h"
#include "http/testing/raw_client.h"
#include "mayfly/logger.h"

namespace mayfly::http {
namespace {

using Exchanges = std::span<Exchange* const>;

// Requests as a router gets them.
class Asked {
 public:
  explicit Asked(const std::vector<std::string>& paths) : exchanges_(paths.size()) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      exchanges_[i].request.method = "GET";
      exchanges_[i].request.path = paths[i];
    }
  }

  // Those that have no response yet.
  std::vector<Exchange*> Open() {
    std::vector<Exchange*> open;
    for (Exchange& exchange : exchanges_) {
      if (!exchange.response) open.push_back(&exchange);
    }
    return open;
  }

  std::string Statuses() const {
    std::string text;
    for (const Exchange& exchange : exchanges_) {
      text += exchange.response ? std::to_string(exchange.response->status) + " " : "none ";
    }
    return text;
  }

 private:
  std::vector<Exchange> exchanges_;
};

void AnswerAll(Exchanges exchanges) {
  for (Exchange* const exchange : exchanges) exchange->response = Response{};
}

TEST(HttpRouter, GivesNeighboursOfARouteToItTogether) {
  Router router;
  std::vector<std::size_t> counts;
  router.AddGroup("GET", "/group", [&](Exchanges exchanges) {
    counts.push_back(exchanges.size());
    AnswerAll(exchanges);
  });
  router.Add("GET", "/single", [](const Request&) { return Response{.body = ""}; });
  Asked asked({"/group", "/group", "/single", "/group", "/nowhere", "/group", "/group", "/group"});
  router.Answer(asked.Open());
  EXPECT_EQ(counts, std::vector<std::size_t>({2, 1, 3}));
  EXPECT_EQ(asked.Statuses(), "200 200 200 200 404 200 200 200 ");
}

TEST(HttpRouter, AGroupHandlerThatThrowsIsAnErrorOfWhatItHasNotAnswered) {
  Router router;
  router.AddGroup("GET", "/group", [&](Exchanges exchanges) {
    exchanges.front()->response = Response{};
    throw std::runtime_error("no luck");
  });
  Asked asked({"/group", "/group", "/nowhere"});
  router.Answer(asked.Open());
  EXPECT_EQ(asked.Statuses(), "200 500 404 ");
}

TEST(HttpRouter, LeavesWhatARouteLeaves) {
  Router router;
  router.AddGroup("GET", "/one", [](Exchanges exchanges) { AnswerAll(exchanges.first(1)); });
  Asked asked({"/one", "/one", "/nowhere"});
  router.Answer(asked.Open());
  EXPECT_EQ(asked.Statuses(), "200 none none ");
  router.Answer(asked.Open());
  EXPECT_EQ(asked.Statuses(), "200 200 404 ");
}

TEST(HttpRouter, EndsWhereAnswersAreLong) {
  Router router;
  router.Add("GET", "/long", [](const Request&) {
    return Response{.body = std::string(kOutputBytesBeforeSend, 'x')};
  });
  Asked asked({"/long", "/long", "/long", "/nowhere"});
  router.Answer(asked.Open());
  EXPECT_EQ(asked.Statuses(), "200 200 none none ");
}

// POST /note answers with its body, and records which bodies came together; it waits for the test
// before it answers "wait".
class HttpGroups : public testing::Test {
 protected:
  HttpGroups() : server_(router_, SilentLogger()) {
    router_.AddGroup("POST", "/note", [this](Exchanges exchanges) { Note(exchanges); });
    EXPECT_TRUE(server_.Open("127.0.0.1", 0).ok());
    server_.Start(1);
  }
  ~HttpGroups() override { server_.Stop(); }

  void Note(Exchanges exchanges) {
    std::string together;
    std::size_t answered = 0;
    for (Exchange* const exchange : exchanges) {
      if (answered == answered_max_) break;
      ++answered;
      together += exchange->request.body;
      if (exchange->request.body == "wait") {
        std::unique_lock lock(gate_);
        entered_ = true;
        changed_.notify_all();
        changed_.wait(lock, [this] { return open_; });
      }
      exchange->response = Response{.body = "<" + exchange->request.body + ">"};
    }
    notes_.push_back(together);
  }

  // Until a request waits in the server.
  void AwaitEntered() {
    std::unique_lock lock(gate_);
    changed_.wait(lock, [this] { return entered_; });
  }
  void Open() {
    const std::lock_guard lock(gate_);
    open_ = true;
    changed_.notify_all();
  }

  Router router_;
  Server server_;
  std::size_t answered_max_ = SIZE_MAX;  // In one call.
  std::vector<std::string> notes_;       // Of the server's thread; read when it has answered.
  std::mutex gate_;
  std::condition_variable changed_;
  bool entered_ = false;  // These two under gate_.
  bool open_ = false;
};

TEST_F(HttpGroups, OfOneClient) {
  RawClient client(server_.port());
  client.Send(Post("/note", "a") + Post("/note", "b") + Post("/note", "c"));
  EXPECT_EQ(client.ReadUntil(">", 3).substr(0, 8), "HTTP/1.1");
  EXPECT_EQ(notes_, std::vector<std::string>({"abc"}));
}

// While the first one is answered, the others' requests arrive.
TEST_F(HttpGroups, OfSeveralClients) {
  RawClient first(server_.port());
  RawClient second(server_.port());
  RawClient third(server_.port());
  for (RawClient* const client : {&first, &second, &third}) {
    client->Send(Post("/note", "-"));
    client->ReadUntil(">");
  }
  notes_.clear();
  first.Send(Post("/note", "wait"));
  AwaitEntered();
  second.Send(Post("/note", "b") + Post("/note", "c"));
  third.Send(Post("/note", "d"));
  Open();
  first.ReadUntil(">");
  EXPECT_NE(second.ReadUntil(">", 2).find("<c>"), std::string::npos);
  EXPECT_NE(third.ReadUntil(">").find("<d>"), std::string::npos);
  ASSERT_EQ(notes_.size(), 2U);
  EXPECT_EQ(notes_[0], "wait");
  EXPECT_TRUE(notes_[1] == "bcd" || notes_[1] == "dbc") << notes_[1];
}

TEST_F(HttpGroups, WhatIsLeftIsAskedAgain) {
  answered_max_ = 2;
  RawClient client(server_.port());
  client.Send(Post("/note", "a") + Post("/note", "b") + Post("/note", "c") + Post("/note", "d") +
              Post("/note", "e", "Connection: close\r\n") + Post("/note", "f"));
  const std::string text = client.ReadAll();
  EXPECT_EQ(notes_, std::vector<std::string>({"ab", "cd", "e"}));
  EXPECT_EQ(Count(text, "HTTP/1.1 200 OK"), 5U);
  EXPECT_LT(text.find("<a>"), text.find("<b>"));
  EXPECT_LT(text.find("<d>"), text.find("<e>"));
}

// A refusal, and a 100-continue, come behind the responses that are still to be made.
TEST_F(HttpGroups, WordsOfTheServerComeInTheirTurn) {
  answered_max_ = 1;
  RawClient client(server_.port());
  client.Send(Post("/note", "a") + Post("/note", "b") +
              "POST /note HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nc");
  const std::string first = client.ReadUntil("100 Continue\r\n\r\n");
  EXPECT_LT(first.find("<b>"), first.find("100 Continue")) << first;
  client.Send("c" + Post("/note", "d") + Post("/note", "e") + "NO HTTP\r\n\r\n");
  const std::string rest = client.ReadAll();
  EXPECT_LT(rest.find("<cc>"), rest.find("<e>")) << rest;
  EXPECT_LT(rest.find("<e>"), rest.find("HTTP/1.1 400 ")) << rest;
  EXPECT_NE(rest.find("HTTP/1.1 400 "), std::string::npos) << rest;
}

TEST_F(HttpGroups, MoreThanFitAreSeveral) {
  RawClient client(server_.port());
  std::string all;
  for (std::size_t i = 0; i < 3 * kRequestsTogetherMax; ++i) all += Post("/note", "x");
  client.Send(all);
  client.ReadUntil(">", 3 * kRequestsTogetherMax);
  EXPECT_GE(notes_.size(), 3U);
  for (const std::string& together : notes_) EXPECT_LE(together.size(), kRequestsTogetherMax);
}

// A client that closes while others are answered does not disturb them.
TEST_F(HttpGroups, AClientMayGo) {
  auto gone = std::make_unique<RawClient>(server_.port());
  RawClient stays(server_.port());
  stays.Send(Post("/note", "wait"));
  AwaitEntered();
  gone->Send(Post("/note", "a") + Post("/note", "b"));
  gone.reset();
  stays.Send(Post("/note", "c"));
  Open();
  EXPECT_NE(stays.ReadUntil(">", 2).find("<c>"), std::string::npos);
}

}  // namespace
}  // namespace mayfly::http
