// footer.h - the end of a payload of DUMP and FUNCTION DUMP.
//   | version u16 | CRC-64 of all before u64 |, little endian
#pragma once

#include <cstddef>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::rdb {

void AppendFooter(std::string& payload, int version);

// The payload without its footer. Invalid, in Redis' words, when the version is too new or the
// checksum differs.
Result<Bytes> WithoutFooter(Bytes payload);

}  // namespace mayfly::rdb
