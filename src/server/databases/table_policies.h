// table_policies.h - the promises of tables, for commands. The server knows no tables; the program
// that serves both provides this.
#pragma once

#include <optional>
#include <string>

#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::server {

// Safe to call from any thread.
class TablePolicies {
 public:
  virtual ~TablePolicies() = default;

  // Nothing: no promise. NotFound: there is no such table.
  virtual Result<std::optional<Millis>> PurgeWithin(const std::string& table) = 0;
  virtual Status SetPurgeWithin(const std::string& table, std::optional<Millis> promise) = 0;
};

}  // namespace mayfly::server
