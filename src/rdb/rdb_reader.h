// rdb_reader.h - reads a whole RDB file or stream, of Redis 5 to 7.4, key by key.
//   | "REDIS" | version, 4 digits | what is between keys, keys | 0xff | CRC-64, or 0 for none |
//   a key     | deadline, idle time, frequency, if it has any | type | name | value |
// Memory is bounded whatever the file says: see value_reader.h. Bytes that are malformed, cut off
// or do not have their checksum give Corruption with the offset. What was handed to the sink before
// stays with the sink, so a caller that needs all or nothing keeps it apart until the end.
#pragma once

#include <cstdint>
#include <string>

#include "mayfly/status.h"
#include "rdb/input.h"
#include "rdb/value_reader.h"

namespace mayfly::rdb {

struct KeyHead {
  int database = 0;
  std::string name;
  std::optional<WallTime> deadline;  // It may have passed.
  ValueKind kind = ValueKind::kString;
};

// BeginKey(), then the calls of ValueSink, then EndKey(), for each key.
class FileSink : public ValueSink {
 public:
  virtual Status BeginKey(const KeyHead& key) = 0;
  virtual Status EndKey() = 0;

  // About the file: "redis-ver", "repl-stream-db" and the like.
  virtual Status Aux(const std::string& /*name*/, const std::string& /*value*/) { return {}; }

  // The source text of a library of functions.
  virtual Status Function(const std::string& /*text*/) { return {}; }

  // Data of a module that belongs to no key was read over.
  virtual Status ModuleAux(const std::string& /*module*/) { return {}; }
};

// Reads to the end mark and checks the checksum. `in` was made with a source, and stands behind it
// afterwards. Unsupported: the file is of a newer version.
Status ReadRdb(Input& in, FileSink& sink);

// The budget to make an input with: the largest element that a value may have.
inline constexpr std::uint64_t kElementBudget = 2 * kStringBytesMax + (std::uint64_t{64} << 20);

}  // namespace mayfly::rdb
