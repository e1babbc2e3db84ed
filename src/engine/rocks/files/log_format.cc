#include "engine/rocks/files/log_format.h"

#include <boost/crc.hpp>

#include "base/coding.h"

namespace mayfly::engine {

Frame ReadFrame(Bytes bytes) {
  const auto byte = [bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  Frame frame{.length = byte(4) + std::size_t{256} * byte(5), .kind = byte(6)};
  static_cast<void>(EatLittleEndian32(bytes, frame.checksum));
  return frame;
}

// CRC-32C of kind and bytes, masked: stored checksums of checksums would be weak.
bool IsSoundFrame(const Frame& frame, Bytes bytes) {
  const Bytes covered = bytes.substr(kFrameHeaderBytes - 1, frame.length + 1);
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(covered.data(), covered.size());
  const auto sum = static_cast<std::uint32_t>(crc.checksum());
  return ((sum >> 15) | (sum << 17)) + 0xa282ead8U == frame.checksum;
}

}  // namespace mayfly::engine
