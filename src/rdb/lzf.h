// lzf.h - decompresses LZF, with which Redis packs long strings within DUMP's payloads.
//   | 000lllll | l + 1 bytes to take as they are
//   | lllooooo | oooooooo |             l + 2 bytes from o + 1 bytes back
//   | 111ooooo | llllllll | oooooooo |  l + 9 bytes from there
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly::rdb {

// Nothing unless the bytes unpack to exactly `size`. Allocates no more than they unpack to.
std::optional<std::string> UnpackLzf(Bytes packed, std::size_t size);

}  // namespace mayfly::rdb
