// table_service.h - the operations on tables, apart from the calls on their items.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mayfly/database.h"
#include "mayfly/tables.h"
#include "tables/items/item_context.h"
#include "tables/table_changes.h"
#include "tables/upkeep/sweeper.h"
#include "tables/upkeep/table_reaper_impl.h"
#include "tables/upkeep/upkeep.h"

namespace mayfly::tables {

// The calls are those of mayfly/tables.h.
class TableService {
 public:
  static Result<std::unique_ptr<TableService>> Open(Database& database);
  ~TableService();  // Stops a reaper that still runs.

  const ItemContext& context() const { return context_; }

  Result<TableDescription> CreateTable(const TableSpec& spec);
  Result<TableDescription> DescribeTable(const std::string& name);
  Result<TableDescription> UpdateTable(const std::string& name, const TableChange& change);
  Result<TableDescription> ReviseTable(const std::string& name, const TableDecision& decide);
  Result<TableDescription> DropTable(const std::string& name, const TableCheck& check);
  std::vector<std::string> ListTables(const std::string& after, std::size_t tables_max);

  Result<std::uint64_t> SweepExpired(const std::string& table, std::uint64_t items_max);
  Result<std::uint64_t> RunUpkeep(std::uint64_t items_max);
  Result<std::unique_ptr<TableReaper>> StartReaper(const TableReaperOptions& options);

  Result<std::vector<StreamDescription>> ListStreams(const std::string& table);
  Streams& streams() { return streams_; }

 private:
  TableService(Database& database, std::unique_ptr<Lease> lease, std::unique_ptr<Catalog> catalog);

  Status LoadVersions();
  // Stores the last version if the time alone would not put the next run behind it.
  Status KeepVersions();
  Result<bool> SweepSome();
  bool HasSweeps();
  void WakeReaper();

  Database& database_;
  // Latches, gates and positions in the event log are in memory, so only one may be open.
  const std::unique_ptr<Lease> lease_;
  const std::unique_ptr<Catalog> catalog_;
  ItemLatches latches_;
  ItemVersions versions_;
  std::atomic<std::uint64_t> kept_versions_{0};  // As stored.
  Streams streams_;
  const ItemContext context_;
  TableChanges changes_;
  Upkeep upkeep_;
  Sweeper sweeper_;
  std::mutex reaper_mutex_;
  std::weak_ptr<TableReaperImpl> reaper_;  // Shared with its handle. Guarded by reaper_mutex_.
};

}  // namespace mayfly::tables
