#include "rdb/crc64.h"

#include <array>

namespace mayfly::rdb {
namespace {

constexpr std::uint64_t kReflectedPolynomial = 0x95ac9329ac4bc9b5;
constexpr std::size_t kBytesAtOnce = 8;
using Tables = std::array<std::array<std::uint64_t, 256>, kBytesAtOnce>;

// The first table advances the checksum by one byte; table n is the first, followed by n zeros.
constexpr Tables MakeTables() {
  Tables tables{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::uint64_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kReflectedPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t n = 1; n < kBytesAtOnce; ++n) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint64_t before = tables[n - 1][byte];
      tables[n][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

}  // namespace

std::uint64_t Crc64(Bytes bytes, std::uint64_t before) {
  std::uint64_t crc = before;
  while (bytes.size() >= kBytesAtOnce) {
    for (std::size_t i = 0; i < kBytesAtOnce; ++i) {
      crc ^= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < kBytesAtOnce; ++i) {
      next ^= kTables[kBytesAtOnce - 1 - i][crc >> (8 * i) & 0xff];
    }
    crc = next;
    bytes.remove_prefix(kBytesAtOnce);
  }
  for (const char byte : bytes) {
    crc = crc >> 8 ^ kTables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return crc;
}

}  // namespace mayfly::rdb
