// member_plan.h - changes of one collection's members and sides, in a plan.
// Invariant: a member with a deadline has one entry in the index and one row in its collection's
// order, for that deadline, written and removed in the batch that writes and removes the member.
// The caller changes the collection's own row, with its counts: once, however many members change.
#pragma once

#include "core/commit/commit_plan.h"
#include "core/layout/collection_codec.h"

namespace mayfly::core {

class MemberPlan {
 public:
  // All arguments must outlive this object. Used under the latch of `key`.
  MemberPlan(CommitPlan& plan, KeyspaceState& keyspace, Stripe stripe, Bytes key,
             const PartKeys& keys)
      : plan_(plan), keyspace_(keyspace), stripe_(stripe), key_(key), keys_(keys) {}

  // `old` is the stored member (null: none). A fresh member that is dead removes it, with an event.
  void Put(Bytes member, const RowView* old, const RowView& fresh);

  // `cause` is for the event, if the member is dead.
  void Remove(Bytes member, const RowView& old, EventCause cause);

  // Removes a member whose collection ended at `ended`. `died`: the member was dead by then.
  void RemoveOrphaned(Bytes member, const RowView& old, bool died, WallTime ended);

  // Writes the user's key, so that a purge that knows only a part finds it.
  void PutName();

  void PutSide(Bytes side, Bytes value);
  void RemoveSide(Bytes side);

 private:
  void DropDeadline(Bytes member, Bytes member_key, const RowView& old);
  void AddEvent(Bytes member, const RowView& row, EventCause cause);

  CommitPlan& plan_;
  KeyspaceState& keyspace_;
  const Stripe stripe_;
  const Bytes key_;
  const PartKeys& keys_;
};

}  // namespace mayfly::core
