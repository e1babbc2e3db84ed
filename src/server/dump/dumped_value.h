// dumped_value.h - a value of any type, read from its rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mayfly/clock.h"
#include "rdb/stream_value.h"
#include "types/value_type.h"

namespace mayfly::server {

struct DumpedField {
  std::string name;
  std::string value;
  std::optional<WallTime> deadline;
};

struct DumpedScore {
  std::string name;
  double score;
};

// The field of the type is filled; a collection other than a stream has at least one element.
struct DumpedValue {
  types::ValueType type = types::ValueType::kString;
  std::string text = {};                   // Of a string.
  std::vector<std::string> elements = {};  // Of a list, in its order, or of a set.
  std::vector<DumpedField> fields = {};    // Of a hash.
  std::vector<DumpedScore> scores = {};    // Of a sorted set.

  std::vector<rdb::StreamEntry> entries = {};   // Of a stream, in their order.
  std::optional<rdb::StreamState> stream = {};  // Of a whole stream, and of its last part.
};

}  // namespace mayfly::server
