// crc64.h - the checksum of Redis' dumps: the polynomial of Jones, reflected, from 0 on.
#pragma once

#include <cstdint>

#include "mayfly/bytes.h"

namespace mayfly::rdb {

// `before`: the checksum of the bytes in front of these.
std::uint64_t Crc64(Bytes bytes, std::uint64_t before = 0);

}  // namespace mayfly::rdb
