// tables.h - tables of items on a database: keys, conditions, indexes, and an attribute that says
// when an item dies.
//
//   auto tables = mayfly::Tables::Open(database);
//   (*tables)->CreateTable({.name = "sessions", .partition = {"id", KeyType::kString},
//                           .ttl_attribute = "expires"});
//   (*tables)->PutItem({.table = "sessions", .item = {{"id", "7"}, {"user", "alice"}}});
//   (*tables)->SetTtl("sessions", {{"id", "7"}}, 30min);
//
// The attribute holds seconds since the epoch, as a number; fractions count. From that instant on
// the item is gone, for every call: get, query, scan, indexes, conditions, transactions, counts. 0,
// no attribute, anything that is not a number, and an instant past the end of time mean that it
// lives for ever. A put whose instant has passed leaves no item.
//
// Expressions and limits are DynamoDB's, and so are the texts of errors about them: items up to 400
// KB, partition keys up to 2048 bytes, sort keys up to 1024, 32 levels of nesting. Errors all calls
// share: NotFound names a table that is not there; Invalid says what is wrong with a request, and
// nothing is written; Busy: somebody else keeps changing these items; Corruption, IoError as the
// words say. Safe from any thread, but for callbacks of the database's events: a write of the table
// may be waiting for them.
//
// Streams, and sweeps in mode kUntilSwept, learn of deaths from the database's events, which stay
// until somebody trims them (Database::TrimEvents): see SweepExpired().
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

// --- What tables are ---

// Stored; append, never renumber.
enum class KeyType : std::uint8_t { kString = 0, kNumber = 1, kBinary = 2 };

struct KeyAttribute {
  std::string name;
  KeyType type = KeyType::kString;
  friend bool operator==(const KeyAttribute&, const KeyAttribute&) = default;
};

// Which attributes an index holds beside the keys of the table and its own.
struct IndexProjection {
  enum class Kind : std::uint8_t { kAll = 0, kKeysOnly = 1, kInclude = 2 };
  Kind kind = Kind::kAll;
  std::vector<std::string> attributes = {};  // For kInclude.
  friend bool operator==(const IndexProjection&, const IndexProjection&) = default;
};

// Items that lack one of an index' keys are not in it. A local index has its table's partition key.
struct IndexSpec {
  std::string name;
  KeyAttribute partition;
  std::optional<KeyAttribute> sort = std::nullopt;
  IndexProjection projection = {};
  friend bool operator==(const IndexSpec&, const IndexSpec&) = default;
};

// What becomes of an item whose instant has passed.
enum class TtlMode : std::uint8_t {
  kExact = 0,  // Gone at once.
  // As AWS does it: visible until a sweep removes it, and an instant more than five years past does
  // not count.
  kUntilSwept = 1,
};

// What a stream's records show of an item.
enum class StreamView : std::uint8_t {
  kOff = 0,
  kKeysOnly = 1,
  kNewImage = 2,
  kOldImage = 3,
  kNewAndOldImages = 4,
};

// Items whose partition key, a string, begins with `prefix` must look like this. The longest prefix
// that fits counts.
struct PartitionSchema {
  struct Attribute {
    std::string name;
    AttributeType type = AttributeType::kString;
    bool required = false;
    friend bool operator==(const Attribute&, const Attribute&) = default;
  };
  std::string prefix;
  std::vector<Attribute> attributes;
  bool only_these = false;  // Others are refused, but for keys and the ttl attribute.
  friend bool operator==(const PartitionSchema&, const PartitionSchema&) = default;
};

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
  // in the table, its indexes and its streams. At least a second, with a stream four. Records of a
  // stream then live for a quarter of it, and for no longer when the promise is changed later: end
  // the stream and begin another for that.
  std::optional<Millis> purge_within = std::nullopt;
  // What callers want to find again with the table: tags, billing. Not looked at.
  std::map<std::string, std::string> notes = {};
  friend bool operator==(const TableSpec&, const TableSpec&) = default;
};

enum class IndexStatus : std::uint8_t { kActive = 0, kCreating = 1 };
enum class TtlStatus : std::uint8_t { kDisabled = 0, kEnabling = 1, kEnabled = 2, kDisabling = 3 };

