// checksum.h - hashes and checksums of bytes.
// Hash64 (XXH3) detects damage and spreads keys; Crc16 (polynomial 0x1021, start 0, the one Redis
// Cluster uses) picks the slot of a key. Both reach the disk: their results never change.
#pragma once

#include <cstdint>

#include "mayfly/bytes.h"

namespace mayfly {

std::uint64_t Hash64(Bytes bytes, std::uint64_t seed = 0);
std::uint16_t Crc16(Bytes bytes);

}  // namespace mayfly
