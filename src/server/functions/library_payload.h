// library_payload.h - the bytes that FUNCTION DUMP returns and FUNCTION RESTORE takes, as in Redis.
//   | 0xf5 u8 | text | for each library, then | version u16 | CRC-64 of all before u64 |
#pragma once

#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "server/functions/library_rows.h"

namespace mayfly::server {

std::string EncodeLibraries(const LibraryTexts& libraries);

// The texts. Invalid, in Redis' words, when the version is too new, the checksum differs, or the
// bytes are no libraries.
Result<std::vector<std::string>> DecodeLibraries(Bytes payload);

}  // namespace mayfly::server
