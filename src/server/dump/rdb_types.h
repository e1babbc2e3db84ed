// rdb_types.h - the type numbers of Redis' dumps, and the checksum of their footer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mayfly/bytes.h"

namespace mayfly::server {

// In the first byte. Redis' numbers: they never change.
enum RdbType : std::uint8_t {
  kRdbString = 0,
  kRdbList = 1,
  kRdbSet = 2,
  kRdbSortedSetDecimal = 3,
  kRdbHash = 4,
  kRdbSortedSet = 5,
  kRdbListZiplist = 10,
  kRdbSetIntset = 11,
  kRdbSortedSetZiplist = 12,
  kRdbHashZiplist = 13,
  kRdbListOfZiplists = 14,
  kRdbHashListpack = 16,
  kRdbSortedSetListpack = 17,
  kRdbListOfListpacks = 18,
  kRdbSetListpack = 20,
  kRdbHashWithDeadlines = 24,
  kRdbHashListpackWithDeadlines = 25,
};

inline constexpr std::size_t kDumpFooterBytes = 10;

// The checksum in the footer: the polynomial of Jones, reflected, from 0 on.
std::uint64_t Crc64(Bytes bytes);

}  // namespace mayfly::server
