#include "engine/validate.h"

#include <fmt/format.h>

namespace mayfly::engine {

namespace internal {

Status BadAddress(Address at) {
  if (static_cast<std::size_t>(at.role) >= kRoleCount) {
    return Status::Invalid(fmt::format("unknown role {}; roles are 0 (rows) to {} (meta)",
                                       static_cast<unsigned>(at.role), kRoleCount - 1));
  }
  return Status::Invalid(
      fmt::format("slot {} is out of range; take it from SlotOf(), below {}", at.slot, kSlotCount));
}

Status BadKey(Bytes key) {
  if (key.empty()) return Status::Invalid("empty key; a key has at least one byte");
  return Status::Invalid(
      fmt::format("key of {} bytes is too long; the limit is {} bytes, store a hash of it",
                  key.size(), kKeyBytesMax));
}

Status BadValue(Bytes value) {
  return Status::Invalid(
      fmt::format("value of {} bytes is too large; the limit is {} bytes, split it", value.size(),
                  kValueBytesMax));
}

}  // namespace internal

Status CheckOrder(Bytes begin, Bytes end) {
  if (begin <= end) return {};
  return Status::Invalid("range is reversed: its end lies before its begin; swap them");
}

Status CheckRange(const KeyRange& range) {
  if (!range.begin.empty()) MAYFLY_RETURN_IF_ERROR(CheckKey(range.begin));
  if (range.end.empty()) return {};
  MAYFLY_RETURN_IF_ERROR(CheckKey(range.end));
  return CheckOrder(range.begin, range.end);
}

}  // namespace mayfly::engine
