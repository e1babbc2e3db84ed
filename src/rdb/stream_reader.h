// stream_reader.h - decodes streams of Redis' dumps to their neutral form (stream_value.h).
//   | nodes | each: its first id, 16 bytes big endian, as a string | a listpack of entries |
//   | length | last id | groups: name, last id, pending entries, consumers |
// A node's listpack begins with the fields that its entries have in common; ids within it are
// distances from the node's.
#pragma once

#include "rdb/value_reader.h"

namespace mayfly::rdb {

// `version`: 1 of Redis 5, 2 of 7.0, 3 of 7.2.
[[nodiscard]] bool ReadStream(Input& in, int version, ValueSink& sink);

}  // namespace mayfly::rdb
