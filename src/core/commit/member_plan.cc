#include "core/commit/member_plan.h"

#include <algorithm>

#include "core/layout/addresses.h"
#include "core/layout/liveness.h"

namespace mayfly::core {

void MemberPlan::Put(Bytes member, const RowView* old, const RowView& fresh) {
  const WallTime now = plan_.now();
  const bool old_is_dead = old != nullptr && IsDead(old->deadline, now);
  if (IsDead(fresh.deadline, now)) {
    if (old != nullptr) Remove(member, *old, EventCause::kReplaced);
    if (!old_is_dead) AddEvent(member, fresh, EventCause::kBornDead);
    return;
  }
  const RowKey member_key = keys_.Of(PartKind::kMember, member);
  plan_.batch().Put(kMembers, member_key, plan_.Encode(fresh));
  if (old != nullptr && old->deadline != fresh.deadline) DropDeadline(member, member_key, *old);
  if (fresh.deadline && (old == nullptr || old->deadline != fresh.deadline)) {
    plan_.batch().Put(kMembers, keys_.OfOrder(*fresh.deadline, member), {});
    plan_.PutMemberEntry(keyspace_, stripe_, *fresh.deadline, UserKeyOf(member_key));
  }
  if (old != nullptr) plan_.NoteReplaced(keyspace_, stripe_, old->payload, fresh.payload);
  if (!old_is_dead) return;
  AddEvent(member, *old, EventCause::kReplaced);
  plan_.CountDeadMember();
  plan_.NoteRemoval(keyspace_, stripe_, *old->deadline);
}

void MemberPlan::Remove(Bytes member, const RowView& old, EventCause cause) {
  const RowKey member_key = keys_.Of(PartKind::kMember, member);
  plan_.batch().Delete(kMembers, member_key);
  DropDeadline(member, member_key, old);
  if (IsDead(old.deadline, plan_.now())) {
    AddEvent(member, old, cause);
    plan_.CountDeadMember();
  }
  plan_.NoteRemoval(keyspace_, stripe_, std::min(old.deadline.value_or(plan_.now()), plan_.now()));
}

void MemberPlan::RemoveOrphaned(Bytes member, const RowView& old, bool died, WallTime ended) {
  const RowKey member_key = keys_.Of(PartKind::kMember, member);
  plan_.batch().Delete(kMembers, member_key);
  DropDeadline(member, member_key, old);
  if (died) {
    AddEvent(member, old, EventCause::kPurged);
    plan_.CountDeadMember();
  }
  plan_.NoteRemoval(keyspace_, stripe_, died ? *old.deadline : ended);
}

void MemberPlan::PutName() {
  plan_.batch().Put(kMembers, keys_.OfName(), plan_.Encode({.deadline = {}, .payload = key_}));
  plan_.NoteReplaced(keyspace_, stripe_, {}, key_);  // The name it had before, if it was moved.
}

void MemberPlan::PutSide(Bytes side, Bytes value) {
  plan_.batch().Put(kMembers, keys_.Of(PartKind::kSide, side),
                    plan_.Encode({.deadline = {}, .payload = value}));
  // The replaced side, if any, was not read. Most sides have only a name.
  if (!value.empty()) plan_.NoteReplaced(keyspace_, stripe_, {}, value);
}

void MemberPlan::RemoveSide(Bytes side) {
  plan_.batch().Delete(kMembers, keys_.Of(PartKind::kSide, side));
  plan_.NoteRemoval(keyspace_, stripe_, plan_.now());
}

void MemberPlan::DropDeadline(Bytes member, Bytes member_key, const RowView& old) {
  if (!old.deadline) return;
  plan_.batch().Delete(kMembers, keys_.OfOrder(*old.deadline, member));
  plan_.RemoveMemberEntry(keyspace_, *old.deadline, UserKeyOf(member_key));
}

void MemberPlan::AddEvent(Bytes member, const RowView& row, EventCause cause) {
  plan_.AddMemberEvent(keyspace_, key_, member, *row.deadline, row.payload, cause);
}

}  // namespace mayfly::core
