// dump_payload.h - the bytes that DUMP returns and RESTORE takes, as in Redis.
//   | type u8 | the value, by type | version u16 | CRC-64 of all before u64 |, little endian
// Writes the plain forms of version 10, that of Redis 7.0, which every later one reads as well.
// Hashes with a deadline on a field need version 12, that of Redis 7.4: no older one could keep the
// deadline. Also reads the packed forms in which Redis dumps small collections, up to version 12;
// no types of modules.
#pragma once

#include <cstddef>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "server/dump/dumped_value.h"

namespace mayfly::server {

std::string EncodeDump(const DumpedValue& value);

// The type and the value alone, as an RDB file has them.
std::string EncodeValue(const DumpedValue& value);

// Whether its bytes need version 12.
bool HasFieldDeadlines(const DumpedValue& value);

// Invalid, in Redis' words, when the version is too new, the checksum differs, or the value cannot
// be decoded, is an empty collection, or has an element twice.
Result<DumpedValue> DecodeDump(Bytes payload);

}  // namespace mayfly::server
