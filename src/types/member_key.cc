#include "types/member_key.h"

#include <algorithm>
#include <cstring>

#include "base/checksum.h"

namespace mayfly::types {

std::uint64_t MemberHash(Bytes name) {
  return std::clamp<std::uint64_t>(Hash64(name) >> 16, 1, kMemberHashMax - 1);
}

namespace {

void WriteHash(std::uint64_t hash, char* out) {
  const std::uint64_t big_endian = __builtin_bswap64(hash << (64 - 8 * kMemberHashBytes));
  std::memcpy(out, &big_endian, kMemberHashBytes);
}

}  // namespace

std::string MemberKeysFrom(std::uint64_t hash) {
  std::string key(kMemberHashBytes, '\0');
  WriteHash(hash, key.data());
  return key;
}

core::RowKey MemberKey(Bytes name) {
  char hash[kMemberHashBytes];
  WriteHash(MemberHash(name), hash);
  return {Bytes(hash, sizeof hash), {}, name};
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
