// Goal: HTTP over TLS: the same responses, a clear answer to clients that do not speak it, certificates
// that change while clients are connected, and handshakes that are bounded in number and time.
// Method: a server with a certificate made on the spot; ticks that pass fast, or never.
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>

#include "http/handshakes.h"
#include "http/server.h"
#include "http/testing/raw_client.h"
#include "http/testing/tls_client.h"
#include "mayfly/logger.h"

namespace mayfly::http {
namespace {

constexpr std::chrono::hours kNever{1};
constexpr std::chrono::milliseconds kFast{5};
constexpr std::size_t kHandshakes = 4;
constexpr std::size_t kLargeBytes = 3'000'000;

// The begin of a handshake: a record's head that announces more than comes.
constexpr std::string_view kBegun("\x16\x03\x01\x02\x00\x01\x00", 7);

class HttpTls : public testing::Test {
 protected:
  ~HttpTls() override {
    if (server_ != nullptr) server_->Stop();
  }

  void Start(std::chrono::milliseconds tick, std::size_t connections_max = kConnectionsMax) {
    router_.Add("GET", "/", [](const Request& request) {
      return Response{.body = request.peer->tls ? "<tls>" : "<plain>"};
    });
    router_.Add("GET", "/large",
                [](const Request&) { return Response{.body = std::string(kLargeBytes, 'x')}; });
    server_ = std::make_unique<Server>(
        router_, SilentLogger(),
        ServerOptions{
            .connections_max = connections_max, .handshakes_max = kHandshakes, .tick = tick});
    server_->SetTls(ServerContext(certificate_));
    ASSERT_TRUE(server_->Open("127.0.0.1", 0).ok());
    server_->Start(2);
  }

  std::string Ask(const SelfSigned& trusted) {
    TlsClient client(server_->port(), trusted);
    if (!client.connected()) return "";
    client.Send(Get("/"));
    const std::string response = client.ReadUntil(">");
    return response.substr(response.find('<'));
  }

  const SelfSigned certificate_;
  Router router_;
  std::unique_ptr<Server> server_;
};

TEST_F(HttpTls, AConnectionServesManyRequests) {
  Start(kNever);
  TlsClient client(server_->port(), certificate_);
  for (int i = 0; i < 3; ++i) {
    client.Send(Get("/"));
    EXPECT_TRUE(client.ReadUntil(">").ends_with("<tls>"));
  }
  client.Send(Get("/large"));
  EXPECT_GT(client.ReadUntil(std::string(kLargeBytes, 'x')).size(), kLargeBytes);
  EXPECT_EQ(server_->handshakes(), 0U);
}

// Without it, a client could not tell the end from one that an attacker made.
TEST_F(HttpTls, TheEndOfAConnectionIsSaid) {
  Start(kNever);
  TlsClient closing(server_->port(), certificate_);
  closing.Send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(closing.ReadAll().ends_with("<tls>"));
  EXPECT_TRUE(closing.ended());
  TlsClient refused(server_->port(), certificate_);
  refused.Send("nonsense\r\n\r\n");
  EXPECT_TRUE(refused.ReadAll().starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(refused.ended());
}

TEST_F(HttpTls, ARequestInTheClearIsRefusedInWords) {
  Start(kNever);
  for (const char* method : {"GET", "POST", "HEAD", "PUT"}) {
    RawClient client(server_->port());
    client.Send(Get("/", method));
    const std::string response = client.ReadAll();
    EXPECT_TRUE(response.starts_with("HTTP/1.1 400 ")) << response;
    EXPECT_NE(response.find("https://"), std::string::npos) << response;
    EXPECT_EQ(response.find("<plain>"), std::string::npos) << response;
  }
  RawClient other(server_->port());
  other.Send("\x01 nonsense\r\n\r\n");
  EXPECT_EQ(other.ReadAll().find("HTTP/"), std::string::npos);
  EXPECT_EQ(Ask(certificate_), "<tls>");
}

TEST_F(HttpTls, ACertificateChangesForClientsThatComeAfterwards) {
  Start(kNever);
  TlsClient before(server_->port(), certificate_);
  const SelfSigned other;
  server_->SetTls(ServerContext(other));
  EXPECT_EQ(Ask(certificate_), "");
  EXPECT_EQ(Ask(other), "<tls>");
  before.Send(Get("/"));
  EXPECT_TRUE(before.ReadUntil(">").ends_with("<tls>"));
  server_->SetTls(nullptr);
  RawClient plain(server_->port());
  plain.Send(Get("/"));
  EXPECT_TRUE(plain.ReadUntil("<plain>").ends_with("<plain>"));
}

TEST_F(HttpTls, AHandshakeThatStallsIsGivenUp) {
  Start(kFast);
  RawClient silent(server_->port());
  RawClient begun(server_->port());
  begun.Send(kBegun);
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_EQ(begun.ReadAll(), "");
  while (server_->handshakes() > 0) std::this_thread::yield();
  EXPECT_EQ(Ask(certificate_), "<tls>");
}

TEST_F(HttpTls, HandshakesAreBounded) {
  Start(kNever);
  std::deque<RawClient> held;
  for (std::size_t i = 0; i < kHandshakes; ++i) held.emplace_back(server_->port()).Send(kBegun);
  while (server_->handshakes() < kHandshakes) std::this_thread::yield();
  RawClient beyond(server_->port());
  EXPECT_EQ(beyond.ReadAll(), "");
  EXPECT_EQ(server_->handshakes(), kHandshakes);
  held.pop_front();
  while (server_->handshakes() == kHandshakes) std::this_thread::yield();
  EXPECT_EQ(Ask(certificate_), "<tls>");
}

// The bound is met again and again; the silent make room in time.
TEST_F(HttpTls, AFloodOfHandshakesKeepsNobodyOut) {
  Start(kFast);
  std::deque<RawClient> flood;
  for (std::size_t i = 0; i < 10 * kHandshakes; ++i) {
    flood.emplace_back(server_->port()).Send(kBegun);
    EXPECT_LE(server_->handshakes(), kHandshakes);
  }
  while (Ask(certificate_) != "<tls>") continue;
}

TEST_F(HttpTls, AClientBeyondTheLimitIsClosedBeforeItsHandshake) {
  Start(kNever, 1);
  TlsClient first(server_->port(), certificate_);
  EXPECT_TRUE(first.connected());
  EXPECT_FALSE(TlsClient(server_->port(), certificate_).connected());
}

TEST(Handshakes, AreCrowdedFromHalfOfTheirNumberOn) {
  Handshakes handshakes(4);
  EXPECT_TRUE(handshakes.Begin() && handshakes.Begin());
  EXPECT_FALSE(handshakes.IsCrowded());
  EXPECT_TRUE(handshakes.Begin() && handshakes.Begin());
  EXPECT_TRUE(handshakes.IsCrowded());
  EXPECT_FALSE(handshakes.Begin());
  EXPECT_EQ(handshakes.count(), 4U);
  handshakes.End();
  EXPECT_TRUE(handshakes.Begin());
}

}  // namespace
}  // namespace mayfly::http
