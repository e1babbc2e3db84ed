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

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/clock.h"
#include "mayfly/item.h"
#include "mayfly/maintenance.h"
#include "mayfly/result.h"

namespace mayfly {

class Database;

// The type of a key attribute. Stored; append, never renumber.
enum class KeyType : std::uint8_t { kString = 0, kNumber = 1, kBinary = 2 };

// An attribute of a table's or an index's key.
struct KeyAttribute {
  std::string name;
  KeyType type = KeyType::kString;
  friend bool operator==(const KeyAttribute&, const KeyAttribute&) = default;
};

// The attributes an index holds beside the keys of the table and its own.
struct IndexProjection {
  enum class Kind : std::uint8_t { kAll = 0, kKeysOnly = 1, kInclude = 2 };
  Kind kind = Kind::kAll;
  std::vector<std::string> attributes = {};  // For kInclude.
  friend bool operator==(const IndexProjection&, const IndexProjection&) = default;
};

// A secondary index. An item that lacks one of its key attributes is not in it. A local index has
// the partition key of its table.
struct IndexSpec {
  std::string name;
  KeyAttribute partition;
  std::optional<KeyAttribute> sort = std::nullopt;
  IndexProjection projection = {};
  friend bool operator==(const IndexSpec&, const IndexSpec&) = default;
};

// When an item whose instant has passed disappears.
enum class TtlMode : std::uint8_t {
  kExact = 0,  // At that instant.
  // When a sweep removes it, as on AWS: until then it is visible. An instant more than five years
  // past is ignored.
  kUntilSwept = 1,
};

// The images of an item that the records of a stream carry.
enum class StreamView : std::uint8_t {
  kOff = 0,
  kKeysOnly = 1,
  kNewImage = 2,
  kOldImage = 3,
  kNewAndOldImages = 4,
};

// Constrains the items whose partition key, a string, begins with `prefix`. Of several schemas that
// match, the one with the longest prefix applies.
struct PartitionSchema {
  struct Attribute {
    std::string name;
    AttributeType type = AttributeType::kString;
    bool required = false;
    friend bool operator==(const Attribute&, const Attribute&) = default;
  };
  std::string prefix;
  std::vector<Attribute> attributes;
  bool only_these = false;  // Refuses other attributes, except keys and the ttl attribute.
  friend bool operator==(const PartitionSchema&, const PartitionSchema&) = default;
};

// A table's definition.
struct TableSpec {
  std::string name;  // 3 to 255 of a-z A-Z 0-9 _ - .
  KeyAttribute partition;
  std::optional<KeyAttribute> sort = std::nullopt;
  std::string ttl_attribute = {};  // Empty: items live until they are deleted.
  TtlMode ttl_mode = TtlMode::kExact;
  std::vector<IndexSpec> global_indexes = {};
  std::vector<IndexSpec> local_indexes = {};
  StreamView stream = StreamView::kOff;
  std::vector<PartitionSchema> schemas = {};
  // A promise, as KeyspacePolicy::purge_within: this long after an item's end no byte of it is left
  // in the table, its indexes and its streams. At least one second; with a stream, four. Records of
  // a stream then live for a quarter of it. A longer promise made later does not lengthen that: end
  // the stream and begin another.
  std::optional<Millis> purge_within = std::nullopt;
  // Free-form data of the caller, stored with the table: tags, billing.
  std::map<std::string, std::string> notes = {};
  friend bool operator==(const TableSpec&, const TableSpec&) = default;
};

enum class IndexStatus : std::uint8_t { kActive = 0, kCreating = 1 };
enum class TtlStatus : std::uint8_t { kDisabled = 0, kEnabling = 1, kEnabled = 2, kDisabling = 3 };

// A table's definition, state and size at the time of a call.
struct TableDescription {
  struct Index {
    IndexStatus status = IndexStatus::kActive;
    std::uint64_t items = 0;
    std::uint64_t bytes = 0;
  };
  TableSpec spec;
  std::string id;  // A UUID. A later table of the same name has another.
  WallTime created_at;
  std::uint64_t items = 0;  // Living items, exactly.
  std::uint64_t bytes = 0;  // Approximate.
  TtlStatus ttl_status = TtlStatus::kDisabled;
  std::map<std::string, Index> indexes;  // By name.
  std::string stream_label;              // Of the newest stream; empty: the table never had one.
};

// A change of a table's definition. A field without a value leaves its part unchanged.
struct TableChange {
  std::optional<IndexSpec> add_global_index = std::nullopt;  // Filled online: see RunUpkeep().
  std::string drop_global_index = {};
  std::optional<StreamView> stream = std::nullopt;
  // Empty: items no longer expire. Deadlines of existing items are changed online.
  std::optional<std::string> ttl_attribute = std::nullopt;
  std::optional<TtlMode> ttl_mode = std::nullopt;
  std::optional<std::vector<PartitionSchema>> schemas = std::nullopt;
  std::optional<Millis> purge_within = std::nullopt;  // 0: no promise.
  std::optional<std::map<std::string, std::string>> notes = std::nullopt;
};

// Computes a change from the table's current definition. If it returns an error, nothing changes
// and the caller gets the error. It must not call Tables.
using TableDecision = std::function<Result<TableChange>(const TableSpec& now)>;

// Checks the current definition of a table before it is dropped. If it returns an error, the table
// stays and the caller gets the error. It must not call Tables.
using TableCheck = std::function<Status(const TableSpec& now)>;

// Placeholders of a request's expressions. One that no expression uses is Invalid.
struct ExpressionArguments {
  std::map<std::string, std::string> names = {};      // "#n" to an attribute's name.
  std::map<std::string, AttributeValue> values = {};  // ":v" to a value.
};

// The attributes that WriteOutcome::attributes has after a write, as in DynamoDB.
enum class ReturnValues : std::uint8_t { kNone, kAllOld, kUpdatedOld, kAllNew, kUpdatedNew };

// The attributes that are returned when a condition does not hold: none, or all of the stored item.
enum class OnFailure : std::uint8_t { kNone, kAllOld };

// Writes a whole item, replacing one with the same key.
struct PutItemRequest {
  std::string table;
  Item item;
  std::string condition = {};
  ExpressionArguments arguments = {};
  // Writes only if the stored item has this version; 0: only if there is no item. Nothing: always.
  std::optional<std::uint64_t> expected_version = std::nullopt;
  ReturnValues return_values = ReturnValues::kNone;  // Or kAllOld.
  OnFailure on_failure = OnFailure::kNone;
};

// Deletes an item, if it exists.
struct DeleteItemRequest {
  std::string table;
  Item key;
  std::string condition = {};
  ExpressionArguments arguments = {};
  std::optional<std::uint64_t> expected_version = std::nullopt;  // See PutItemRequest.
  ReturnValues return_values = ReturnValues::kNone;              // Or kAllOld.
  OnFailure on_failure = OnFailure::kNone;
};

// Changes attributes of an item. Creates the item if it does not exist.
struct UpdateItemRequest {
  std::string table;
  Item key;
  std::string update = {};  // SET, REMOVE, ADD, DELETE. Empty: changes no attribute.
  std::string condition = {};
  ExpressionArguments arguments = {};
  std::optional<std::uint64_t> expected_version = std::nullopt;  // See PutItemRequest.
  ReturnValues return_values = ReturnValues::kNone;
  OnFailure on_failure = OnFailure::kNone;
};

// A part of a transaction that checks a condition and writes nothing.
struct ConditionCheck {
  std::string table;
  Item key;
  std::string condition;
  ExpressionArguments arguments = {};
  OnFailure on_failure = OnFailure::kNone;
};

// The outcome of one write. A condition that does not hold is an outcome, not an error.
struct WriteOutcome {
  bool written = true;  // False: the condition, or the expected version, did not hold.
  // As ReturnValues asks; if not written, the stored item, as OnFailure asks.
  std::optional<Item> attributes;
  std::uint64_t version = 0;  // Of the item after the call; 0: there is none.
  std::uint64_t bytes = 0;    // The item's size before or after, whichever is larger.
};

struct GetItemRequest {
  std::string table;
  Item key;
  std::string projection = {};
  ExpressionArguments arguments = {};
};

// The result of reading one key.
struct FoundItem {
  std::optional<Item> item;   // Nothing: no living item.
  std::uint64_t version = 0;  // Grows with every write, also across deletion and expiry.
  std::uint64_t bytes = 0;    // Of the whole item, before the projection.
};

// Reads the items of one partition, in the order of the sort key.
struct QueryRequest {
  std::string table;
  std::string index = {};  // Empty: the table itself.
  std::string key_condition;
  std::string filter = {};
  std::string projection = {};
  ExpressionArguments arguments = {};
  bool forward = true;
  bool count_only = false;
  bool consistent = false;  // All reads are consistent. True is Invalid with a global index.
  std::optional<std::uint64_t> limit = std::nullopt;  // Items read, before the filter.
  std::optional<Item> start_after = std::nullopt;     // ItemPage::last_key of the page before.
  // With an index: returns whole items, with attributes that it does not project. For a local index
  // they are read from the table; Invalid with a global index that does not project all.
  bool all_attributes = false;
};

// Reads all items of a table or an index. See QueryRequest for the fields both have.
struct ScanRequest {
  std::string table;
  std::string index = {};
  std::string filter = {};
  std::string projection = {};
  ExpressionArguments arguments = {};
  bool count_only = false;
  bool consistent = false;
  std::optional<std::uint64_t> limit = std::nullopt;
  std::optional<Item> start_after = std::nullopt;
  std::uint32_t segment = 0;  // Reads this one of `segments`, which together make up the table.
  std::uint32_t segments = 1;
  bool all_attributes = false;
};

// One page of a query or scan.
struct ItemPage {
  std::vector<Item> items;       // Empty with count_only.
  std::uint64_t count = 0;       // Items that passed the filter.
  std::uint64_t scanned = 0;     // Items read, before the filter.
  std::uint64_t bytes = 0;       // Of the items read. A page ends after a megabyte.
  std::optional<Item> last_key;  // More items may follow this one. Nothing: the last page.
};

// One action of TransactWriteItems().
struct TransactWrite {
  std::variant<PutItemRequest, UpdateItemRequest, DeleteItemRequest, ConditionCheck> action;
};

// The outcome of TransactWriteItems(). Conditions that do not hold are an outcome, not an error.
struct TransactOutcome {
  enum class Reason : std::uint8_t { kNone, kConditionFailed, kInvalid };
  struct Verdict {
    Reason reason = Reason::kNone;
    std::string message = {};
    std::optional<Item> item = std::nullopt;  // As OnFailure asks.
  };
  bool written = true;               // All actions, or with false none.
  std::vector<Verdict> verdicts;     // One per action. All kNone when written.
  std::vector<std::uint64_t> bytes;  // One per action; see WriteOutcome::bytes.
};

// One change of one item, in a stream.
struct StreamRecord {
  enum class Kind : std::uint8_t { kInsert = 0, kModify = 1, kRemove = 2 };
  std::uint64_t sequence = 0;  // Grows within a stream.
  Kind kind = Kind::kInsert;
  bool by_ttl = false;  // A kRemove by expiry, not by a delete.
  WallTime at;
  Item keys;
  std::optional<Item> old_image;  // As the stream's view asks.
  std::optional<Item> new_image;
  std::uint64_t bytes = 0;
};

// A stream's definition and range at the time of a call.
struct StreamDescription {
  std::string table;
  std::string label;  // Distinguishes the streams of one table.
  StreamView view = StreamView::kOff;
  bool enabled = true;  // False: the stream has ended and gets no more records.
  Item key_schema;      // Names of the key attributes to "HASH" and "RANGE".
  WallTime created_at;
  std::uint64_t first_sequence = 0;  // Of the oldest record kept; without records, next_sequence.
  std::uint64_t next_sequence = 0;   // Of the next record; of an ended stream, one past its last.
};

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
