// stream_record.h - a record of a stream as the bytes of a row, and the images of its view.
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

// A record of a change from `before` to `after`; null: no item. At least one is not null. The
// caller sets its sequence.
StreamRecord MakeRecord(const TableSpec& table, StreamView view, const Item* before,
                        const Item* after, bool by_ttl, WallTime at);

// The key attributes of the table that an item has.
Item StreamKeysOf(const TableSpec& table, const Item& item);

std::string EncodeSequence(std::uint64_t sequence);
std::string EncodeRecord(const StreamRecord& record);

// Corruption for malformed bytes.
Result<std::uint64_t> DecodeSequence(Bytes key);
Result<StreamRecord> DecodeRecord(Bytes key, Bytes value);

}  // namespace mayfly::tables
