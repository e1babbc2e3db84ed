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

// Whether the batch deletes this key.
bool Deletes(const Left& left, Role role, Bytes key) {
  const auto found = left.find({role, key});
  return found != left.end() && !found->second;
}

// Whether it puts this key.
bool Puts(const Left& left, Role role, Bytes key) {
  const auto found = left.find({role, key});
  return found != left.end() && found->second;
}

// What the batch puts into one collection. Keys in `members` lie together by collection.
struct PutParts {
  std::uint64_t parts = 0;
  std::uint64_t members = 0;
  std::uint64_t mortal = 0;
};

PutParts PartsOf(const Left& left, const PartKeys& keys) {
  PutParts put;
  const std::string end = keys.end();
  for (auto at = left.lower_bound({Role::kMembers, keys.begin()});
       at != left.end() && at->first < std::pair(Role::kMembers, Bytes(end)); ++at) {
    if (!at->second) continue;
    ++put.parts;
    if (at->first.second[keys.begin().size()] != static_cast<char>(PartKind::kMember)) continue;
    ++put.members;
    const auto member = DecodeRow(*at->second);
    if (member && member->deadline) ++put.mortal;
  }
  return put;
}

std::string FaultOfCollection(const Left& left, Bytes row_key, const RowView& row) {
  const auto collection = DecodeCollection(row.payload);
  if (!collection) return "a collection that cannot be read";
  if (collection->members == 0 || collection->mortal > collection->members ||
      collection->dead > collection->mortal) {
    return "a collection whose counts contradict each other";
  }
  if (!collection->all_mortal() && row.deadline != collection->own_deadline) {
    return "a collection that does not die at its own deadline";
  }
  const PutParts put = PartsOf(left, PartKeys(*KeyspaceOf(row_key), *row.collection_id));
  if (put.members > collection->members || put.mortal > collection->mortal) {
    return "a collection that counts fewer members than it gets";
  }
  if (!collection->packed) return {};
  if (put.parts > 0) return "a packed collection with parts of their own";
  const auto packed = CountPacked(*collection);
  if (!packed || *packed != collection->members) return "a collection whose members do not fit";
  return {};
}

std::string FaultOfRow(const Left& left, Bytes row_key, Bytes stored) {
  const auto row = DecodeRow(stored);
  if (!row) return "a row that cannot be read";
  if (row->deadline) {
    const std::string entry = EntryKey(*KeyspaceOf(row_key), *row->deadline, UserKeyOf(row_key));
    if (Deletes(left, Role::kExpiry, entry)) return "a row whose entry is deleted";
  }
  return row->collection_id ? FaultOfCollection(left, row_key, *row) : std::string();
}

// Versions lie in `members`, too; they are no parts.
std::string FaultOfMember(const Left& left, Bytes stored_key, Bytes stored) {
  const auto part = DecodePartKey(UserKeyOf(stored_key));
  if (!part || part->part != PartKind::kMember) return {};
  const auto member = DecodeRow(stored);
  if (!member) return "a member that cannot be read";
  if (!member->deadline) return {};
  const KeyspaceId keyspace = *KeyspaceOf(stored_key);
  const std::string entry = EntryKey(MembersOf(keyspace), *member->deadline, UserKeyOf(stored_key));
  if (Deletes(left, Role::kExpiry, entry)) return "a member whose entry is deleted";
  const PartKeys keys(keyspace, part->collection_id);
  if (Deletes(left, Role::kMembers, keys.OfOrder(*member->deadline, part->name))) {
    return "a member that is taken out of its collection's order";
  }
  return {};
}

std::string FaultOfMemberEntry(const Left& left, KeyspaceId keyspace, const EntryView& entry,
                               Bytes stored) {
  const auto part = DecodePartKey(entry.key);
  if (!part) return {};  // Of a version, which leaves later than it dies.
  const auto member = DecodeRow(stored);
  if (!member || member->deadline != entry.deadline) return "an entry of another deadline";
  const PartKeys keys(keyspace, part->collection_id);
  if (!Puts(left, Role::kMembers, keys.OfOrder(entry.deadline, part->name))) {
    return "an entry of a member that does not enter its collection's order";
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
  if (of_member) return FaultOfMemberEntry(left, index & ~kMembersBit, *entry, *found->second);
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
    if (at.first == Role::kMembers) fault = FaultOfMember(left, at.second, *value);
    if (at.first == Role::kExpiry) fault = FaultOfEntry(left, at.second);
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace mayfly::core
