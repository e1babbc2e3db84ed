#include "types/value_type.h"

#include "core/commit/whole_value.h"
#include "types/string.h"

namespace mayfly::types {
namespace {

constexpr auto kUncountedSortedSet = static_cast<ValueType>('z');

}  // namespace

std::string_view NameOf(ValueType type) {
  switch (type) {
    case ValueType::kString: return "string";
    case ValueType::kHash: return "hash";
    case ValueType::kList: return "list";
    case ValueType::kSet: return "set";
    case ValueType::kSortedSet: return "zset";
    case ValueType::kStream: return "stream";
  }
  return "unknown";
}

Result<ValueType> TypeOf(bool is_collection, Bytes value) {
  if (!is_collection) return ValueType::kString;
  if (core::DecodeChunkedHead(value)) return ValueType::kString;
  const auto type = static_cast<ValueType>(value.empty() ? '\0' : value.front());
  if (type == kUncountedSortedSet) {
    return Status::Unsupported(
        "a sorted set of an older layout; take a DUMP of it with the build that wrote it, and "
        "RESTORE that here");
  }
  switch (type) {
    case ValueType::kHash:
    case ValueType::kList:
    case ValueType::kSet:
    case ValueType::kSortedSet:
    case ValueType::kStream: return type;
    case ValueType::kString: break;
  }
  return Status::Corruption("the head of a collection names no type; run a check");
}

Status FindTyped(core::TransactionKeyspace& space, Bytes key, ValueType type, core::FoundRow& row) {
  MAYFLY_RETURN_IF_ERROR(space.Find(key, row));
  if (!row.exists) return {};
  MAYFLY_TRY(const ValueType found, TypeOf(row.is_collection, row.value));
  if (found != type) return Status::WrongType("the key holds another type");
  return type == ValueType::kString ? ShowString(space, key, row) : Status();
}

}  // namespace mayfly::types
