#include "base/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <boost/crc.hpp>

namespace mayfly {

std::uint64_t Hash64(Bytes bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint16_t Crc16(Bytes bytes) {
  boost::crc_optimal<16, 0x1021, 0, 0, false, false> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace mayfly
