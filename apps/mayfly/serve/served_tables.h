// served_tables.h - the tables of DynamoDB's API, for commands of the server: TTL.POLICY TABLE and
// TTL.TABLE.
#pragma once

#include <optional>
#include <string>

#include "dynamo/service.h"
#include "mayfly/tables.h"
#include "server/databases/table_operations.h"
#include "server/databases/table_policies.h"

namespace mayfly::app {

class ServedTables final : public server::TablePolicies, public server::TableOperations {
 public:
  // Both must outlive it. The service asks for no signature: its callers are users of ACL.
  ServedTables(Tables& tables, dynamo::Service& service) : tables_(tables), service_(service) {}

  Result<std::optional<Millis>> PurgeWithin(const std::string& table) override;
  Status SetPurgeWithin(const std::string& table, std::optional<Millis> promise) override;

  Result<std::string> Run(Access access, Bytes operation, Bytes json) override;

 private:
  Tables& tables_;
  dynamo::Service& service_;
};

}  // namespace mayfly::app
