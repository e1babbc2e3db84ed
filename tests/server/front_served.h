// front_served.h - a whole server, with users, channels and scripts, in memory and on a free port.
// Two threads serve clients, so that of three clients two share one.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "mayfly/database.h"
#include "server/assembly/assembly.h"
#include "server/command/core_transaction_source.h"
#include "server/config/config.h"
#include "server/served.h"
#include "server/session/server.h"
#include "server/test_client.h"

namespace mayfly::server {

class FrontServed {
 public:
  // Throws when it does not start. Without a database, one in memory is made. `clock`: of rows, as
  // the database has it; it must outlive the server.
  explicit FrontServed(const Served::Settings& settings = {}, Logger& logger = SilentLogger(),
                       std::unique_ptr<Database> database = nullptr,
                       const Clock& clock = SystemClock::Process());
  FrontServed(const std::string& setting, const std::string& text)
      : FrontServed(Served::Settings{{setting, text}}) {}
  ~FrontServed();
  FrontServed(const FrontServed&) = delete;
  FrontServed& operator=(const FrontServed&) = delete;

  int port() const;
  Server& server() { return *server_; }
  Assembly& front() { return *front_; }
  Database& database() { return *database_; }
  Network& network() { return *network_; }

  // Waits until so many clients are blocked: their commands have run.
  void AwaitBlocked(std::size_t clients);

  // Waits until a script runs.
  void AwaitScript();

  // Waits until Run() has returned.
  Status Join();

 private:
  Config config_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<CoreTransactionSource> transactions_;
  std::unique_ptr<Assembly> front_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Network> network_;
  std::thread thread_;
  Status ended_;
};

}  // namespace mayfly::server
