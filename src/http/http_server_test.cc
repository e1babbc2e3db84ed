// Goal: clients that keep their connection, send several requests at once, or too much, are served
// or refused as they should be, and a slow handler holds up nobody else.
// Method: a server on a free port, requests as bytes over sockets.
#include <gtest/gtest.h>

#include <boost/asio.hpp>
#include <latch>
#include <string>
#include <thread>

#include "http/server.h"
#include "mayfly/logger.h"

namespace mayfly::http {
namespace {

namespace asio = boost::asio;

class Client {
 public:
  explicit Client(int port) : socket_(context_) {
    socket_.connect({asio::ip::address_v4::loopback(), static_cast<unsigned short>(port)});
  }
  void Send(const std::string& bytes) {
    boost::system::error_code ignored;  // The server may have closed: what it said counts.
    asio::write(socket_, asio::buffer(bytes), ignored);
  }
  // Until `end` has come so many times, or the server closed.
  std::string ReadUntil(const std::string& end, int times = 1) {
    std::string text;
    char piece[4096];
    while (true) {
      int seen = 0;
      for (auto at = text.find(end); at != std::string::npos; at = text.find(end, at + 1)) ++seen;
      if (seen >= times) return text;
      boost::system::error_code error;
      const std::size_t bytes = socket_.read_some(asio::buffer(piece), error);
      if (error) return text;
      text.append(piece, bytes);
    }
  }
  std::string ReadAll() { return ReadUntil(std::string(1, '\0'), 1'000'000); }

 private:
  asio::io_context context_;
  asio::ip::tcp::socket socket_;
};

std::string Post(const std::string& path, const std::string& body, const std::string& more = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + more +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

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
  Client client(server_.port());
  for (const char* text : {"one", "two", "three"}) {
    client.Send(Post("/echo", text));
    const std::string response = client.ReadUntil(">");
    EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK\r\n")) << response;
    EXPECT_TRUE(response.ends_with("<" + std::string(text) + ">")) << response;
  }
}

TEST_F(HttpServer, RequestsSentTogetherAreAnsweredInOrder) {
  Client client(server_.port());
  std::string all;
  for (int i = 0; i < 50; ++i) all += Post("/echo", std::to_string(i));
  client.Send(all);
  const std::string responses = client.ReadUntil(">", 50);
  std::size_t at = 0;
  for (int i = 0; i < 50; ++i) {
    at = responses.find("<" + std::to_string(i) + ">", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST_F(HttpServer, ASlowHandlerHoldsUpNobodyElse) {
  Client slow(server_.port());
  slow.Send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  entered_.wait();
  Client other(server_.port());
  other.Send(Post("/echo", "quick"));
  EXPECT_TRUE(other.ReadUntil(">").ends_with("<quick>"));
  release_.count_down();
  EXPECT_TRUE(slow.ReadUntil(">").ends_with("<slow>"));
}

TEST_F(HttpServer, BodiesHaveTheBoundOfTheirRoute) {
  Client large(server_.port());
  large.Send(Post("/large", std::string(1'000'000, 'x')));
  EXPECT_TRUE(large.ReadUntil(">").ends_with("<1000000>"));
  Client larger(server_.port());
  larger.Send(Post("/large", std::string(1'000'001, 'x')));
  const std::string refused = larger.ReadAll();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 413 ")) << refused;
  EXPECT_TRUE(refused.ends_with("<refused>")) << refused;
  Client elsewhere(server_.port());
  elsewhere.Send(Post("/echo", std::string(100'000, 'x')));
  EXPECT_TRUE(elsewhere.ReadAll().starts_with("HTTP/1.1 413 "));
}

TEST_F(HttpServer, ABodyInChunksHasTheSameBound) {
  Client client(server_.port());
  client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "8000\r\n" + std::string(0x8000, 'x') + "\r\n";
  for (int i = 0; i < 4; ++i) client.Send(chunk);
  EXPECT_TRUE(client.ReadAll().starts_with("HTTP/1.1 413 "));
}

TEST_F(HttpServer, AClientThatAsksFirstIsToldToGoOn) {
  Client client(server_.port());
  client.Send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_TRUE(client.ReadUntil("\r\n\r\n").starts_with("HTTP/1.1 100 Continue"));
  client.Send("abc");
  EXPECT_TRUE(client.ReadUntil(">").ends_with("<abc>"));
}

TEST_F(HttpServer, WhatIsNoHttpEndsTheConnection) {
  Client client(server_.port());
  client.Send("\x01\x02 nonsense\r\n\r\n");
  EXPECT_TRUE(client.ReadAll().starts_with("HTTP/1.1 400 "));
}

}  // namespace
}  // namespace mayfly::http
