// Goal: a server on a small disk that is full takes writes again once clients have deleted keys.
// Method: a database on a disk of 16 MiB that a test makes; real time, with a bound.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "core/new_database.h"
#include "engine/disk_engine.h"
#include "server/front_served.h"

namespace mayfly::server {
namespace {

constexpr std::chrono::seconds kPatience{30};

class FullDisk : public ::testing::TestWithParam<engine::DiskEngine> {
 protected:
  std::unique_ptr<Database> Open() {
    home_.disk().SetSize(std::uint64_t{16} << 20);
    const auto horizon = std::make_shared<core::DropHorizon>();
    auto engine = home_.Open(GetParam(), {.directory = directory_.Inside("db"),
                                          .profile = engine::Profile::kServer,
                                          .reserve_bytes = std::uint64_t{64} << 20,
                                          .drop_policy = horizon});
    if (!engine) throw std::runtime_error(engine.error().ToString());
    auto database = core::NewDatabase(*std::move(engine), {.horizon = horizon});
    if (!database) throw std::runtime_error(database.error().ToString());
    return *std::move(database);
  }

  // Letters that do not compress.
  std::string Value(std::size_t bytes) {
    std::string value = random_.Bytes(bytes);
    for (char& byte : value) byte = static_cast<char>('a' + (byte & 15));
    return value;
  }

  // Sets keys until one is refused; returns how many were set.
  int Fill(TestClient& client) {
    constexpr int kKeysMax = 10'000;
    for (int keys = 0; keys < kKeysMax; ++keys) {
      const std::string reply = client.Text("SET key" + std::to_string(keys) + " " +
                                            Value(random_.Between(10'000, 400'000)));
      if (reply == "OK") continue;
      EXPECT_NE(reply.find("the disk is full"), std::string::npos) << reply;
      return keys;
    }
    ADD_FAILURE() << "the disk never was full";
    return kKeysMax;
  }

  const std::uint64_t seed_ = FreshSeed();
  Random random_{seed_};
  TemporaryDirectory directory_;
  engine::EngineDisk home_;
};

TEST_P(FullDisk, ServesWritesAgainWhenAllKeysWereDeleted) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  FrontServed served({}, SilentLogger(), Open());
  TestClient client(served.port());
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    const int keys = Fill(client);
    for (int key = 0; key < keys; ++key) {
      ASSERT_EQ(client.Text("DEL key" + std::to_string(key)), "1") << key;
    }
    std::string reply;
    const auto began = std::chrono::steady_clock::now();
    do {
      reply = client.Text("SET again " + Value(1000));
    } while (reply != "OK" && std::chrono::steady_clock::now() - began < kPatience);
    ASSERT_EQ(reply, "OK");
    EXPECT_NE(client.Text("INFO").find("disk_full:0"), std::string::npos);
    EXPECT_EQ(client.Text("DBSIZE"), "1");
  }
}

INSTANTIATE_TEST_SUITE_P(EveryEngine, FullDisk,
                         ::testing::Values(engine::DiskEngine::kRocks, engine::DiskEngine::kHot),
                         [](const auto& tested) { return engine::NameOf(tested.param); });

}  // namespace
}  // namespace mayfly::server
