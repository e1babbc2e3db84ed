// tables.h - tables of items on a database: keys, conditions, indexes, and an attribute that says
// when an item dies.
//
//   auto tables = mayfly::Tables::Open(database);
//   (*tables)->CreateTable({.name = "sessions", .partition = {"id", KeyType::kString},
//                           .ttl_attribute = "expires"});
//   (*tables)->PutItem({.table = "sessions", .item = {{"id", "7"}, {"user", "alice"}}});
//   (*tables)->SetTtl("sessions", {{"id", "7"}}, 30min);
//
// The ttl attribute holds seconds since the epoch, as a number; fractions count. From that instant
// on the item is gone, for every call: get, query, scan, indexes, conditions, transactions, counts.
// The item lives for ever if the attribute is missing, is 0 or no number, or names an instant past
// the end of time. A put whose instant has passed leaves no item.
//
// Expressions and limits are DynamoDB's, and so are the texts of errors about them: items up to 400
// KB, partition keys up to 2048 bytes, sort keys up to 1024, 32 levels of nesting. Errors all calls
// share: NotFound when the table does not exist; Invalid when the request is wrong, and nothing is
// written; Busy when other threads keep changing these items; Corruption and IoError when the
// storage fails. Safe from any thread, except from callbacks of the database's events: a write to
// the table may be waiting for the callback.
//
// Streams, and sweeps in mode kUntilSwept, learn of deaths from the database's events, which stay
// until Database::TrimEvents() removes them: see SweepExpired().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mayfly/clock.h"
#include "mayfly/item.h"
#include "mayfly/result.h"
#include "mayfly/table_requests.h"
#include "mayfly/table_spec.h"

namespace mayfly {

class Database;

// The handle of a thread started by Tables::StartReaper(). Its destructor stops the thread.
class TableReaper {
 public:
  virtual ~TableReaper() = default;

  // Returns once everything that was due at this call is done. Safe from any thread, except, as the
  // destructor, from callbacks of the database's events.
  virtual void AwaitIdle() = 0;
};

struct TableReaperOptions {
  bool reap = true;  // Also starts the database's reaper. False: the caller runs it, or purges.
  Millis sweep_every = Millis(1000);  // The pause between sweeps of tables in mode kUntilSwept.
  // Measures the pauses, whatever clock the database has. Null: the system's clock. Must outlive
  // the reaper.
  const Clock* clock = nullptr;
};

// The tables of a database. See the top of this file for shared errors and threads.
class Tables {
 public:
  // Opens the tables of `database`, which must outlive the result. Busy while another Tables of
  // this database is open.
  static Result<std::unique_ptr<Tables>> Open(Database& database);

  virtual ~Tables() = default;
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  // Creates a table. Busy when a table of that name exists.
  virtual Result<TableDescription> CreateTable(const TableSpec& spec) = 0;
  virtual Result<TableDescription> DescribeTable(const std::string& name) = 0;
  // Returns names of tables in order: those after `after`, at most `tables_max`.
  virtual Result<std::vector<std::string>> ListTables(const std::string& after = {},
                                                      std::size_t tables_max = SIZE_MAX) = 0;
  // Changes a table's definition. NotFound also when the index to drop does not exist.
  virtual Result<TableDescription> UpdateTable(const std::string& name,
                                               const TableChange& change) = 0;
  // Changes a table's definition by a function of the current one, atomically: for example, to add
  // to the notes instead of replacing them.
  virtual Result<TableDescription> ReviseTable(const std::string& name,
                                               const TableDecision& decide) = 0;
  // Drops a table with all its items at once, unless `check` returns an error. Returns the table's
  // last description.
  virtual Result<TableDescription> DropTable(const std::string& name,
                                             const TableCheck& check = {}) = 0;

  // Each of the three writes one item atomically, and reports a condition that does not hold in
  // WriteOutcome::written.
  virtual Result<WriteOutcome> PutItem(const PutItemRequest& request) = 0;
  virtual Result<WriteOutcome> UpdateItem(const UpdateItemRequest& request) = 0;
  virtual Result<WriteOutcome> DeleteItem(const DeleteItemRequest& request) = 0;

  // Reads one item. A missing item is an empty FoundItem, not an error.
  virtual Result<FoundItem> GetItem(const GetItemRequest& request) = 0;

  // Reads up to 100 items, each key once, from one state. Returns one result per request, in order.
  virtual Result<std::vector<FoundItem>> BatchGetItem(
      const std::vector<GetItemRequest>& requests) = 0;
  // Puts and deletes up to 25 items without conditions, each key once. Each write is atomic, all of
  // them together are not. Returns one outcome per request, in order.
  virtual Result<std::vector<WriteOutcome>> BatchWriteItem(
      const std::vector<std::variant<PutItemRequest, DeleteItemRequest>>& requests) = 0;

