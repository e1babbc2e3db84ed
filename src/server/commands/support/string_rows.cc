#include "server/commands/support/string_rows.h"

#include "server/command/pieced_strings.h"
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
  call.host.pieced_strings().Forget(call.database, key);
  MAYFLY_RETURN_IF_ERROR(CheckStringBytes(value.size()));
  return types::PutString(call.space(), key, value, lifetime);
}

Status WriteString(const Call& call, Bytes key, types::String& string, std::uint64_t begin,
                   Bytes bytes) {
  if (!string.exists()) call.Notify(NotifyClass::kNew, "new", key);
  MAYFLY_RETURN_IF_ERROR(string.Write(begin, bytes));
  return NotePieced(call, key, string);
}

Status NotePieced(const Call& call, Bytes key, types::String& string) {
  if (string.size() > PiecedStrings::kBytesMax) return {};
  std::string room;
  MAYFLY_TRY(const Bytes value, string.Read(0, string.size(), room));
  call.host.pieced_strings().Note(call.database, key, value);
  return {};
}

void CarryPieced(PiecedStrings& pieced, const PlaceOfRow& from, const PlaceOfRow& to, Bytes value) {
  if (pieced.Has(from.database, from.key, value)) {
    pieced.Note(to.database, to.key, value);
  } else {
    pieced.Forget(to.database, to.key);
  }
}

Status CheckStringBytes(std::uint64_t bytes) {
  if (bytes <= types::kStringBytesMax) return {};
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

Status FeedDeadline(const Call& call, Bytes key) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(key, row));
  if (!row.exists) {
    call.feed->Instead({"DEL", key});
  } else if (row.deadline) {
    call.feed->Instead({"PEXPIREAT", key, std::to_string(ToMs(*row.deadline))});
  } else {
    call.feed->Instead({"PERSIST", key});
  }
  return {};
}

}  // namespace mayfly::server
