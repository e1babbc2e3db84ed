// leading_bytes.h - the first eight bytes of a string as a number, for comparing many of them.
// Big endian, with zeros behind a shorter string: where two of these numbers differ, they are in the
// order of their strings. Where they are equal, the strings have to be compared.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mayfly/bytes.h"

namespace mayfly {

inline std::uint64_t LeadingBytes(Bytes bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t leading = 0;
  if (bytes.size() >= sizeof leading) [[likely]] {
    std::memcpy(&leading, bytes.data(), sizeof leading);
    return __builtin_bswap64(leading);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    leading |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (56 - 8 * i);
  }
  return leading;
}

}  // namespace mayfly
