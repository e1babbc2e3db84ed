#include "types/worn_members.h"

#include <optional>
#include <string>
#include <vector>

#include "base/coding.h"

namespace mayfly::types {
namespace {

struct Member {
  std::string name;
  std::string value;
  std::optional<WallTime> deadline;
};

std::string HeadOf(ValueType type, std::uint64_t removed) {
  std::string head(1, static_cast<char>(type));
  if (removed > 0) AppendVarint(head, removed);
  return head;
}

Status BeginAnew(core::TransactionKeyspace& space, Bytes key, Bytes head) {
  std::vector<Member> members;
  {
    MAYFLY_TRY(const auto cursor, space.NewMemberCursor(key, core::Part::kMembers));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      members.push_back(
          {std::string(cursor->member()), std::string(cursor->value()), cursor->deadline()});
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
  }
  MAYFLY_RETURN_IF_ERROR(space.MakeCollection(key, head, Lifetime::Keep()));
  for (const Member& member : members) {
    const auto lifetime = member.deadline ? core::MemberLifetime::Until(*member.deadline)
                                          : core::MemberLifetime::Forever();
    constexpr bool kKnownNew = true;
    MAYFLY_RETURN_IF_ERROR(
        space.PutMember(key, member.name, member.value, lifetime, kKnownNew).status());
  }
  return {};
}

}  // namespace

Result<std::uint64_t> RemovedOf(Bytes head) {
  std::uint64_t removed = 0;
  head.remove_prefix(1);
  if (head.empty()) return removed;
  if (!EatVarint(head, removed) || !head.empty()) {
    return Status::Corruption("the head of a collection cannot be read; run a check");
  }
  return removed;
}

Status NoteRemoved(core::TransactionKeyspace& space, Bytes key, ValueType type, std::uint64_t left,
                   std::uint64_t& removed) {
  ++removed;
  if (removed >= kWornRemovedMin && removed >= kWornRemovedShare * left && left <= kRenewedMax) {
    removed = 0;
    return BeginAnew(space, key, HeadOf(type, removed));
  }
  return space.SetHead(key, HeadOf(type, removed));
}

}  // namespace mayfly::types
