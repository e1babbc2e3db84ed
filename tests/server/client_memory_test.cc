// Goal: CLIENT LIST, INFO memory and MEMORY STATS show the memory of clients' buffers, and it is
// freed. Method: clients that send half a command, or do not read; others poll until they see it.
#include <gtest/gtest.h>

#include <thread>

#include "server/served.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kMany = 2'000'000;

class ClientMemory : public testing::Test {
 protected:
  // The number behind `name` in a reply of the admin.
  std::size_t Figure(const std::string& command, const std::string& name) {
    const std::string text = admin_.Text(command);
    const std::size_t at = text.find(name);
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos ? 0 : std::stoull(text.substr(at + name.size()));
  }
  std::size_t OfAll() { return Figure("INFO memory", "mem_clients_normal:"); }
  std::size_t OfOne(const std::string& name) {
    return Figure("CLIENT LIST ID " + id_, " " + name + "=");
  }

  template <typename Condition>
  void Await(Condition condition) {
    while (!condition()) std::this_thread::yield();
  }

  Served served_;
  TestClient admin_{served_.port()};
  std::optional<TestClient> client_{std::in_place, served_.port()};
  const std::string id_ = client_->Text("CLIENT ID");
};

TEST_F(ClientMemory, HalfACommandIsCounted) {
  EXPECT_GT(OfAll(), 0u);
  EXPECT_LT(OfAll(), kMany);
  client_->Send("*2\r\n$4\r\nECHO\r\n$3000000\r\n" + std::string(kMany, 'x'));
  Await([&] { return OfAll() >= kMany; });
  Await([&] { return OfOne("qbuf") >= kMany; });
  EXPECT_GE(OfOne("tot-mem"), OfOne("qbuf") + OfOne("qbuf-free"));
  EXPECT_GE(Figure("MEMORY STATS", "clients.normal, "), kMany);
  client_.reset();
  Await([&] { return OfAll() < kMany; });
}

TEST_F(ClientMemory, RepliesNobodyReadsAreCounted) {
  EXPECT_EQ(client_->Text("SET a " + std::string(kMany / 2, 'x')), "OK");
  std::string gets;
  for (int i = 0; i < 40; ++i) gets += "GET a\r\n";
  client_->Send(gets);
  Await([&] { return OfOne("omem") >= kMany; });
  EXPECT_GE(OfOne("tot-mem"), kMany);
  EXPECT_GE(OfAll(), kMany);
  for (int i = 0; i < 40; ++i) client_->ReadText();
  Await([&] { return OfOne("omem") == 0 && OfAll() < kMany; });
}

TEST_F(ClientMemory, WhatArrivesDuringAWaitIsCountedAndGivenBack) {
  client_->SendLine("BPOP a 0");
  served_.AwaitBlocked(1);
  client_->Send("*2\r\n$4\r\nECHO\r\n$2000000\r\n" + std::string(kMany, 'x') + "\r\n");
  Await([&] { return OfOne("qbuf") >= kMany; });
  EXPECT_GE(OfAll(), kMany);
  EXPECT_EQ(admin_.Text("SET a 1"), "OK");
  EXPECT_EQ(client_->ReadText(), "[a, 1]");
  EXPECT_EQ(client_->ReadText().size(), kMany);
  Await([&] { return OfAll() < kMany / 2; });
}

TEST_F(ClientMemory, ManyArgumentsAreForgottenWithTheirCommand) {
  constexpr int kArguments = 200'000;
  std::string del = "*" + std::to_string(kArguments) + "\r\n$3\r\nDEL\r\n";
  for (int i = 1; i < kArguments; ++i) del += "$1\r\nx\r\n";
  client_->Send(del);
  EXPECT_EQ(client_->ReadText(), "0");
  EXPECT_EQ(client_->Text("PING"), "PONG");
  Await([&] { return OfOne("tot-mem") < kArguments; });
}

TEST_F(ClientMemory, QueuedCommandsAreCounted) {
  EXPECT_EQ(client_->Text("MULTI"), "OK");
  EXPECT_EQ(client_->Text("SET a " + std::string(kMany, 'x')), "QUEUED");
  EXPECT_GE(OfOne("multi-mem"), kMany);
  EXPECT_GE(OfAll(), kMany);
  EXPECT_EQ(client_->Text("DISCARD"), "OK");
  Await([&] { return OfAll() < kMany; });
}

}  // namespace
}  // namespace mayfly::server
