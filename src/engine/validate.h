// validate.h - the checks of arguments that all engines share.
// The checks run before an engine sees a call, so engines cannot differ in what they accept. Reads
// and batches use the inline predicates, which cost a comparison or two; the Check... functions on
// the slow path word the error.
#pragma once

#include "engine/address.h"
#include "engine/key_range.h"
#include "engine/limits.h"
#include "mayfly/bytes.h"
#include "mayfly/status.h"

namespace mayfly::engine {

namespace internal {
Status BadAddress(Address at);
Status BadKey(Bytes key);
Status BadValue(Bytes value);
}  // namespace internal

constexpr bool IsGoodAddress(Address at) {
  return static_cast<std::size_t>(at.role) < kRoleCount && at.slot < kSlotCount;
}

// 1 to kKeyBytesMax bytes.
constexpr bool IsGoodKey(Bytes key) { return !key.empty() && key.size() <= kKeyBytesMax; }

// Up to kValueBytesMax bytes.
constexpr bool IsGoodValue(Bytes value) { return value.size() <= kValueBytesMax; }

// Ok, or Invalid with what is wrong and what to do.
inline Status CheckAddress(Address at) {
  return IsGoodAddress(at) ? Status() : internal::BadAddress(at);
}
inline Status CheckKey(Bytes key) { return IsGoodKey(key) ? Status() : internal::BadKey(key); }
inline Status CheckValue(Bytes value) {
  return IsGoodValue(value) ? Status() : internal::BadValue(value);
}

// Invalid when `begin` is after `end`.
Status CheckOrder(Bytes begin, Bytes end);

// Invalid unless the bounds are in order, where both are given, and no longer than a key may be.
Status CheckRange(const KeyRange& range);

}  // namespace mayfly::engine
