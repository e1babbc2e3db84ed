// Goal: without a password, clients of other machines are refused.
// Method: a server on an address of this machine that is not loopback, reached from itself.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <array>
#include <string>

#include "server/served.h"

namespace mayfly::server {
namespace {

// Empty: this machine has none.
std::string AddressOfThisMachine() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return "";
  std::string found;
  for (const ifaddrs* one = all; one != nullptr && found.empty(); one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    if ((one->ifa_flags & IFF_LOOPBACK) != 0 || (one->ifa_flags & IFF_UP) == 0) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* const address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    ::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
    found = text.data();
  }
  ::freeifaddrs(all);
  return found;
}

class ProtectedMode : public testing::Test {
 protected:
  void SetUp() override {
    if (outside_.empty()) GTEST_SKIP() << "this machine has loopback addresses alone";
  }

  // The reply to a client from outside: to its PING, or the refusal.
  std::string Hear(Served& served) {
    TestClient client(outside_, served.port());
    client.Send("PING\r\nQUIT\r\n");
    const std::string heard = client.ReadAll();
    return heard.substr(0, heard.find_first_of(" \r"));
  }

  Served::Settings With(Served::Settings settings) const {
    settings["bind"] = outside_ + " 127.0.0.1";
    return settings;
  }

  const std::string outside_ = AddressOfThisMachine();
};

TEST_F(ProtectedMode, TurnsStrangersAwayWhileThereIsNoPassword) {
  Served served(With({}));
  EXPECT_EQ(Hear(served), "-DENIED");
  EXPECT_NE(TestClient(served.port()).Text("INFO stats").find("rejected_connections:1\r\n"),
            std::string::npos);
}

TEST_F(ProtectedMode, LetsThemInWhenThereIsOne) {
  Served served(With({{"requirepass", "secret"}}));
  EXPECT_EQ(Hear(served), "-NOAUTH");
}

TEST_F(ProtectedMode, CanBeSwitchedOffWhileItRuns) {
  Served served(With({}));
  EXPECT_EQ(TestClient(served.port()).Text("CONFIG SET protected-mode no"), "OK");
  EXPECT_EQ(Hear(served), "+PONG");
  EXPECT_EQ(TestClient(served.port()).Text("CONFIG SET protected-mode yes"), "OK");
  EXPECT_EQ(Hear(served), "-DENIED");
}

}  // namespace
}  // namespace mayfly::server
