// Clients: the cost of a command beside many idle, subscribed or blocked clients.
#include <string_view>

#include "growth.h"
#include "must.h"
#include "server/front_served.h"

namespace mayfly::bench {
namespace {

// A server in this process, many clients that have sent one command, and one that is measured.
class Crowd {
 public:
  // `said` is the command of each of the many; # stands for the client's number.
  Crowd(std::size_t clients, std::string_view said) : client_(served_.port()) {
    for (std::size_t i = 0; i < clients; ++i) {
      others_.push_back(std::make_unique<server::TestClient>(served_.port()));
      std::string line(said);
      line.replace(line.find('#'), 1, std::to_string(i));
      others_.back()->SendLine(line);
    }
  }

  server::FrontServed& served() { return served_; }
  void ReadOneEach() {
    for (const auto& other : others_) other->Read();
  }
  void Ask(const std::string& line) { client_.Ask(line); }

 private:
  server::FrontServed served_;
  server::TestClient client_;
  std::vector<std::unique_ptr<server::TestClient>> others_;
};

std::function<void(int)> AmongIdle(GrowthStage& /*stage*/, std::size_t size) {
  const auto crowd = std::make_shared<Crowd>(size, "ECHO #");
  crowd->ReadOneEach();
  return [crowd](int) { crowd->Ask("SET key value"); };
}

std::function<void(int)> AmongSubscribed(GrowthStage& /*stage*/, std::size_t size) {
  const auto crowd = std::make_shared<Crowd>(size, "SUBSCRIBE channel:#");
  crowd->ReadOneEach();
  return [crowd](int) { crowd->Ask("PUBLISH another message"); };
}

std::function<void(int)> AmongBlocked(GrowthStage& /*stage*/, std::size_t size) {
  const auto crowd = std::make_shared<Crowd>(size, "BLPOP queue:# 0");
  crowd->served().AwaitBlocked(size);
  return [crowd](int) { crowd->Ask("RPUSH another value"); };
}

}  // namespace

std::vector<GrowthCase> ClientGrowth() {
  // clang-format off
  return {
      {"client: a write among idle ones",        80, 2.0, AmongIdle,       1000, true},
      {"client: a message among other channels", 80, 2.0, AmongSubscribed, 1000, true},
      {"client: a push among blocked ones",      80, 2.0, AmongBlocked,    1000, true},
  };
  // clang-format on
}

}  // namespace mayfly::bench
