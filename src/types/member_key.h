// member_key.h - fields and members in an order that a cursor of 48 bits can name.
//   | the highest 48 bits of XXH3-64 of the name, big endian, all zeros and all ones aside | name |
// Used for hash fields and for members of sets and sorted sets. A scan that stops anywhere goes on
// behind the hash of the last one it showed, without anybody remembering it: whoever was there all
// along is shown, whatever came and went. Names of equal hash are shown together. A random place in
// this order is a fair start for drawing members at random. 48 bits are exact in every client's
// numbers. Stored; never changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly::types {

inline constexpr std::size_t kMemberHashBytes = 6;
inline constexpr std::uint64_t kMemberHashMax = (std::uint64_t{1} << 48) - 1;

// 1 to kMemberHashMax - 1: 0 is no cursor, and the last one lies behind all names.
std::uint64_t MemberHash(Bytes name);

std::string MemberKey(Bytes name);

// The first key that a name of this hash could have.
std::string MemberKeysFrom(std::uint64_t hash);

// Of a key that MemberKey() made; shorter bytes give an empty name and 0.
Bytes NameOfMember(Bytes member_key);
std::uint64_t HashOfMember(Bytes member_key);

}  // namespace mayfly::types
