// read_schema.h - what a protocol must know of a table, or of an index, to plan a read of it: a
// statement of PartiQL becomes a query or a scan by the keys.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "mayfly/table_spec.h"

namespace mayfly::tables {

struct ReadSchema {
  std::string partition;                           // Attributes of the key that is read.
  std::optional<std::string> sort = std::nullopt;  // Nothing: the key has no second one.
  KeyType partition_type = KeyType::kString;
  KeyType sort_type = KeyType::kString;  // If there is a second one.
  bool is_index = false;
  bool is_local = false;  // Of an index: it lies with its table.
  // What an index holds of its items; nothing: all attributes.
  std::optional<std::set<std::string>> held = std::nullopt;
};

}  // namespace mayfly::tables
