// table_changes.h - creates, changes and drops tables.
// Writes follow a new description at once. Upkeep adds the deadlines or index entries that older
// items lack: its job is written together with the description (upkeep.h).
#pragma once

#include <string>

#include "mayfly/database.h"
#include "mayfly/tables.h"
#include "tables/schema/catalog.h"
#include "tables/streams/streams.h"

namespace mayfly::tables {

class TableChanges {
 public:
  TableChanges(Database& database, Catalog& catalog, Streams& streams)
      : database_(database), catalog_(catalog), streams_(streams) {}

  Status Create(const TableSpec& spec);
  Status Revise(const std::string& name, const TableDecision& decide);
  Result<TableDescription> Drop(const std::string& name, const TableCheck& check);

  // Removes ended streams that have no records left.
  Status ForgetEndedStreams(const std::string& name);

 private:
  struct Plan;

  Status PlanIndexes(const TableChange& change, Plan& plan) const;
  Status PlanTtl(const TableChange& change, Plan& plan) const;
  void PlanPromise(const TableChange& change, Plan& plan) const;
  Status PlanStream(const TableChange& change, Plan& plan) const;
  Status SetStatuses(const Table& table, Plan& plan) const;
  Status Apply(Catalog::Change& change, Plan& plan);

  Database& database_;
  Catalog& catalog_;
  Streams& streams_;
};

}  // namespace mayfly::tables
