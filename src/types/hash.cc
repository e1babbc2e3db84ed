#include "types/hash.h"

#include "types/member_key.h"
#include "types/value_type.h"

namespace mayfly::types {
namespace {

constexpr char kHead[] = {static_cast<char>(ValueType::kHash)};

}  // namespace

Result<Hash> Hash::Open(core::WorkSpace& space, Bytes key) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindTyped(space, key, ValueType::kHash, row));
  return Hash(space, key, row.exists ? row.members : 0);
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
  if (first) MAYFLY_RETURN_IF_ERROR(space_->MakeCollection(key_, Bytes(kHead, sizeof(kHead))));
  MAYFLY_TRY(const bool is_new, space_->PutMember(key_, MemberKey(field), value, lifetime, first));
  if (is_new) ++size_;
  return is_new;
}

Result<bool> Hash::Remove(Bytes field) {
  if (empty()) return false;
  MAYFLY_TRY(const bool removed, space_->RemoveMember(key_, MemberKey(field)));
  if (removed) --size_;
  return removed;
}

Result<std::unique_ptr<core::MemberCursor>> Hash::NewCursor() const {
  if (empty()) return std::unique_ptr<core::MemberCursor>();
  return space_->NewMemberCursor(key_, core::Part::kMembers);
}

}  // namespace mayfly::types
