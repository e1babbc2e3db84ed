// Turns a keyspace's drafts into a commit plan.
#include <algorithm>

#include "core/commit/member_plan.h"
#include "core/layout/addresses.h"
#include "core/store/collection_reads.h"
#include "core/transactions/write_buffers.h"

namespace mayfly::core {

Status WriteBuffer::Plan(CommitPlan& plan) {
  if (cleared_) plan.Clear(state_);
  if (moved_) KeepMoved(plan);
  for (const Rows& row : rows_) {
    if (row.second.dirty()) MAYFLY_RETURN_IF_ERROR(PlanRow(plan, row));
  }
  return PlanLate(plan);
}

// Keeps the members of moved collections: their old key is gone, their members stay.
void WriteBuffer::KeepMoved(CommitPlan& plan) const {
  for (const auto& [key, own] : rows_) {
    const RowDraft& draft = own.draft;
    if (own.dirty() && own.is_collection() && own.Shows(transaction_.now())) {
      plan.KeepMembers(draft.collection_id);
    }
  }
}

Status WriteBuffer::PlanRow(CommitPlan& plan, const Rows& row) {
  const auto& [key, own] = row;
  const RowDraft& draft = own.draft;
  if (own.is_collection() && draft.living_members() > 0) {
    if (draft.span.clamped) plan.CountClamped();
    return PlanCollection(plan, row, own.stored());
  }
  // A collection that got no member is written as no row.
  return store_.PlanChange(plan, {state_, key, own.stripe}, own.key_state,
                           ChangeOf(draft, own.value()));
}

Status WriteBuffer::PlanCollection(CommitPlan& plan, const Rows& row, const RowView* old) {
  const auto& [key, own] = row;
  const RowDraft& draft = own.draft;
  const auto found = collections_.find(draft.collection_id);
  BufferedCollection* const parts = found == collections_.end() ? nullptr : &found->second;
  Collection collection{.members = draft.members,
                        .mortal = draft.mortal,
                        .own_deadline = draft.deadline,
                        .first_deadline = draft.first_deadline,
                        .dead = draft.dead,
                        .named = draft.named || draft.mortal > 0,
                        .head = own.value()};
  if (parts == nullptr) {
    collection.packed = own.stored_parts;
  } else if (MayPack(draft, *parts, collection.head)) {
    MAYFLY_TRY(const bool fits, Pack(*parts));
    if (fits) collection.packed = packed_;
  }
  std::optional<WallTime> last;
  if (collection.all_mortal()) {
    MAYFLY_TRY(last, LastDeadline(draft));
  }
  const Stripe stripe = own.stripe;
  plan.PutCollection(state_, stripe, key, old, draft.collection_id, collection, last);
  // A collection whose deadline has passed is removed with its parts.
  if (IsDead(draft.deadline, plan.now())) return {};
  const bool had_name = draft.named && old != nullptr && old->collection_id == draft.collection_id;
  if (collection.named && !had_name) {
    const PartKeys keys(state_.id(), draft.collection_id);
    MemberPlan(plan, state_, stripe, key, keys).PutName();
  }
  if (parts == nullptr || collection.packed) return {};
  if (parts->packed) MAYFLY_RETURN_IF_ERROR(Unpack(plan, *parts));
  if (parts->staged) {
    plan.batch().Delete(kMeta, OrphanKey(state_.id(), draft.collection_id));
    adopted_.insert(draft.collection_id);
  }
  PlanParts(plan, row, *parts);
  return {};
}

// Staged parts leave no events yet.
void WriteBuffer::PlanParts(CommitPlan& plan, const Rows& row, BufferedCollection& parts,
                            bool staged) const {
  MemberPlan members(plan, state_, row.second.stripe, row.first, parts.keys);
  for (const auto& [name, own] : parts.members) {
    if (!own.dirty() || (staged && own.IsBornDead(transaction_.now()))) continue;
    const RowView* const old = own.stored ? &*own.stored : nullptr;
    if (own.draft.present) {
      members.Put(name, old, {.deadline = own.draft.deadline, .payload = own.draft.value});
    } else if (old != nullptr && !parts.packed) {
      members.Remove(name, *old, EventCause::kReplaced);
    }
  }
  for (const auto& [name, own] : parts.sides) {
    if (!own.dirty()) continue;
    if (own.draft.present) {
      members.PutSide(name, own.draft.value);
    } else if (parts.stored && !parts.packed) {
      members.RemoveSide(name);
    }
  }
}

// The last deadline of all members after the commit; they are all mortal.
Result<std::optional<WallTime>> WriteBuffer::LastDeadline(const RowDraft& draft) const {
  std::optional<WallTime> last;
  const auto found = collections_.find(draft.collection_id);
  const BufferedCollection* const parts = found == collections_.end() ? nullptr : &found->second;
  if (parts != nullptr) {
    for (const auto& [name, own] : parts->members) {
      if (!own.dirty() || !own.Shows(transaction_.now()) || !own.draft.deadline) continue;
      last = std::max(last.value_or(*own.draft.deadline), *own.draft.deadline);
    }
    if (!parts->stored) return last;
  }
  const auto skip = [&](Bytes member) {
    if (parts == nullptr) return false;
    const auto* const own = parts->members.Find(member);
    return own != nullptr && own->second.dirty();
  };
  MAYFLY_TRY(const auto state, source().State());
  MAYFLY_TRY(const auto stored,
             LastMemberDeadline(store_.engine(), PartKeys(state_.id(), draft.collection_id), skip,
                                state.get()));
  if (stored) last = std::max(last.value_or(*stored), *stored);
  return last;
}

Status WriteBuffer::SetLastDeadlines() {
  while (!stale_deadlines_.empty()) {
    RowDraft& draft = rows_.Find(*stale_deadlines_.begin())->second.draft;
    draft.last_deadline.reset();
    if (draft.kind == RowDraft::Kind::kCollection && draft.mortal == draft.members) {
      MAYFLY_TRY(draft.last_deadline, LastDeadline(draft));
    }
    stale_deadlines_.erase(stale_deadlines_.begin());
  }
  return {};
}

}  // namespace mayfly::core
