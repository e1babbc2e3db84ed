#include "types/set.h"

#include "types/member_key.h"
#include "types/random_members.h"
#include "types/value_type.h"
#include "types/worn_members.h"

namespace mayfly::types {
namespace {

constexpr Bytes kHead = "s";

Status PutNew(core::TransactionKeyspace& space, Bytes key, Bytes member) {
  constexpr bool kKnownNew = true;
  return space.PutMember(key, member, {}, core::MemberLifetime::Forever(), kKnownNew).status();
}

}  // namespace

Result<Set> Set::Open(core::TransactionKeyspace& space, Bytes key) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindTyped(space, key, ValueType::kSet, row));
  if (!row.exists) return Set(space, key, 0, 0);
  MAYFLY_TRY(const std::uint64_t removed, RemovedOf(row.value));
  return Set(space, key, row.members, removed);
}

Status Set::Replace(core::TransactionKeyspace& space, Bytes key,
                    std::span<const std::string> names) {
  NewSet fresh(space, key);
  for (const std::string& name : names) MAYFLY_RETURN_IF_ERROR(fresh.Add(name));
  return {};
}

Status NewSet::Add(Bytes name) {
  if (size_ == 0) MAYFLY_RETURN_IF_ERROR(space_.MakeCollection(key_, kHead));
  ++size_;
  return PutNew(space_, key_, MemberKey(name));
}

Result<bool> Set::Contains(Bytes name) const {
  if (empty()) return false;
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(space_.FindMember(key_, MemberKey(name), found));
  return found.exists;
}

// A name that is in the set is not written again: nothing has changed, for clients that watch the
// key.
Result<bool> Set::Add(Bytes name) {
  const core::RowKey member = MemberKey(name);
  if (empty()) {
    removed_ = 0;
    MAYFLY_RETURN_IF_ERROR(space_.MakeCollection(key_, kHead));
  } else {
    core::FoundMember found;
    MAYFLY_RETURN_IF_ERROR(space_.FindMember(key_, member, found));
    if (found.exists) return false;
  }
  MAYFLY_RETURN_IF_ERROR(PutNew(space_, key_, member));
  ++size_;
  return true;
}

Result<bool> Set::Remove(Bytes name) {
  if (empty()) return false;
  MAYFLY_TRY(const bool removed, space_.RemoveMember(key_, MemberKey(name)));
  if (!removed) return false;
  --size_;
  if (!empty()) MAYFLY_RETURN_IF_ERROR(NoteRemoved(space_, key_, ValueType::kSet, size_, removed_));
  return true;
}

Status Set::Clear() {
  size_ = 0;
  return space_.Delete(key_).status();
}

Status Set::Walk(FunctionRef<void(Bytes name)> visit) const {
  if (empty()) return {};
  MAYFLY_TRY(const auto cursor, space_.NewMemberCursor(key_, core::Part::kMembers));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    visit(NameOfMember(cursor->member()));
  }
  return cursor->status();
}

Status Set::DrawDistinct(std::uint64_t count, Random& random,
                         FunctionRef<void(Bytes)> visit) const {
  if (empty()) return {};
  MAYFLY_TRY(const auto cursor, space_.NewMemberCursor(key_, core::Part::kMembers));
  return types::DrawDistinct(*cursor, size_, count, random,
                             [&](Bytes member, Bytes) { visit(NameOfMember(member)); });
}

Status Set::DrawWithRepetition(std::uint64_t count, Random& random,
                               FunctionRef<void(Bytes)> visit) const {
  if (empty()) return {};
  MAYFLY_TRY(const auto cursor, space_.NewMemberCursor(key_, core::Part::kMembers));
  return types::DrawWithRepetition(*cursor, size_, count, random,
                                   [&](Bytes member, Bytes) { visit(NameOfMember(member)); });
}

}  // namespace mayfly::types
