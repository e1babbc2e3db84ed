#include "server/commands/support/value_encoding.h"

#include "base/function_ref.h"
#include "server/command/pieced_strings.h"
#include "types/member_key.h"
#include "types/value_type.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

constexpr std::string_view kListpack = "listpack";
constexpr std::string_view kHashTable = "hashtable";

std::string_view EncodingOfString(bool pieced, Bytes value) {
  if (pieced) return "raw";
  std::int64_t number = 0;
  if (ReadInteger(value, number)) return "int";
  return value.size() <= PiecedStrings::kBytesMax ? "embstr" : "raw";
}

bool AtMost(std::uint64_t count, std::int64_t bound) {
  return bound >= 0 && count <= static_cast<std::uint64_t>(bound);
}

// Whether the row has at most `count_max` members, all of them `small`.
Result<bool> AllMembers(core::TransactionKeyspace& space, Bytes key, const core::FoundRow& row,
                        std::int64_t count_max, FunctionRef<bool(Bytes name, Bytes value)> small) {
  if (!AtMost(row.members, count_max)) return false;
  MAYFLY_TRY(const auto cursor, space.NewMemberCursor(key, core::Part::kMembers));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    if (!small(types::NameOfMember(cursor->member()), cursor->value())) return false;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return true;
}

}  // namespace

Result<std::string_view> EncodingOf(const Call& call, Bytes key, const core::FoundRow& row) {
  MAYFLY_TRY(const types::ValueType type, types::TypeOf(row.is_collection, row.value));
  const EncodingLimits limits = call.host.encoding_limits();
  switch (type) {
    case types::ValueType::kString:
      if (row.is_collection) return "raw";  // A string in chunks is long.
      return EncodingOfString(call.host.pieced_strings().Has(call.database, key, row.value),
                              row.value);
    case types::ValueType::kList: return "quicklist";
    case types::ValueType::kStream: return "stream";
    case types::ValueType::kHash: {
      MAYFLY_TRY(const bool small,
                 AllMembers(call.space(), key, row, limits.hash_entries, [&](Bytes f, Bytes v) {
                   return AtMost(std::max(f.size(), v.size()), limits.hash_bytes);
                 }));
      return small ? kListpack : kHashTable;
    }
    case types::ValueType::kSet: {
      MAYFLY_TRY(const bool integers,
                 AllMembers(call.space(), key, row, limits.set_integers, [](Bytes name, Bytes) {
                   std::int64_t number = 0;
                   return ReadInteger(name, number);
                 }));
      return integers ? std::string_view("intset") : kHashTable;
    }
    case types::ValueType::kSortedSet: break;
  }
  MAYFLY_TRY(const bool small,
             AllMembers(call.space(), key, row, limits.sorted_set_entries, [&](Bytes name, Bytes) {
               return AtMost(name.size(), limits.sorted_set_bytes);
             }));
  return small ? kListpack : std::string_view("skiplist");
}

}  // namespace mayfly::server
