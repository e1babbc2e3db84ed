#include "server/dump/rdb_types.h"

#include <boost/crc.hpp>

namespace mayfly::server {

std::uint64_t Crc64(Bytes bytes) {
  boost::crc_optimal<64, 0xad93d23594c935a9, 0, 0, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace mayfly::server
