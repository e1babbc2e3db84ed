// service.h - DynamoDB's API on a database's tables: POST / with X-Amz-Target and JSON.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/json/json.h"
#include "dynamo/json/refusal.h"
#include "dynamo/operations/operation_runner.h"
#include "dynamo/requests/reply.h"
#include "dynamo/requests/signature.h"
#include "dynamo/requests/write_queue.h"
#include "dynamo/transport.h"
#include "http/router.h"
#include "mayfly/clock.h"
#include "mayfly/logger.h"
#include "tables/protocol_tables.h"

namespace mayfly::dynamo {

struct ServiceOptions {
  Secrets secrets = {};  // Empty: requests need no signature.
  // Without secrets: whether the server is reachable from another machine. Then everything is
  // refused.
  bool open_to_strangers = false;
  // In ARNs, and demanded of signatures. Empty: any signature's, and ARNs say kDefaultRegion.
  std::string region = {};
  // Origins whose pages may read responses, with commas between them (transport.h).
  std::string origins = {};
  // Called before writes are acknowledged, once for all that are answered together. Its error is
  // returned to their clients. Empty: they are as durable as the database makes them by itself.
  std::function<Status()> make_durable = nullptr;
  // Called for every request once it has its response: the operation, empty for one that is not
  // offered; the time since its group's turn began, by `real_clock`; the HTTP status.
  std::function<void(std::string_view, std::chrono::nanoseconds, int)> on_answered = nullptr;
  const Clock* real_clock = nullptr;  // Must be set with on_answered.
  // Answers the operations that it takes, in place of the tables. Null: the tables answer all. It must
  // outlive the service.
  OperationRunner* runner = nullptr;
};

// Safe to call from any thread.
class Service {
 public:
  // All must outlive it.
  Service(tables::ProtocolTables& tables, const Clock& clock, Logger& logger,
          ServiceOptions options = {});
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // As http::GroupHandler: writes of single items that are requested together share commits.
  void Answer(std::span<http::Exchange* const> exchanges);

  // Adds POST, OPTIONS and GET of /. The service must outlive the router's use.
  void Mount(http::Router& router);

 private:
  // The state of one call of Answer().
  struct Round {
    WriteQueue writes;
    std::vector<http::Exchange*> run;  // By the runner: one for each of the next.
    std::vector<RunnerCall> calls;
    std::vector<http::Exchange*> acknowledged;  // Responses that acknowledge a write.
    std::size_t bytes = 0;                      // Of responses.
  };

  Outcome<void> Run(http::Exchange& exchange, Round& round);
  void DoWrites(Round& round);
  void RunCalls(Round& round);
  void MakeDurable(const Round& round);
  void Report(std::span<http::Exchange* const> exchanges, SteadyTime begun) const;
  void Respond(http::Exchange& exchange, Round& round, const Outcome<Reply>& outcome);
  http::Response Refuse(const http::Request& request, const Refusal& refusal);
  http::Response Healthy();
  Outcome<void> Authorize(const http::Request& request) const;
  // Responses to requests that could not be read have no request.
  http::Response Write(const http::Request* request, int status, std::string body);
  std::string NewRequestId();

  tables::ProtocolTables& tables_;
  const Clock& clock_;
  Logger& logger_;
  const ServiceOptions options_;
  const std::string region_;
  const Origins origins_;
  const std::uint64_t seed_;
  std::atomic<std::uint64_t> requests_{0};
};

}  // namespace mayfly::dynamo
