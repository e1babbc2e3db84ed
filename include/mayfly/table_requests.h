// table_requests.h - what calls of tables.h take and return: requests, outcomes, pages, records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mayfly/clock.h"
#include "mayfly/item.h"
#include "mayfly/table_spec.h"

namespace mayfly {

// Placeholders of a request's expressions. One that no expression uses is Invalid.
struct ExpressionArguments {
  std::map<std::string, std::string> names = {};      // "#n" to an attribute's name.
  std::map<std::string, AttributeValue> values = {};  // ":v" to a value.
  // False: the expressions were made from a request in another form, which has its own bounds.
  // Those of DynamoDB's expressions (4 KB, 300 operators, 100 operands of IN) do not apply.
  bool bounded = true;
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
  bool filters_keys = false;  // The filter may name key attributes, too; DynamoDB refuses that.
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

}  // namespace mayfly
