#include "types/member_key.h"

#include <algorithm>

#include "base/checksum.h"

namespace mayfly::types {

std::uint64_t MemberHash(Bytes name) {
  return std::clamp<std::uint64_t>(Hash64(name) >> 16, 1, kMemberHashMax - 1);
}

std::string MemberKeysFrom(std::uint64_t hash) {
  std::string key(kMemberHashBytes, '\0');
  for (std::size_t i = kMemberHashBytes; i-- > 0; hash >>= 8) key[i] = static_cast<char>(hash);
  return key;
}

std::string MemberKey(Bytes name) {
  std::string key;
  key.reserve(kMemberHashBytes + name.size());
  return key.append(MemberKeysFrom(MemberHash(name))).append(name);
}

Bytes NameOfMember(Bytes member_key) {
  return member_key.substr(std::min(member_key.size(), kMemberHashBytes));
}

std::uint64_t HashOfMember(Bytes member_key) {
  if (member_key.size() < kMemberHashBytes) return 0;
  std::uint64_t hash = 0;
  for (const char byte : member_key.substr(0, kMemberHashBytes)) {
    hash = hash << 8 | static_cast<unsigned char>(byte);
  }
  return hash;
}

}  // namespace mayfly::types
