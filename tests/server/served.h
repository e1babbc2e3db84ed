// served.h - a server on plain maps and a manual clock, listening on a free port.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <thread>

#include "mayfly/clock.h"
#include "mayfly/database.h"
#include "server/config/config.h"
#include "server/counting_database.h"
#include "server/plain_transaction_source.h"
#include "server/session/server.h"
#include "server/test_client.h"

namespace mayfly::server {

class Network;

class Served {
 public:
  using Settings = std::map<std::string, std::string>;

  // Throws when it does not start. The real clock measures how long commands take.
  explicit Served(const Settings& settings = {}, Publisher* publisher = nullptr,
                  const Clock& real_clock = SystemClock::Process());
  Served(const std::string& setting, const std::string& text) : Served(Settings{{setting, text}}) {}
  ~Served();
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  int port() const;
  int http_port() const;
  Server& server() { return *server_; }
  Config& config() { return config_; }
  PlainTransactionSource& transactions() { return transactions_; }
  ManualClock& clock() { return clock_; }
  Network& network() { return *network_; }
  CountingDatabase& database() { return *database_; }

  // Waits until Run() has returned.
  Status Join();

  // Waits until so many clients are blocked: their commands have run.
  void AwaitBlocked(std::size_t clients);

 private:
  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  Config config_;
  std::unique_ptr<CountingDatabase> database_;
  PlainTransactionSource transactions_{clock_};
  std::unique_ptr<Server> server_;
  std::unique_ptr<Network> network_;
  std::thread thread_;
  Status ended_;
};

}  // namespace mayfly::server
