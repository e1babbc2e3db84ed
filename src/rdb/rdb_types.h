// rdb_types.h - the numbers of Redis' dumps: types of values, and what may stand between keys.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mayfly::rdb {

// In front of a value. Redis' numbers: they never change.
enum RdbType : std::uint8_t {
  kRdbString = 0,
  kRdbList = 1,
  kRdbSet = 2,
  kRdbSortedSetDecimal = 3,
  kRdbHash = 4,
  kRdbSortedSet = 5,
  kRdbModulePreview = 6,
  kRdbModule = 7,
  kRdbHashZipmap = 9,
  kRdbListZiplist = 10,
  kRdbSetIntset = 11,
  kRdbSortedSetZiplist = 12,
  kRdbHashZiplist = 13,
  kRdbListOfZiplists = 14,
  kRdbStream = 15,
  kRdbHashListpack = 16,
  kRdbSortedSetListpack = 17,
  kRdbListOfListpacks = 18,
  kRdbStream2 = 19,
  kRdbSetListpack = 20,
  kRdbStream3 = 21,
  kRdbHashWithDeadlinesPreview = 22,
  kRdbHashListpackWithDeadlinesPreview = 23,
  kRdbHashWithDeadlines = 24,
  kRdbHashListpackWithDeadlines = 25,
};

// In the place of a type.
enum RdbOpcode : std::uint8_t {
  kRdbSlotInfo = 244,
  kRdbFunction = 245,
  kRdbFunctionPreview = 246,
  kRdbModuleAux = 247,
  kRdbIdle = 248,
  kRdbFrequency = 249,
  kRdbAux = 250,
  kRdbSizes = 251,
  kRdbDeadlineMs = 252,
  kRdbDeadlineSeconds = 253,
  kRdbDatabase = 254,
  kRdbEnd = 255,
};

// 9: Redis 5 to 6.2; 10: 7.0; 11: 7.2; 12: 7.4, which has deadlines of a hash's fields.
inline constexpr int kRdbVersionMax = 12;
inline constexpr int kRdbVersion = 10;
inline constexpr int kRdbVersionWithFieldDeadlines = 12;

}  // namespace mayfly::rdb