struct TableDescription {
  struct Index {
    IndexStatus status = IndexStatus::kActive;
    std::uint64_t items = 0;
    std::uint64_t bytes = 0;
  };
  TableSpec spec;
  std::string id;  // Of this table, not of a later one with its name. A UUID.
  WallTime created_at;
  std::uint64_t items = 0;  // Living ones, exactly.
  std::uint64_t bytes = 0;  // About.
  TtlStatus ttl_status = TtlStatus::kDisabled;
  std::map<std::string, Index> indexes;  // By name.
  std::string stream_label;              // Of the current stream, or the last one; empty: never.
};

// A change of a table. What is not there stays.
struct TableChange {
  std::optional<IndexSpec> add_global_index = std::nullopt;  // Filled online: see RunUpkeep().
  std::string drop_global_index = {};
  std::optional<StreamView> stream = std::nullopt;
  // Empty: off. Items get their deadlines online, and lose those of the old attribute.
  std::optional<std::string> ttl_attribute = std::nullopt;
  std::optional<TtlMode> ttl_mode = std::nullopt;
  std::optional<std::vector<PartitionSchema>> schemas = std::nullopt;
  std::optional<Millis> purge_within = std::nullopt;  // 0: no promise.
  std::optional<std::map<std::string, std::string>> notes = std::nullopt;
};

// Makes a change from the table as it is. A Status is passed on, and nothing changes. It must not
// call Tables.
using TableDecision = std::function<Result<TableChange>(const TableSpec& now)>;

// Says whether a table may be dropped as it is; likewise.
using TableCheck = std::function<Status(const TableSpec& now)>;

// --- What is done with items ---

// Placeholders of a request's expressions. What no expression uses is Invalid.
struct ExpressionArguments {
  std::map<std::string, std::string> names = {};      // "#n" to an attribute's name.
  std::map<std::string, AttributeValue> values = {};  // ":v" to a value.
};

enum class ReturnValues : std::uint8_t { kNone, kAllOld, kUpdatedOld, kAllNew, kUpdatedNew };

// What a conditional write says when the condition does not hold.
enum class OnFailure : std::uint8_t { kNone, kAllOld };

struct PutItemRequest {
  std::string table;
  Item item;
  std::string condition = {};
  ExpressionArguments arguments = {};
  // Writes only over this version; 0: only where no item is. Nothing: whatever is there.
  std::optional<std::uint64_t> expected_version = std::nullopt;
  ReturnValues return_values = ReturnValues::kNone;  // Or kAllOld.
  OnFailure on_failure = OnFailure::kNone;
};

struct DeleteItemRequest {
  std::string table;
  Item key;
  std::string condition = {};
  ExpressionArguments arguments = {};
  std::optional<std::uint64_t> expected_version = std::nullopt;
  ReturnValues return_values = ReturnValues::kNone;  // Or kAllOld.
  OnFailure on_failure = OnFailure::kNone;
};

struct UpdateItemRequest {
  std::string table;
  Item key;
  std::string update = {};  // SET, REMOVE, ADD, DELETE. Empty: makes the item if it is not there.
  std::string condition = {};
  ExpressionArguments arguments = {};
  std::optional<std::uint64_t> expected_version = std::nullopt;
  ReturnValues return_values = ReturnValues::kNone;
  OnFailure on_failure = OnFailure::kNone;
};

// A condition and nothing else, in a transaction.
struct ConditionCheck {
  std::string table;
  Item key;
  std::string condition;
  ExpressionArguments arguments = {};
  OnFailure on_failure = OnFailure::kNone;
};

struct WriteOutcome {
  bool written = true;  // False: the condition, or the expected version, did not hold.
  std::optional<Item>
      attributes;             // As asked: of before or after, or of the item that was in the way.
  std::uint64_t version = 0;  // Of the item now; 0: there is none.
  std::uint64_t bytes = 0;    // The larger of the item before and after.
};

struct GetItemRequest {
  std::string table;
  Item key;
  std::string projection = {};
  ExpressionArguments arguments = {};
};

struct FoundItem {
  std::optional<Item> item;   // Nothing: no living item.
  std::uint64_t version = 0;  // Larger after every write, also if the item was gone in between.
  std::uint64_t bytes = 0;    // Of the whole item.
};

