// row_codec.h - the bytes of one row.
//   | tag u8 | deadline_ms u64, if the tag has kHasDeadline | timestamp_ms i64, if it has
//   kHasTimestamp | collection id u64, if it has kHasCollectionId | payload |
// A row with a collection id is a collection's: its payload is laid out in collection_codec.h.
// The deadline travels with the value, so a read tells live from dead with the bytes it already
// holds. The expiry index can be rebuilt from rows; rows can never be rebuilt from the index.
// Invariants: (1) Decode(Encode(row)) == row. (2) A tag bit this build does not know is refused
// as Unsupported: an old binary must not serve half of a new row. Layout: docs/formats/row.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::core {

// A decoded row; the payload points into the encoded bytes.
struct RowView {
  std::optional<WallTime> deadline;
  Bytes payload;
  std::optional<WallTime> timestamp = std::nullopt;           // In keyspaces ordered by it.
  std::optional<std::uint64_t> collection_id = std::nullopt;  // Of a collection.
};

// Deadlines before 1970 do not occur: writes refuse or delete them. Timestamps may.
void AppendRow(std::string& out, const RowView& row);

// Corruption when the bytes are too short, Unsupported for an unknown tag.
Result<RowView> DecodeRow(Bytes encoded);

}  // namespace mayfly::core
