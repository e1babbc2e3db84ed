#include "types/hash.h"

#include "types/member_key.h"
#include "types/value_type.h"
#include "types/worn_members.h"

namespace mayfly::types {
namespace {

constexpr char kHead[] = {static_cast<char>(ValueType::kHash)};

}  // namespace

Result<Hash> Hash::Open(core::TransactionKeyspace& space, Bytes key) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindTyped(space, key, ValueType::kHash, row));
  if (!row.exists) return Hash(space, key, 0, 0);
  MAYFLY_TRY(const std::uint64_t removed, RemovedOf(row.value));
  return Hash(space, key, row.members, removed);
}

Status Hash::Find(Bytes field, core::FoundMember& found) const {
  if (empty()) {
    found.exists = false;
    return {};
  }
  return space_->FindMember(key_, MemberKey(field), found);
}

Result<bool> Hash::Put(Bytes field, Bytes value, core::MemberLifetime lifetime) {
  const bool first = empty();
  if (first) {
    removed_ = 0;
    MAYFLY_RETURN_IF_ERROR(space_->MakeCollection(key_, Bytes(kHead, sizeof(kHead))));
  }
  MAYFLY_TRY(const bool is_new, space_->PutMember(key_, MemberKey(field), value, lifetime, first));
  if (is_new) ++size_;
  return is_new;
}

Result<bool> Hash::Remove(Bytes field) {
  if (empty()) return false;
  MAYFLY_TRY(const bool removed, space_->RemoveMember(key_, MemberKey(field)));
  if (!removed) return false;
  --size_;
  if (!empty()) {
    MAYFLY_RETURN_IF_ERROR(NoteRemoved(*space_, key_, ValueType::kHash, size_, removed_));
  }
  return true;
}

Result<std::unique_ptr<core::MemberCursor>> Hash::NewCursor() const {
  if (empty()) return std::unique_ptr<core::MemberCursor>();
  return space_->NewMemberCursor(key_, core::Part::kMembers);
}

}  // namespace mayfly::types