struct QueryRequest {
  std::string table;
  std::string index = {};  // Empty: the table itself.
  std::string key_condition;
  std::string filter = {};
  std::string projection = {};
  ExpressionArguments arguments = {};
  bool forward = true;
  bool count_only = false;
  bool consistent = false;  // Invalid with a global index. Reads always are.
  std::optional<std::uint64_t> limit = std::nullopt;  // Items looked at, before the filter.
  std::optional<Item> start_after = std::nullopt;     // ItemPage::last_key of the page before.
  // With an index: whole items, also what it does not project. A local index has them fetched from
  // the table; Invalid with a global one that does not project all.
  bool all_attributes = false;
};

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
  std::uint32_t segment = 0;  // Of `segments`, which together are the table.
  std::uint32_t segments = 1;
  bool all_attributes = false;  // As of QueryRequest.
};

struct ItemPage {
  std::vector<Item> items;       // Empty when only counted.
  std::uint64_t count = 0;       // Items that passed the filter.
  std::uint64_t scanned = 0;     // Items looked at.
  std::uint64_t bytes = 0;       // Of these. A page ends after a megabyte.
  std::optional<Item> last_key;  // There may be more, behind this one.
};

struct TransactWrite {
  std::variant<PutItemRequest, UpdateItemRequest, DeleteItemRequest, ConditionCheck> action;
};

struct TransactOutcome {
  enum class Reason : std::uint8_t { kNone, kConditionFailed, kInvalid };
  struct Verdict {
    Reason reason = Reason::kNone;
    std::string message = {};
    std::optional<Item> item = std::nullopt;  // As OnFailure asks.
  };
  bool written = true;
  std::vector<Verdict> verdicts;     // One per action. All kNone when written.
  std::vector<std::uint64_t> bytes;  // Likewise.
};

// --- Streams ---

struct StreamRecord {
  enum class Kind : std::uint8_t { kInsert = 0, kModify = 1, kRemove = 2 };
  std::uint64_t sequence = 0;  // Grows within a stream.
  Kind kind = Kind::kInsert;
  bool by_ttl = false;  // The item expired; nobody deleted it.
  WallTime at;
  Item keys;
  std::optional<Item> old_image;  // As the stream's view asks.
  std::optional<Item> new_image;
  std::uint64_t bytes = 0;
};

struct StreamDescription {
  std::string table;
  std::string label;  // Tells streams of one table apart.
  StreamView view = StreamView::kOff;
  bool enabled = true;  // False: it gets no more records.
  Item key_schema;      // Names of the key attributes to "HASH" and "RANGE".
  WallTime created_at;
  std::uint64_t first_sequence = 0;  // Of the oldest record kept, or of the next one.
  std::uint64_t next_sequence = 0;   // Of an ended stream: behind its last record.
};

// Ends upkeep when it goes.
class TableReaper {
 public:
  virtual ~TableReaper() = default;

  // Returns once everything that was due at this call is done.
  virtual void AwaitIdle() = 0;
};

struct TableReaperOptions {
  bool reap = true;  // Also starts the database's reaper. False: somebody else does.
  Millis sweep_every = Millis(1000);  // Tables in mode kUntilSwept.
};

class Tables {
 public:
  // Opens the tables of a database, which must outlive it. One per database: Busy while there is
  // another.
  static Result<std::unique_ptr<Tables>> Open(Database& database);

  virtual ~Tables() = default;
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  // Busy when there is one of that name.
  virtual Result<TableDescription> CreateTable(const TableSpec& spec) = 0;
  virtual Result<TableDescription> DescribeTable(const std::string& name) = 0;
  // In order of their names, those behind `after`.
  virtual Result<std::vector<std::string>> ListTables(const std::string& after = {},
                                                      std::size_t tables_max = SIZE_MAX) = 0;
  virtual Result<TableDescription> UpdateTable(const std::string& name,
                                               const TableChange& change) = 0;
  // The same in one step: between what `decide` is shown and its change nobody else changes the
  // table. For whoever adds to the notes rather than replace them.
  virtual Result<TableDescription> ReviseTable(const std::string& name,
                                               const TableDecision& decide) = 0;
  // With all its items, at once, if `check` has nothing against it. The description is the last one
  // there was.
  virtual Result<TableDescription> DropTable(const std::string& name,
                                             const TableCheck& check = {}) = 0;

  virtual Result<WriteOutcome> PutItem(const PutItemRequest& request) = 0;
  virtual Result<WriteOutcome> UpdateItem(const UpdateItemRequest& request) = 0;
  virtual Result<WriteOutcome> DeleteItem(const DeleteItemRequest& request) = 0;
  virtual Result<FoundItem> GetItem(const GetItemRequest& request) = 0;

