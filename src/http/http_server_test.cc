// Goal: clients that keep their connection, send several requests at once, or too much, are served
// or refused as they should be; a slow handler delays no client of another thread; slow clients,
// and those beyond the limit, are closed.
// Method: a server on a free port, requests as bytes over sockets.
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <latch>
#include <string>
#include <thread>

#include "http/server.h"
#include "http/testing/raw_client.h"
#include "mayfly/logger.h"

namespace mayfly::http {
namespace {

class HttpServer : public testing::Test {
 protected:
  HttpServer() : server_(router_, SilentLogger()) {
    router_.Add("POST", "/echo",
                [](const Request& request) { return Response{.body = "<" + request.body + ">"}; });
    router_.Add("POST", "/large",
                [](const Request& request) {
                  return Response{.body = "<" + std::to_string(request.body.size()) + ">"};
                },
                {.body_bytes_max = 1'000'000, .refuse = [](int status) {
                   return Response{.status = status, .body = "<refused>"};
                 }});
    router_.Add("GET", "/slow", [this](const Request&) {
      entered_.count_down();
      release_.wait();
      return Response{.body = "<slow>"};
    });
    EXPECT_TRUE(server_.Open("127.0.0.1", 0).ok());
    server_.Start(2);
  }
  ~HttpServer() override { server_.Stop(); }

