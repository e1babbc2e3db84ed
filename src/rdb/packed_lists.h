// packed_lists.h - the four ways Redis packs many small values into one string.
//   listpack  | bytes u32 | count u16 | entries: encoding, bytes, length backwards | 0xff |
//   ziplist   | bytes u32 | tail u32 | count u16 | entries: length of the one before, encoding,
//             bytes | 0xff |
//   intset    | width u32: 2, 4 or 8 | count u32 | integers |
//   zipmap    | count u8 | pairs: length, name, length, spare u8, value, spare bytes | 0xff |
// All numbers are little endian but the lengths within ziplists. The input is untrusted: malformed
// bytes give nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/bytes.h"

namespace mayfly::rdb {

using PackedValues = std::optional<std::vector<std::string>>;

// They stop after `values_max`, whatever follows: a value of two bytes takes many times that in
// memory.
PackedValues ReadListpack(Bytes bytes, std::uint64_t values_max);
PackedValues ReadZiplist(Bytes bytes, std::uint64_t values_max);
PackedValues ReadIntset(Bytes bytes, std::uint64_t values_max);
PackedValues ReadZipmap(Bytes bytes, std::uint64_t values_max);

}  // namespace mayfly::rdb
