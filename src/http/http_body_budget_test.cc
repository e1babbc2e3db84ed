// Goal: the bodies that clients have begun, however many clients, take no more memory than one
// budget; clients that send little are served meanwhile, and slow bodies make room for others.
// Method: a server with a small budget, bodies sent in part over sockets; seconds of a tenth.
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <string>
#include <thread>

#include "http/body_budget.h"
#include "http/server.h"
#include "http/testing/raw_client.h"
#include "mayfly/logger.h"

namespace mayfly::http {
namespace {

constexpr std::size_t kBodyBytes = 100'000;
constexpr std::size_t kBudget = 4 * kBodyBytes;

TEST(BodyBudget, IsSharedBeyondWhatEachHasForNothing) {
  BodyBudget budget(1000);
  {
    BodyBudget::Share first(budget);
    BodyBudget::Share second(budget);
    EXPECT_TRUE(first.Hold(kBodyBytesFree));
    EXPECT_EQ(budget.used(), 0U);
    EXPECT_TRUE(first.Hold(kBodyBytesFree + 600));
    EXPECT_TRUE(budget.IsCrowded());
    EXPECT_FALSE(second.Hold(kBodyBytesFree + 401));
    EXPECT_EQ(budget.used(), 600U) << "a refusal takes nothing";
    EXPECT_TRUE(second.Hold(kBodyBytesFree + 400));
    EXPECT_TRUE(first.Hold(kBodyBytesFree + 100));
    EXPECT_EQ(budget.used(), 500U);
    EXPECT_FALSE(budget.IsCrowded());
  }
  EXPECT_EQ(budget.used(), 0U);
}

class Bodies : public testing::Test {
 protected:
  Bodies() {
    router_.Add("POST", "/",
                [](const Request& request) {
                  return Response{.body = "<" + std::to_string(request.body.size()) + ">"};
                },
                {.body_bytes_max = kBudget, .refuse = [](int status) {
                   return Response{.status = status, .body = "<refused>"};
                 }});
    EXPECT_TRUE(server_.Open("127.0.0.1", 0).ok());
    server_.Start(2);
  }
  ~Bodies() override { server_.Stop(); }

  // A request whose body lacks its last byte.
  RawClient& Begin(std::size_t body_bytes = kBodyBytes) {
    RawClient& client = clients_.emplace_back(server_.port());
    std::string request = Post("/", std::string(body_bytes, 'x'));
    request.pop_back();
    client.Send(request);
    return client;
  }

  template <typename Condition>
  void Await(const Condition& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!holds()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << server_.bodies_bytes();
      std::this_thread::yield();
    }
  }

  Router router_;
  Server server_{router_,
                 SilentLogger(),
                 {.bodies_bytes_max = kBudget, .tick = std::chrono::milliseconds(100)}};
  std::deque<RawClient> clients_;
};

TEST_F(Bodies, OfAllClientsTogetherAreBounded) {
  for (int i = 0; i < 3; ++i) Begin();
  Await([&] { return server_.bodies_bytes() >= 3 * (kBodyBytes - kBodyBytesFree); });
  RawClient large(server_.port());
  large.Send(Post("/", std::string(kBudget, 'x')));
  const std::string refused = large.ReadAll();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_TRUE(refused.ends_with("<refused>")) << refused;
  EXPECT_LE(server_.bodies_bytes(), kBudget);
  // Clients that send little, and clients that came before, are served.
  RawClient small(server_.port());
  small.Send(Post("/", std::string(10'000, 'x')));
  EXPECT_TRUE(small.ReadUntil(">").ends_with("<10000>"));
  for (RawClient& client : clients_) {
    client.Send("x");
    const std::string whole = client.ReadUntil(">");
    EXPECT_TRUE(whole.ends_with("<100000>")) << whole;
  }
  Await([&] { return server_.bodies_bytes() == 0; });
  RawClient later(server_.port());
  later.Send(Post("/", std::string(3 * kBodyBytes, 'x')));
  EXPECT_TRUE(later.ReadUntil(">").ends_with("<300000>"));
}

TEST_F(Bodies, InChunksCountAsWell) {
  RawClient& client = clients_.emplace_back(server_.port());
  client.Send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
  for (int i = 0; i < 6; ++i) client.Send(chunk);
  const std::string refused = client.ReadAll();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  Await([&] { return server_.bodies_bytes() == 0; });
}

TEST_F(Bodies, ThatAreSlowMakeRoomWhenItIsNeeded) {
  RawClient& little = Begin(1000);  // Within its allowance.
  // Each has room alone; the two together use more than half, until one of them is given up.
  Begin(2 * kBodyBytes);
  Begin(2 * kBodyBytes);
  Await([&] { return server_.bodies_bytes() > kBudget / 2; });
  Await([&] { return server_.bodies_bytes() <= kBudget / 2; });
  little.Send("x");  // Sooner than any body would be given up where there is room.
  EXPECT_TRUE(little.ReadUntil(">").ends_with("<1000>"));
}

TEST_F(Bodies, ThatAreSlowAreWaitedForWhileThereIsRoom) {
  RawClient& slow = Begin();
  // Longer than a crowded server would wait; it counts on a timer of its own.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  slow.Send("x");
  EXPECT_TRUE(slow.ReadUntil(">").ends_with("<100000>"));
}

TEST_F(Bodies, OfClientsThatLeaveAreForgotten) {
  for (int i = 0; i < 3; ++i) Begin();
  Await([&] { return server_.bodies_bytes() > 2 * kBodyBytes; });
  clients_.clear();
  Await([&] { return server_.bodies_bytes() == 0; });
}

}  // namespace
}  // namespace mayfly::http
