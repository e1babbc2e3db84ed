// Turns a keyspace's drafts into a commit plan; copies and moves rows.
#include <algorithm>

#include "core/commit/member_plan.h"
#include "core/store/collection_reads.h"
#include "core/transactions/latched_transaction_impl.h"
#include "core/transactions/write_buffer.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kMeta{engine::Role::kMeta};

}  // namespace

Status WriteBuffer::Plan(CommitPlan& plan) {
  if (cleared_) plan.Clear(state_);
  if (moved_) KeepMoved(plan);
  for (const Rows& row : rows_) {
    if (row.second.dirty()) MAYFLY_RETURN_IF_ERROR(PlanRow(plan, row));
  }
  return {};
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
  const RowView* const old = own.stored ? &*own.stored : nullptr;
  const Stripe stripe = StripeOf(state_.id(), key);
  if (draft.clamped) plan.CountClamped();
  switch (draft.kind) {
    case RowDraft::Kind::kPlain:
      plan.Put(state_, stripe, key, old, {.deadline = draft.deadline, .payload = own.value()});
      return {};
    case RowDraft::Kind::kCollection:
      if (draft.living_members() > 0) return PlanCollection(plan, row, old);
      break;  // It got no member: no row is written.
    case RowDraft::Kind::kAbsent: break;
  }
  if (old != nullptr) plan.Remove(state_, stripe, key, *old, EventCause::kReplaced);
  return {};
}

Status WriteBuffer::PlanCollection(CommitPlan& plan, const Rows& row, const RowView* old) {
  const auto& [key, own] = row;
  const RowDraft& draft = own.draft;
  const auto found = collections_.find(draft.collection_id);
  BufferedCollection* const parts = found == collections_.end() ? nullptr : &found->second;
  const Collection collection{.members = draft.members,
                              .mortal = draft.mortal,
                              .own_deadline = draft.deadline,
                              .first_deadline = draft.first_deadline,
                              .dead = draft.dead,
                              .named = draft.named || draft.mortal > 0,
                              .head = own.value()};
  std::optional<WallTime> last;
  if (collection.all_mortal()) {
    MAYFLY_TRY(last, LastDeadline(parts, draft.collection_id));
  }
  std::string payload;
  AppendCollection(payload, collection);
  const RowView fresh{.deadline = DeadlineOf(collection, last),
                      .payload = payload,
                      .collection_id = draft.collection_id};
  const bool same = old != nullptr && old->deadline == fresh.deadline &&
                    old->collection_id == fresh.collection_id && old->payload == fresh.payload;
  if (!same) plan.Put(state_, StripeOf(state_.id(), key), key, old, fresh);
  // A collection whose deadline has passed is removed with its parts.
  if (IsDead(draft.deadline, plan.now())) return {};
  const bool had_name = draft.named && old != nullptr && old->collection_id == draft.collection_id;
  if (collection.named && !had_name) {
    const PartKeys keys(state_.id(), draft.collection_id);
    MemberPlan(plan, state_, StripeOf(state_.id(), key), key, keys).PutName();
  }
  if (parts == nullptr) return {};
  if (parts->staged) {
    plan.batch().Delete(kMeta, OrphanKey(state_.id(), draft.collection_id));
    adopted_.insert(draft.collection_id);
  }
  PlanParts(plan, key, *parts);
  return {};
}

// Staged parts leave no events yet.
void WriteBuffer::PlanParts(CommitPlan& plan, Bytes key, BufferedCollection& parts,
                            bool staged) const {
  MemberPlan members(plan, state_, StripeOf(state_.id(), key), key, parts.keys);
  for (const auto& [name, own] : parts.members) {
    if (!own.dirty() || (staged && own.IsBornDead(transaction_.now()))) continue;
    const RowView* const old = own.stored ? &*own.stored : nullptr;
    if (own.draft.present) {
      members.Put(name, old, {.deadline = own.draft.deadline, .payload = own.draft.value});
    } else if (old != nullptr) {
      members.Remove(name, *old, EventCause::kReplaced);
    }
  }
  for (const auto& [name, own] : parts.sides) {
    if (!own.dirty()) continue;
    if (own.draft.present) {
      members.PutSide(name, own.draft.value);
    } else if (parts.stored) {
      members.RemoveSide(name);
    }
  }
}

