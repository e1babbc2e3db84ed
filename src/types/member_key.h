// member_key.h - the keys of fields and members, in an order that a cursor of 48 bits can address.
//   | the highest 48 bits of XXH3-64 of the name, big endian, all zeros and all ones aside | name |
// Used for hash fields and for members of sets and sorted sets. A scan continues after the hash of
// the last member it showed, without state on the server: it shows every member that existed all
// along, whatever was added and removed. Names of equal hash are shown together. A random place in
// this order is a fair start for drawing members at random. 48 bits are exact in every client's
// numbers. Stored; never changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/layout/keys.h"
#include "mayfly/bytes.h"

namespace mayfly::types {

inline constexpr std::size_t kMemberHashBytes = 6;
inline constexpr std::uint64_t kMemberHashMax = (std::uint64_t{1} << 48) - 1;

// 1 to kMemberHashMax - 1: 0 is no cursor, and kMemberHashMax lies after all names.
std::uint64_t MemberHash(Bytes name);

// Without an allocation if the name is short.
core::RowKey MemberKey(Bytes name);

// The first key that a name of this hash could have.
std::string MemberKeysFrom(std::uint64_t hash);

// Name and hash of a key that MemberKey() made; shorter bytes give an empty name and 0.
Bytes NameOfMember(Bytes member_key);
std::uint64_t HashOfMember(Bytes member_key);

}  // namespace mayfly::types
