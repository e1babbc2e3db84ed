// table_codec.h - a table's description, and an upkeep's job, as the bytes of rows, and back.
//   description := format byte | name | id | created_at | keys | ttl | mode | status |
//                  next number | number of the shadows | indexes | streams | schemas | notes |
//                  purge_within in ms, 0 for none
//   job         := format byte | table's name | kind | stage | items walked | key it got to
// Texts are sized, numbers are varints, lists begin with their length. Invariant: what is read is
// written again as the same bytes; anything else is Corruption, and a format this build does not
// know is Unsupported.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "mayfly/tables.h"
#include "tables/schema/table_limits.h"
#include "tables/schema/table_names.h"

namespace mayfly::tables {

// The stored state of an index beside its spec.
struct StoredIndex {
  IndexStatus status = IndexStatus::kActive;
  std::uint64_t number = 0;  // Of its keyspace.
};

struct StoredStream {
  std::string label;
  StreamView view = StreamView::kOff;
  bool enabled = true;
  WallTime created_at;
  // How long its records live. It only ever gets shorter: the deadline of a record tells when it
  // was written, and one that seems older than it is would be overlooked (stream_feed.cc).
  Millis record_ttl = kStreamRecordTtl;
};

struct StoredTable {
  TableSpec spec;
  std::string id;
  WallTime created_at;
  TtlStatus ttl_status = TtlStatus::kDisabled;
  std::uint64_t next_number = 1;  // For the next keyspace.
  std::uint64_t shadows = 0;      // Number of their keyspace; 0: none.
  // As many as in `spec`, in their order.
  std::vector<StoredIndex> global_indexes = {};
  std::vector<StoredIndex> local_indexes = {};
  // In order of time. The last one may be enabled.
  std::vector<StoredStream> streams = {};

  TableLabel label() const { return {.name = spec.name, .id = id}; }
};

std::string EncodeTable(const StoredTable& table);
Result<StoredTable> DecodeTable(Bytes bytes);

struct RewriteJob {
  // Stored; append, never renumber.
  enum class Kind : std::uint8_t {
    kEverything = 0,  // The description changed.
    kUnshadowed = 1,  // Items may have outlived their shadow without an event.
  };
  // Stored; append, never renumber.
  enum class Stage : std::uint8_t {
    kWalking = 0,
    kDone = 1,          // The walk is done; the statuses are to be set.
    kWalkingFirst = 2,  // At its end, another one begins.
  };
  std::string table;
  Kind kind = Kind::kEverything;
  Stage stage = Stage::kWalking;
  std::uint64_t walked = 0;
  std::string after = {};  // Items up to this key are done.
};

std::string EncodeJob(const RewriteJob& job);
Result<RewriteJob> DecodeJob(Bytes bytes);

// A position in the event log.
std::string EncodePlace(std::uint64_t sequence);
Result<std::uint64_t> DecodePlace(Bytes bytes);

}  // namespace mayfly::tables
