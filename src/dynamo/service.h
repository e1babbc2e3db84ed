// service.h - DynamoDB's API on a database's tables: POST / with X-Amz-Target and JSON.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "dynamo/json.h"
#include "dynamo/reply.h"
#include "dynamo/signature.h"
#include "http/router.h"
#include "mayfly/clock.h"
#include "mayfly/logger.h"
#include "mayfly/tables.h"

namespace mayfly::dynamo {

struct ServiceOptions {
  Secrets secrets = {};  // Empty: requests need no signature.
  // Without secrets: whether somebody from another machine could ask. Then everything is refused.
  bool open_to_strangers = false;
};

// Safe from any thread.
class Service {
 public:
  // All must outlive it.
  Service(Tables& tables, const Clock& clock, Logger& logger, ServiceOptions options = {});
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  http::Response Answer(const http::Request& request);

  // Adds POST /. The service must outlive the router's use.
  void Mount(http::Router& router);

 private:
  http::Response Write(int status, const Reply& body);
  void Authorize(const http::Request& request) const;
  Reply Run(const http::Request& request) const;
  std::string NewRequestId();

  Tables& tables_;
  const Clock& clock_;
  Logger& logger_;
  const ServiceOptions options_;
  const std::uint64_t seed_;
  std::atomic<std::uint64_t> requests_{0};
};

}  // namespace mayfly::dynamo
