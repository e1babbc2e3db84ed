// Goal: the HTTP port: metrics, health, and requests without a route.
// Method: requests as bytes over a socket.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "http/router.h"
#include "server/served.h"

namespace mayfly::server {
namespace {

std::string Get(int port, const std::string& path, const std::string& method = "GET") {
  TestClient client(port);
  client.Send(method + " " + path + " HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
  return client.ReadAll();
}

TEST(Http, HealthIsOk) {
  Served served;
  const std::string response = Get(served.http_port(), "/health");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK\r\n")) << response;
  EXPECT_TRUE(response.ends_with("\r\n\r\nok\n")) << response;
}

TEST(Http, HealthTellsThatTheClockStopsDeletion) {
  Served served;
  TestClient client(served.port());
  client.Text("SET key value PX 3600000");
  const WallTime start = served.clock().Now();
  served.clock().Set(start + std::chrono::hours(24));
  client.Text("GET key");
  const std::string stopped = Get(served.http_port(), "/health");
  EXPECT_TRUE(stopped.starts_with("HTTP/1.1 200 OK\r\n")) << "it serves as it should";
  EXPECT_NE(stopped.find("\r\n\r\nok\nthe clock jumped ahead"), std::string::npos) << stopped;
  EXPECT_NE(stopped.find("TTL.CLOCK CONFIRM"), std::string::npos) << stopped;
  const std::string metrics = Get(served.http_port(), "/metrics");
  EXPECT_NE(metrics.find("mayfly_clock_deletion_stopped 1\n"), std::string::npos);
  EXPECT_NE(metrics.find("mayfly_clock_jumps_total 1\n"), std::string::npos);
  EXPECT_NE(client.Text("INFO mayfly").find("clock_state:jumped\r\n"), std::string::npos);

  served.clock().Set(start);
  client.Text("GET key");
  EXPECT_NE(Get(served.http_port(), "/health").find("TTL.CLOCK REVERT"), std::string::npos);
  EXPECT_NE(Get(served.http_port(), "/metrics").find("mayfly_clock_ahead_seconds 86400\n"),
            std::string::npos);
  EXPECT_TRUE(served.database().RevertClock().ok());  // As TTL.CLOCK REVERT.
  EXPECT_EQ(client.Text("GET key"), "value");
  EXPECT_TRUE(Get(served.http_port(), "/health").ends_with("\r\n\r\nok\n"));
}

// A deadline that the machine's clock has not reached may have passed: /health shows the reason and
// the remedy.
TEST(Http, TellsOfAClockThatWasSetBack) {
  Served served;
  TestClient client(served.port());
  served.clock().Set(served.clock().Now() - std::chrono::seconds(30));
  const std::string health = Get(served.http_port(), "/health");
  EXPECT_NE(health.find("\r\n\r\nok\ntime is 30000 ms ahead"), std::string::npos) << health;
  EXPECT_NE(health.find("EXAT"), std::string::npos) << health;
  EXPECT_NE(health.find("TTL.CLOCK REVERT"), std::string::npos) << health;
  const std::string info = client.Text("INFO mayfly");
  EXPECT_NE(info.find("clock_state:ahead\r\nclock_ahead_ms:30000\r\n"), std::string::npos) << info;
  EXPECT_NE(Get(served.http_port(), "/metrics").find("mayfly_clock_ahead_seconds 30\n"),
            std::string::npos);
  EXPECT_TRUE(served.database().RevertClock().ok());  // As TTL.CLOCK REVERT.
  EXPECT_TRUE(Get(served.http_port(), "/health").ends_with("\r\n\r\nok\n"));
}

TEST(Http, MetricsCountCommands) {
  Served served;
  TestClient client(served.port());
  client.Text("GET a");
  client.Text("GET b");
  const std::string response = Get(served.http_port(), "/metrics?x=1");
  EXPECT_NE(response.find("# TYPE mayfly_commands_total counter\n"), std::string::npos);
  EXPECT_NE(response.find("mayfly_commands_total{command=\"get\"} 2\n"), std::string::npos)
      << response;
  EXPECT_NE(response.find("mayfly_clients 1\n"), std::string::npos);
  EXPECT_NE(response.find("mayfly_rows{keyspace=\"db0\"}"), std::string::npos);
}

std::uint64_t ValueOf(const std::string& page, const std::string& name) {
  const std::size_t at = page.find("\n" + name + " ");
  return at == std::string::npos ? ~0ull : std::stoull(page.substr(at + name.size() + 2));
}

TEST(Http, MetricsHaveAHistogramPerFamily) {
  Served served;
  TestClient client(served.port());
  client.Text("GET a");
  client.Text("CONFIG SET latency-tracking no");
  client.Text("GET a");
  const std::string page = Get(served.http_port(), "/metrics");
  const std::string name = "mayfly_command_duration_seconds";
  EXPECT_NE(page.find("# TYPE " + name + " histogram\n"), std::string::npos) << page;
  EXPECT_EQ(ValueOf(page, name + "_count{family=\"test\"}"), 2u) << page;
  EXPECT_EQ(ValueOf(page, name + "_bucket{family=\"test\",le=\"+Inf\"}"), 2u);
  // One that took no one knows how long is in no other bucket.
  EXPECT_EQ(ValueOf(page, name + "_bucket{family=\"test\",le=\"16.777216\"}"), 1u);
  EXPECT_LE(ValueOf(page, name + "_bucket{family=\"test\",le=\"0.000004\"}"),
            ValueOf(page, name + "_bucket{family=\"test\",le=\"0.000016\"}"));
}

TEST(Http, MetricsTakeAnyNameOfAKeyspace) {
  Served served;
  ASSERT_TRUE(served.database().CreateKeyspace("a\"b\\c\n\xff", {}).has_value());
  const std::string page = Get(served.http_port(), "/metrics");
  EXPECT_EQ(ValueOf(page, R"(mayfly_rows{keyspace="a\"b\\x5cc\\x0a\\xff"})"), 0u) << page;
}

TEST(Http, IsReadyUntilItStops) {
  Served served;
  EXPECT_TRUE(Get(served.http_port(), "/ready").ends_with("\r\n\r\nready\n"));
  served.server().stops = true;  // As Network::Stop() does first.
  EXPECT_TRUE(Get(served.http_port(), "/ready").starts_with("HTTP/1.1 503 "));
  EXPECT_TRUE(Get(served.http_port(), "/health").starts_with("HTTP/1.1 200 "));
  served.server().stops = false;
}

TEST(Http, OtherPathsAndMethodsAreRefused) {
  Served served;
  EXPECT_TRUE(Get(served.http_port(), "/nothing").starts_with("HTTP/1.1 404 "));
  const std::string refused = Get(served.http_port(), "/health", "POST");
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 405 ")) << refused;
  EXPECT_NE(refused.find("Allow: GET\r\n"), std::string::npos);
  EXPECT_EQ(Get(served.http_port(), "/health", "HEAD").find("ok\n"), std::string::npos);
}

TEST(Http, GarbageIsABadRequest) {
  Served served;
  TestClient client(served.http_port());
  client.Send("\x01\x02 nonsense\r\n\r\n");
  EXPECT_TRUE(client.ReadAll().starts_with("HTTP/1.1 400 "));
}

TEST(Http, HeadersHaveABound) {
  Served served;
  TestClient client(served.http_port());
  client.Send("GET / HTTP/1.1\r\nX: " + std::string(65'536, 'x') + "\r\n\r\n");
  const std::string response = client.ReadAll();
  EXPECT_TRUE(response.empty() || response.starts_with("HTTP/1.1 431 ")) << response;
}

TEST(HttpRouter, AHandlerThatThrowsIsAnError) {
  http::Router router;
  router.Add("GET", "/x",
             [](const http::Request&) -> http::Response { throw std::runtime_error("no luck"); });
  http::Exchange exchange;
  exchange.request.method = "GET";
  exchange.request.path = "/x";
  http::Exchange* const one[] = {&exchange};
  router.Answer(one);
  EXPECT_EQ(exchange.response->status, 500);
  EXPECT_EQ(exchange.response->body, "it failed: no luck\n");
}

}  // namespace
}  // namespace mayfly::server
