// table_spec.h - the definition of a table: keys, indexes, the attribute with an item's end, streams.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/clock.h"
#include "mayfly/item.h"
#include "mayfly/result.h"

namespace mayfly {

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

}  // namespace mayfly
