// catalog.h - the tables, on disk and in memory.
//   keyspace "tables": "table/" name -> description; "job/" id -> an upkeep's pending work;
//                      "place/" ... -> how far events have been processed;
//                      "versions" -> the last version, if it is ahead of the time
// A call on items uses a table: as long as the use is alive the table does not change. Changes wait
// for uses to end, and uses that come later wait for the change. Locks are taken in this order: a
// sweep, upkeep, changes of tables, use of a table, item latches, streams, transaction.
//
// Invariant: a description names keyspaces that exist. So a keyspace is created before the
// description that names it, and dropped after the one that named it is gone. What a crash leaves
// in between no description names, and Open() drops it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "mayfly/database.h"
#include "mayfly/tables.h"
#include "tables/schema/table.h"
#include "tables/schema/table_codec.h"

namespace mayfly::tables {

// Shared by the users of a table, exclusive to a change of it.
struct TableGate {
  std::mutex turnstile;  // Held by a change that waits, so that new uses queue behind it.
  std::shared_mutex gate;
};

// A table in the catalog. Shared by the catalog, uses and the current change.
struct TableEntry {
  TableGate gate;
  // Guarded by gate. Null: dropped.
  std::shared_ptr<const Table> table;
  StoredTable stored;
};

// Many at a time. A thread uses a table once: a second use while a change waits would deadlock.
class TableUse {
 public:
  const Table& operator*() const { return *table_; }
  const Table* operator->() const { return table_.get(); }

  TableUse(TableUse&&) noexcept = default;
  TableUse& operator=(TableUse&&) = delete;  // Would release a gate before its lock.

 private:
  friend class Catalog;
  explicit TableUse(std::shared_ptr<TableEntry> entry);

  std::shared_ptr<TableEntry> entry_;
  std::shared_lock<std::shared_mutex> lock_;
  std::shared_ptr<const Table> table_;
};

class Catalog {
 public:
  // Reads the stored tables, and drops keyspaces that a crash left behind.
  static Result<std::unique_ptr<Catalog>> Open(Database& database);

  // NotFound: "Requested resource not found: Table: NAME not found". A call that uses several
  // tables asks for them in the order of their names, each once.
  Result<TableUse> Use(const std::string& name);

  // In order, those behind `after`.
  std::vector<std::string> Names(const std::string& after = {},
                                 std::size_t names_max = SIZE_MAX) const;

  // Keyspace "tables".
  const Keyspace& rows() const { return *rows_; }
  Keyspace& rows() { return *rows_; }

  // What a change writes beside the description, in the same transaction.
  using AlsoWrite = std::function<Status(Transaction&)>;

  // Exclusive right to change tables, as long as it lives. Its table, if it has one, is not in use.
  class Change {
   public:
    const StoredTable& stored() const { return entry_->stored; }
    const Table& table() const { return *entry_->table; }

    Change(Change&&) noexcept = default;
    Change& operator=(Change&&) = delete;

    // Replaces the table's description. Keyspaces it names must exist; those that only the old one
    // named are dropped, or left for the next Open().
    Status Store(StoredTable next, const AlsoWrite& also = {});

    // Applies the policies of the stored description to its keyspaces. The next Open() repeats what
    // fails.
    Status ApplyPolicies();

    // Drops the table and its keyspaces.
    Status Drop(const AlsoWrite& also = {});

   private:
    friend class Catalog;
    Change(Catalog& catalog, std::unique_lock<std::mutex> alone)
        : catalog_(&catalog), alone_(std::move(alone)) {}

    Catalog* catalog_;
    std::unique_lock<std::mutex> alone_;
    std::shared_ptr<TableEntry> entry_;
    std::unique_lock<std::shared_mutex> lock_;
  };

  // NotFound as for Use().
  Result<Change> BeginChange(const std::string& name);

  // Busy when there is one of that name. Creates the keyspaces it names. `ready` is called when the
  // table is on disk, before a caller can use it.
  Status Create(const StoredTable& stored, const AlsoWrite& also,
                const std::function<Status(const Table&)>& ready);

  // Each table once. Call it before any table is used or changed.
  Status ForEach(const std::function<Status(const StoredTable&, const Table&)>& visit) const;

 private:
  Catalog(Database& database, std::shared_ptr<Keyspace> rows)
      : database_(database), rows_(std::move(rows)) {}

  Status Load();
  Status DropLeftovers();
  Status ApplyPolicies(const StoredTable& stored);
  Status KeepOwnPromise(std::optional<Millis> also = std::nullopt);
  Status WriteDescription(const StoredTable& stored, const AlsoWrite& also);
  std::shared_ptr<TableEntry> Find(const std::string& name) const;

  Database& database_;
  const std::shared_ptr<Keyspace> rows_;  // Shared with the database.
  std::mutex changes_mutex_;              // Held by a change.
  mutable std::shared_mutex names_mutex_;
  std::map<std::string, std::shared_ptr<TableEntry>> tables_;  // Guarded by names_mutex_.
};

// The keyspaces that a description names.
std::vector<std::string> KeyspacesOf(const StoredTable& stored);

// The policy of a keyspace that a description names.
KeyspacePolicy PolicyOf(const StoredTable& stored, const std::string& keyspace);

// The part of a table's promise that its streams get. A record of an item's end is written at its
// end, so it may live for a quarter of the promise, and its bytes stay for another; half is left
// for deaths to be noticed.
std::optional<Millis> StreamPromise(const TableSpec& spec);
Millis RecordTtl(const TableSpec& spec);

// Opens the keyspaces it names. Corruption when one is missing.
Result<std::shared_ptr<const Table>> OpenTable(Database& database, const StoredTable& stored);

}  // namespace mayfly::tables
