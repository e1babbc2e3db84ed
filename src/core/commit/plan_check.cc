#include "core/commit/plan_check.h"

#include <map>
#include <optional>
#include <utility>

#include "core/layout/collection_codec.h"
#include "core/layout/keys.h"
#include "core/layout/packed_parts.h"
#include "core/layout/row_codec.h"

namespace mayfly::core {
namespace {

using engine::Role;

// What the batch leaves under a key: a value, or nothing. Ranges are only deleted of keyspaces,
// before anything is put there.
using Left = std::map<std::pair<Role, Bytes>, std::optional<Bytes>>;

Left LeftBy(const engine::Batch& batch) {
  Left left;
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const auto change = batch.change(i);
    if (change.kind == engine::Batch::Kind::kDeleteRange) continue;
    auto& value = left[{change.at.role, change.key}];
    value.reset();
    if (change.kind == engine::Batch::Kind::kPut) value = change.value;
  }
  return left;
}

std::string FaultOfRow(const Left& left, Bytes row_key, Bytes stored) {
  const auto row = DecodeRow(stored);
  if (!row) return "a row that cannot be read";
  if (row->deadline) {
    const std::string entry = EntryKey(*KeyspaceOf(row_key), *row->deadline, UserKeyOf(row_key));
    const auto found = left.find({Role::kExpiry, entry});
    if (found != left.end() && !found->second) return "a row whose entry is deleted";
  }
  if (!row->collection_id) return {};
  const auto collection = DecodeCollection(row->payload);
  if (!collection) return "a collection that cannot be read";
  if (collection->members == 0 || collection->mortal > collection->members ||
      collection->dead > collection->mortal) {
    return "a collection whose counts contradict each other";
  }
  if (collection->packed) {
    const auto packed = CountPacked(*collection);
    if (!packed || *packed != collection->members) return "a collection whose members do not fit";
  }
  return {};
}

std::string FaultOfEntry(const Left& left, Bytes entry_key) {
  const auto entry = DecodeEntry(entry_key);
  if (!entry) return "an entry that cannot be read";
  const KeyspaceId index = *KeyspaceOf(entry_key);
  const bool of_member = (index & kMembersBit) != 0;
  const RowKey stored_key(index & ~kMembersBit, entry->key);
  const auto found = left.find({of_member ? Role::kMembers : Role::kRows, stored_key});
  if (found == left.end() || !found->second) return "an entry without its row";
  if (of_member) return {};
  const auto row = DecodeRow(*found->second);
  if (!row || row->deadline != entry->deadline) return "an entry of another deadline";
  return {};
}

}  // namespace

std::string FaultOf(const engine::Batch& batch) {
  const Left left = LeftBy(batch);
  for (const auto& [at, value] : left) {
    if (!value) continue;
    std::string fault;
    if (at.first == Role::kRows) fault = FaultOfRow(left, at.second, *value);
    if (at.first == Role::kExpiry) fault = FaultOfEntry(left, at.second);
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace mayfly::core