  std::latch entered_{1};
  std::latch release_{1};
  Router router_;
  Server server_;
};

TEST_F(HttpServer, AConnectionServesManyRequests) {
  RawClient client(server_.port());
  for (const char* text : {"one", "two", "three"}) {
    client.Send(Post("/echo", text));
    const std::string response = client.ReadUntil(">");
    EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK\r\n")) << response;
    EXPECT_TRUE(response.ends_with("<" + std::string(text) + ">")) << response;
  }
}

TEST_F(HttpServer, ASlowHandlerHoldsUpNobodyOnAnotherThread) {
  RawClient slow(server_.port());
  slow.Send(Get("/slow"));
  entered_.wait();
  RawClient other(server_.port());
  other.Send(Post("/echo", "quick"));
  EXPECT_TRUE(other.ReadUntil(">").ends_with("<quick>"));
  release_.count_down();
  EXPECT_TRUE(slow.ReadUntil(">").ends_with("<slow>"));
}

// Every second one would wait if they came to the threads in turn.
TEST_F(HttpServer, ClientsThatComeDuringASlowHandlerGoToAThreadThatIsFree) {
  RawClient slow(server_.port());
  slow.Send(Get("/slow"));
  entered_.wait();
  std::deque<RawClient> others;
  for (int i = 0; i < 6; ++i) {
    RawClient& other = others.emplace_back(server_.port());
    other.Send(Post("/echo", "quick"));
    EXPECT_TRUE(other.ReadUntil(">").ends_with("<quick>"));
  }
  release_.count_down();
  EXPECT_TRUE(slow.ReadUntil(">").ends_with("<slow>"));
}

TEST_F(HttpServer, BodiesHaveTheBoundOfTheirRoute) {
  RawClient large(server_.port());
  large.Send(Post("/large", std::string(1'000'000, 'x')));
  EXPECT_TRUE(large.ReadUntil(">").ends_with("<1000000>"));
  RawClient larger(server_.port());
  larger.Send(Post("/large", std::string(1'000'001, 'x')));
  const std::string refused = larger.ReadAll();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 413 ")) << refused;
  EXPECT_TRUE(refused.ends_with("<refused>")) << refused;
  RawClient elsewhere(server_.port());
  elsewhere.Send(Post("/echo", std::string(100'000, 'x')));
  EXPECT_TRUE(elsewhere.ReadAll().starts_with("HTTP/1.1 413 "));
}

TEST_F(HttpServer, ABodyInChunksHasTheSameBound) {
  RawClient client(server_.port());
  client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "8000\r\n" + std::string(0x8000, 'x') + "\r\n";
  for (int i = 0; i < 4; ++i) client.Send(chunk);
  EXPECT_TRUE(client.ReadAll().starts_with("HTTP/1.1 413 "));
}

TEST_F(HttpServer, AClientThatAsksFirstIsToldToGoOn) {
  RawClient client(server_.port());
  client.Send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_TRUE(client.ReadUntil("\r\n\r\n").starts_with("HTTP/1.1 100 Continue"));
  client.Send("abc");
  EXPECT_TRUE(client.ReadUntil(">").ends_with("<abc>"));
}

TEST_F(HttpServer, WhatIsNoHttpEndsTheConnection) {
  RawClient client(server_.port());
  client.Send("\x01\x02 nonsense\r\n\r\n");
  EXPECT_TRUE(client.ReadAll().starts_with("HTTP/1.1 400 "));
}

TEST_F(HttpServer, WhoAsksFirstIsToldAtOnceThatItsBodyIsTooLarge) {
  RawClient client(server_.port());
  client.Send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99999\r\n\r\n");
  EXPECT_TRUE(client.ReadAll().starts_with("HTTP/1.1 413 "));
}

TEST_F(HttpServer, AHeaderHasItsBoundInPiecesToo) {
  RawClient client(server_.port());
  client.Send("GET /slow HTTP/1.1\r\n");
  for (int i = 0; i < 40; ++i) {
    client.Send("X-" + std::to_string(i) + ": " + std::string(500, 'x') + "\r\n");
  }
  EXPECT_TRUE(client.ReadAll().starts_with("HTTP/1.1 431 "));
}

TEST_F(HttpServer, AnOldClientIsClosedUnlessItAsksNotTo) {
  RawClient once(server_.port());
  once.Send("GET /nothing HTTP/1.0\r\n\r\n");
  const std::string closed = once.ReadAll();
  EXPECT_TRUE(closed.starts_with("HTTP/1.0 404 ")) << closed;
  EXPECT_EQ(Count(closed, "Connection: close\r\n"), 1U) << closed;
  RawClient twice(server_.port());
  twice.Send("GET /nothing HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(Count(twice.ReadUntil("/nothing\n"), "Connection: keep-alive\r\n"), 1U);
  twice.Send("GET /nothing HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(twice.ReadAll().starts_with("HTTP/1.0 404 "));
}

void AwaitNobody(const Server& server) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (server.connections() > 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "nobody was let go";
    std::this_thread::yield();
  }
}

// A server whose seconds are milliseconds.
class FastServer : public testing::Test {
 protected:
  FastServer() : server_(router_, SilentLogger(), {.tick = std::chrono::milliseconds(1)}) {
    router_.Add("GET", "/long",
                [](const Request&) { return Response{.body = std::string(1'000'000, 'x')}; });
    router_.Add("POST", "/", [](const Request&) { return Response{}; });
    EXPECT_TRUE(server_.Open("127.0.0.1", 0).ok());
    server_.Start(1);
  }
  ~FastServer() override { server_.Stop(); }

  Router router_;
  Server server_;
};

TEST_F(FastServer, WhoAsksNothingIsClosed) {
  EXPECT_EQ(RawClient(server_.port()).ReadAll(), "");
  RawClient begun(server_.port());
  begun.Send("GET / HTT");
  EXPECT_EQ(begun.ReadAll(), "");
  RawClient answered(server_.port());
  answered.Send(Get("/nothing"));
  EXPECT_EQ(Count(answered.ReadAll(), "HTTP/1.1 404 "), 1U);
}

TEST_F(FastServer, WhoseBodyDoesNotComeIsClosed) {
  RawClient client(server_.port());
  client.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345");
  EXPECT_EQ(client.ReadAll(), "");
}

TEST_F(FastServer, WhoDoesNotReadIsClosed) {
  RawClient client(server_.port());
  std::string all;
  for (int i = 0; i < 64; ++i) all += Get("/long");
  client.Send(all);
  const std::string begin = client.ReadUntil("HTTP/1.1 200 OK");  // So it is being answered.
  AwaitNobody(server_);
  EXPECT_LT(begin.size() + client.ReadAll().size(), 64'000'000U);
}

TEST(HttpServerOfOne, OneTooManyIsTurnedAway) {
  Router router;
  Server server(router, SilentLogger(), {.connections_max = 1});
  ASSERT_TRUE(server.Open("127.0.0.1", 0).ok());
  server.Start(2);
  {
    RawClient first(server.port());
    first.Send(Get("/nothing"));
    EXPECT_TRUE(first.ReadUntil("/nothing\n").starts_with("HTTP/1.1 404 "));
    EXPECT_TRUE(RawClient(server.port()).ReadAll().starts_with("HTTP/1.1 503 "));
  }
  AwaitNobody(server);
  RawClient second(server.port());
  second.Send(Get("/nothing"));
  EXPECT_TRUE(second.ReadUntil("/nothing\n").starts_with("HTTP/1.1 404 "));
}

}  // namespace
}  // namespace mayfly::http