  // Reads up to 100 items, each key once and 4 MB in total, from one state. Returns one result per
  // request, in order.
  virtual Result<std::vector<FoundItem>> TransactGetItems(
      const std::vector<GetItemRequest>& requests) = 0;
  // Applies up to 100 actions, each on another key, as one, or none. Their items may have 4 MB in
  // total; each counts with its size before or after, whichever is larger. If `token` was used for
  // a successful call within the last ten minutes, nothing is written and that call's outcome is
  // returned; Conflict if the actions differ from that call's. A failed call leaves its token
  // unused.
  virtual Result<TransactOutcome> TransactWriteItems(const std::vector<TransactWrite>& actions,
                                                     const std::string& token = {}) = 0;

  // Each of the two returns one page. For the next page, pass its last_key as start_after.
  virtual Result<ItemPage> Query(const QueryRequest& request) = 0;
  virtual Result<ItemPage> Scan(const ScanRequest& request) = 0;

  // Returns the partition keys that have a living item, once each, in the table's order: those
  // after `after`, at most `keys_max`.
  virtual Result<std::vector<AttributeValue>> ListPartitionKeys(
      const std::string& table, const std::optional<AttributeValue>& after = std::nullopt,
      std::size_t keys_max = 1000) = 0;

  // Lists "folders": of each string sort key that begins with `prefix`, the part before the first
  // `delimiter` after the prefix, prefix included; the whole key if it has none. Once each, in key
  // order, at most `prefixes_max`.
  virtual Result<std::vector<std::string>> ListSortKeyPrefixes(const std::string& table,
                                                               const AttributeValue& partition,
                                                               const std::string& delimiter,
                                                               const std::string& prefix = {},
                                                               std::size_t prefixes_max = 1000) = 0;

  // Sets the ttl attribute so that the item dies `ttl` from now, in seconds rounded up. NotFound
  // when there is no living item: none is created. Invalid when the table has no ttl attribute, or
  // the ttl is not positive.
  virtual Status SetTtl(const std::string& table, const Item& key, Millis ttl) = 0;
  // Removes the ttl attribute. True when the item had one; NotFound when there is no living item.
  virtual Result<bool> RemoveTtl(const std::string& table, const Item& key) = 0;
  // Returns the time the item has left, or kForever. NotFound when there is no living item.
  virtual Result<Millis> GetTtl(const std::string& table, const Item& key) = 0;

  // Removes up to `items_max` dead items, oldest first; O(dead). Returns how many. In mode
  // kUntilSwept this is when items disappear. If the events of deaths were trimmed before a sweep
  // read them, the sweeps search the whole table for these items, 1024 items each; until found they
  // stay visible. RunUpkeep() completes that search.
  virtual Result<std::uint64_t> SweepExpired(const std::string& table,
                                             std::uint64_t items_max = UINT64_MAX) = 0;

  // Starts a thread that purges dead items of all tables, sweeps those in mode kUntilSwept, writes
  // deaths to streams, and does what RunUpkeep() does. Busy while another one runs. The thread ends
  // with the handle.
  virtual Result<std::unique_ptr<TableReaper>> StartReaper(
      const TableReaperOptions& options = {}) = 0;

  // Does on the calling thread what a TableReaper does in the background: fills new indexes, gives
  // items the deadlines of a new ttl attribute, searches for dead items that sweeps missed, writes
  // deaths to streams. Up to `items_max` items; returns how many are known to be left, at least 1
  // while there are any.
  virtual Result<std::uint64_t> RunUpkeep(std::uint64_t items_max = UINT64_MAX) = 0;

  // Lists the streams of a table, ended ones included while records are left. Empty: of all tables.
  virtual Result<std::vector<StreamDescription>> ListStreams(const std::string& table = {}) = 0;
  // Describes a stream. NotFound when it does not exist.
  virtual Result<StreamDescription> DescribeStream(const std::string& table,
                                                   const std::string& label) = 0;
  // Reads records in order, from `sequence` on: at most `records_max`, and about a megabyte. Empty:
  // there are none yet. Records live for a day, or less (TableSpec::purge_within). NotFound when
  // the stream does not exist.
  virtual Result<std::vector<StreamRecord>> ReadStream(const std::string& table,
                                                       const std::string& label,
                                                       std::uint64_t sequence,
                                                       std::size_t records_max) = 0;

 protected:
  Tables() = default;
};

}  // namespace mayfly
