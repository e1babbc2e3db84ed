#include "engine/address.h"

#include "base/checksum.h"

namespace mayfly::engine {

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kRows: return "rows";
    case Role::kMembers: return "members";
    case Role::kExpiry: return "expiry";
    case Role::kEvents: return "events";
    case Role::kMeta: return "meta";
  }
  return "unknown";
}

Slot SlotOf(Bytes key) {
  Bytes hashed = key;
  if (const auto open = key.find('{'); open != Bytes::npos) {
    const auto close = key.find('}', open + 1);
    if (close != Bytes::npos && close > open + 1) hashed = key.substr(open + 1, close - open - 1);
  }
  return Crc16(hashed) % kSlotCount;
}

}  // namespace mayfly::engine