  // Each item by itself. All are from one state. At most 100.
  virtual Result<std::vector<FoundItem>> BatchGetItem(
      const std::vector<GetItemRequest>& requests) = 0;
  // Puts and deletes without conditions. Each happens or does not; at most 25, none twice.
  virtual Result<std::vector<WriteOutcome>> BatchWriteItem(
      const std::vector<std::variant<PutItemRequest, DeleteItemRequest>>& requests) = 0;

  // All as one, or nothing. At most 100, each item once, and 4 MB of items together: of a write,
  // each as it was or will be, whichever is larger.
  virtual Result<std::vector<FoundItem>> TransactGetItems(
      const std::vector<GetItemRequest>& requests) = 0;
  // A `token` with which something was written within ten minutes does nothing and says what it
  // said then; Conflict when the actions differ from those it was used with. Tokens of what failed
  // are free to be used again.
  virtual Result<TransactOutcome> TransactWriteItems(const std::vector<TransactWrite>& actions,
                                                     const std::string& token = {}) = 0;

  virtual Result<ItemPage> Query(const QueryRequest& request) = 0;
  virtual Result<ItemPage> Scan(const ScanRequest& request) = 0;

  // Partition keys with a living item, once each, in the table's order; those behind `after`.
  virtual Result<std::vector<AttributeValue>> ListPartitionKeys(
      const std::string& table, const std::optional<AttributeValue>& after = std::nullopt,
      std::size_t keys_max = 1000) = 0;

  // For sort keys that are strings: what lies before the first `delimiter` behind `prefix`, prefix
  // included, once each, in the order of the keys; a key without one counts as a whole. The way to
  // list folders.
  virtual Result<std::vector<std::string>> ListSortKeyPrefixes(const std::string& table,
                                                               const AttributeValue& partition,
                                                               const std::string& delimiter,
                                                               const std::string& prefix = {},
                                                               std::size_t prefixes_max = 1000) = 0;

  // The item dies `ttl` from now: its ttl attribute is set, in seconds rounded up. NotFound when
  // there is no living item: none is made. Invalid when the table has no ttl attribute, or the ttl
  // is not positive.
  virtual Status SetTtl(const std::string& table, const Item& key, Millis ttl) = 0;
  // Takes the attribute away. True when there was one; NotFound as above.
  virtual Result<bool> RemoveTtl(const std::string& table, const Item& key) = 0;
  // The time left, or kForever. NotFound as above.
  virtual Result<Millis> GetTtl(const std::string& table, const Item& key) = 0;

  // Removes up to this many items that are dead, oldest first; O(dead). Returns how many. For
  // tables in mode kUntilSwept this is when items go. If events of their deaths were trimmed before
  // a sweep read them, these items are looked for in the whole table, 1024 items by each sweep:
  // they stay until it comes to them. RunUpkeep() takes that search to its end.
  virtual Result<std::uint64_t> SweepExpired(const std::string& table,
                                             std::uint64_t items_max = UINT64_MAX) = 0;

  // A thread that purges the dead of all tables, sweeps those in mode kUntilSwept, writes what died
  // to streams, and does RunUpkeep(). At most one.
  virtual Result<std::unique_ptr<TableReaper>> StartReaper(
      const TableReaperOptions& options = {}) = 0;

  // What a keeper does in the background, for those who have none: fills new indexes, gives items
  // the deadlines of a new ttl attribute, looks for what sweeps have missed, writes deaths to
  // streams. Up to this many items; returns how many are known to be left, at least 1 while there
  // are any.
  virtual Result<std::uint64_t> RunUpkeep(std::uint64_t items_max = UINT64_MAX) = 0;

  // Records are kept for a day. `table` empty: of all tables.
  virtual Result<std::vector<StreamDescription>> ListStreams(const std::string& table = {}) = 0;
  virtual Result<StreamDescription> DescribeStream(const std::string& table,
                                                   const std::string& label) = 0;
  // Those from `sequence` on, in order: at most this many, and about a megabyte. None: there are no
  // more by now.
  virtual Result<std::vector<StreamRecord>> ReadStream(const std::string& table,
                                                       const std::string& label,
                                                       std::uint64_t sequence,
                                                       std::size_t records_max) = 0;

 protected:
  Tables() = default;
};

}  // namespace mayfly
