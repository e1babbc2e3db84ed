// validate.h - what every engine refuses, worded once.
// The checks run before an engine sees a call, so engines cannot differ in what they take. The ones
// on the path of a read are inline and leave the wording of the refusal to the slow side.
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

inline Status CheckAddress(Address at) {
  if (static_cast<std::size_t>(at.role) < kRoleCount && at.slot < kSlotCount) return {};
  return internal::BadAddress(at);
}

// 1 to kKeyBytesMax bytes.
inline Status CheckKey(Bytes key) {
  if (!key.empty() && key.size() <= kKeyBytesMax) return {};
  return internal::BadKey(key);
}

// Up to kValueBytesMax bytes.
inline Status CheckValue(Bytes value) {
  if (value.size() <= kValueBytesMax) return {};
  return internal::BadValue(value);
}

// `begin` is not behind `end`.
Status CheckOrder(Bytes begin, Bytes end);

// Bounds of a walk: in order where both are given, none longer than a key may be.
Status CheckRange(const KeyRange& range);

}  // namespace mayfly::engine
