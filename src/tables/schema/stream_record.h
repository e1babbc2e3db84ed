// stream_record.h - a record of a stream as the bytes of a row, and what a view shows of a change.
//   key   := sequence, big endian
//   value := format byte | kind and by_ttl | at | keys | old image, if any | new image, if any
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "mayfly/tables.h"

namespace mayfly::tables {

// A record of what became of `before`; null: there was, or is, no item. One of the two is there.
// Its sequence is the caller's to set.
StreamRecord MakeRecord(const TableSpec& table, StreamView view, const Item* before,
                        const Item* after, bool by_ttl, WallTime at);

// The key attributes of the table that an item has.
Item StreamKeysOf(const TableSpec& table, const Item& item);

std::string EncodeSequence(std::uint64_t sequence);
std::string EncodeRecord(const StreamRecord& record);

// Corruption when the bytes are none.
Result<std::uint64_t> DecodeSequence(Bytes key);
Result<StreamRecord> DecodeRecord(Bytes key, Bytes value);

}  // namespace mayfly::tables
