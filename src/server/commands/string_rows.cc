#include "server/commands/string_rows.h"

#include "types/value_type.h"

namespace mayfly::server {

Status FindString(const Call& call, Bytes key, core::FoundRow& row) {
  return types::FindTyped(call.space(), key, types::ValueType::kString, row);
}

Status PutString(const Call& call, Bytes key, Bytes value, Lifetime lifetime) {
  if (call.host.Wants(NotifyClass::kNew)) {
    core::FoundRow row;
    MAYFLY_RETURN_IF_ERROR(call.space().Find(key, row));
    if (!row.exists) call.Notify(NotifyClass::kNew, "new", key);
  }
  return call.space().Put(key, value, lifetime);
}

Status WriteString(const Call& call, Bytes key, types::String& string, std::uint64_t begin,
                   Bytes bytes) {
  if (!string.exists()) call.Notify(NotifyClass::kNew, "new", key);
  return string.Write(begin, bytes);
}

Status CheckStringBytes(std::uint64_t bytes) {
  if (bytes <= kStringBytesMax) return {};
  return Status::Invalid("string exceeds maximum allowed size (proto-max-bulk-len)");
}

void ReplyString(const Call& call, const core::FoundRow& row) {
  if (row.exists) {
    call.reply.Bulk(row.value);
  } else {
    call.reply.Null();
  }
}

Lifetime LifetimeUntil(WallTime instant, TimeUnit unit, WallTime now) {
  if (IsLength(unit) && instant > now) return Lifetime::For(instant - now);
  return Lifetime::Until(instant);
}

}  // namespace mayfly::server