// The last deadline of all members after the commit; they are all mortal.
Result<std::optional<WallTime>> WriteBuffer::LastDeadline(const BufferedCollection* parts,
                                                          std::uint64_t collection_id) const {
  std::optional<WallTime> last;
  if (parts != nullptr) {
    for (const auto& [name, own] : parts->members) {
      if (!own.dirty() || !own.Shows(transaction_.now()) || !own.draft.deadline) continue;
      last = std::max(last.value_or(*own.draft.deadline), *own.draft.deadline);
    }
    if (!parts->stored) return last;
  }
  const auto skip = [&](Bytes member) {
    if (parts == nullptr) return false;
    const auto own = parts->members.find(member);
    return own != parts->members.end() && own->second.dirty();
  };
  MAYFLY_TRY(const auto stored,
             LastMemberDeadline(store_.engine(), PartKeys(state_.id(), collection_id), skip));
  if (stored) last = std::max(last.value_or(*stored), *stored);
  return last;
}

Status WriteBuffer::Copy(Bytes from, LatchedKeyspace& to_space, Bytes to) {
  auto& target = dynamic_cast<WriteBuffer&>(to_space);
  MAYFLY_RETURN_IF_ERROR(CheckKey(from));
  MAYFLY_RETURN_IF_ERROR(target.CheckWrite(to));
  MAYFLY_TRY(Rows * row, Load(from));
  if (!row->second.Shows(transaction_.now())) return Status::NotFound();
  if (&target == this && from == to) {
    ToChange(*row);
    return {};
  }
  // Within a keyspace the deadline stays; the policy of another keyspace may refuse it.
  std::optional<WallTime> deadline = row->second.draft.deadline;
  bool clamped = false;
  if (&target != this) {
    const LifetimeRule rule{.policy = target.Rule().policy, .allow_any_instant = true};
    const Lifetime asked = deadline ? Lifetime::Until(*deadline) : Lifetime::Forever();
    MAYFLY_TRY(const Span span, rule.Apply(asked, to, std::nullopt, transaction_.now()));
    MAYFLY_TRY(deadline, DeadlineOf(span, transaction_.now()));
    clamped = span.clamped;
  }
  if (row->second.is_collection()) {
    MAYFLY_RETURN_IF_ERROR(target.MakeCollectionUntil(to, row->second.value(), deadline));
    return CopyParts(target, from, to);
  }
  RowDraft fresh{.kind = RowDraft::Kind::kPlain,
                 .clamped = clamped,
                 .value = std::string(row->second.value()),
                 .deadline = deadline};
  MAYFLY_TRY(Rows * written, target.Load(to));
  target.Replace(*written, std::move(fresh));
  return {};
}

// Within its keyspace a collection keeps its id, so its members, however many, stay where they are.
// Other rows are copied and deleted.
Status WriteBuffer::Move(Bytes from, LatchedKeyspace& to_space, Bytes to) {
  auto& target = dynamic_cast<WriteBuffer&>(to_space);
  if (&target == this && from != to) {
    MAYFLY_RETURN_IF_ERROR(CheckWrite(from));
    MAYFLY_RETURN_IF_ERROR(CheckWrite(to));
    MAYFLY_TRY(Rows * row, Load(from));
    if (row->second.is_collection() && row->second.Shows(transaction_.now())) {
      MAYFLY_TRY(Rows * written, Load(to));
      PartsOf(*row);  // Now, while the row under this key tells whether the parts are stored.
      RowDraft draft = row->second.draft;
      draft.value = std::string(row->second.value());
      draft.stored_value = false;
      moved_ = true;
      Replace(*written, std::move(draft));
      Remove(*row);
      return {};
    }
  }
  MAYFLY_RETURN_IF_ERROR(Copy(from, to_space, to));
  if (&target == this && from == to) return {};
  return Delete(from).status();
}

Status WriteBuffer::CopyParts(WriteBuffer& to_space, Bytes from, Bytes to) {
  for (const Part part : {Part::kMembers, Part::kSides}) {
    MAYFLY_TRY(const auto cursor, NewMemberCursor(from, part, {}));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      if (part == Part::kSides) {
        MAYFLY_RETURN_IF_ERROR(to_space.PutSide(to, cursor->member(), cursor->value()));
        continue;
      }
      const auto deadline = cursor->deadline();
      MAYFLY_RETURN_IF_ERROR(
          to_space
              .PutMember(to, cursor->member(), cursor->value(),
                         deadline ? MemberLifetime::Until(*deadline) : MemberLifetime::Forever(),
                         /*known_new=*/true)
              .status());
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
  }
  return {};
}

}  // namespace mayfly::core
