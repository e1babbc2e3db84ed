// Copies and moves rows within a transaction.
#include "core/layout/limits.h"
#include "core/store/collection_reads.h"
#include "core/transactions/write_buffers.h"

namespace mayfly::core {

Status WriteBuffer::Copy(Bytes from, TransactionKeyspace& to_space, Bytes to) {
  WriteBuffer& target = transaction_.In(*to_space.keyspace());
  const Stripe from_stripe = StripeFor(from);
  const Stripe to_stripe = target.StripeFor(to);
  MAYFLY_RETURN_IF_ERROR(source().CheckRead(state_, from, from_stripe));
  MAYFLY_RETURN_IF_ERROR(source().CheckWrite(target.state_, to, to_stripe));
  Rows* row = nullptr;
  MAYFLY_RETURN_IF_ERROR(Load(from, from_stripe, row));
  if (!row->second.Shows(transaction_.now())) return Status::NotFound();
  if (&target == this && from == to) {
    ToChange(*row);
    return {};
  }
  // Within a keyspace the deadline stays; the policy of another keyspace may refuse it.
  std::optional<WallTime> deadline = row->second.draft.deadline;
  Span span = row->second.draft.span;
  if (&target != this) {
    const LifetimeRule rule{.policy = target.Rule()->policy, .allow_any_instant = true};
    const Lifetime asked = deadline ? Lifetime::Until(*deadline) : Lifetime::Forever();
    MAYFLY_TRY(span, rule.Apply(asked, to, std::nullopt, transaction_.now()));
    MAYFLY_TRY(deadline, DeadlineOf(span, transaction_.now()));
  }
  if (row->second.is_collection()) {
    MAYFLY_RETURN_IF_ERROR(NoteDeadMembers(*row));
    MAYFLY_RETURN_IF_ERROR(target.MakeCollectionUntil(to, row->second.value(), deadline));
    return CopyParts(target, from, to);
  }
  Rows* written = nullptr;
  MAYFLY_RETURN_IF_ERROR(target.Load(to, to_stripe, written));
  const RowDraftState fresh{
      .kind = RowDraftState::Kind::kPlain, .span = span, .deadline = deadline};
  target.Replace(*written, fresh, row->second.value());
  return {};
}

// Within its keyspace a collection keeps its id, so its members, however many, stay where they are.
// Other rows are copied and deleted, and so are those that have their members in them.
Status WriteBuffer::Move(Bytes from, TransactionKeyspace& to_space, Bytes to) {
  WriteBuffer& target = transaction_.In(*to_space.keyspace());
  if (&target == this && from != to && source().is_latched()) {
    const Stripe from_stripe = StripeFor(from);
    const Stripe to_stripe = StripeFor(to);
    MAYFLY_RETURN_IF_ERROR(source().CheckWrite(state_, from, from_stripe));
    MAYFLY_RETURN_IF_ERROR(source().CheckWrite(state_, to, to_stripe));
    Rows* row = nullptr;
    MAYFLY_RETURN_IF_ERROR(Load(from, from_stripe, row));
    if (row->second.is_collection() && row->second.Shows(transaction_.now()) &&
        !PartsOf(*row).packed) {
      Rows* written = nullptr;
      MAYFLY_RETURN_IF_ERROR(Load(to, to_stripe, written));
      RowDraftState draft_state = row->second.draft;
      draft_state.stored_value = false;
      moved_ = true;
      Replace(*written, draft_state, row->second.value());
      Remove(*row);
      return {};
    }
  }
  MAYFLY_RETURN_IF_ERROR(Copy(from, to_space, to));
  if (&target == this && from == to) return {};
  return Delete(from).status();
}

Status WriteBuffer::MeetDeadMembers(Bytes key) {
  const Stripe stripe = StripeFor(key);
  MAYFLY_RETURN_IF_ERROR(source().CheckRead(state_, key, stripe));
  Rows* row = nullptr;
  MAYFLY_RETURN_IF_ERROR(Load(key, stripe, row));
  const bool has_members = row->second.Shows(transaction_.now()) && row->second.is_collection();
  return has_members ? NoteDeadMembers(*row) : Status();
}

// A follower that does not judge deadlines by itself would copy dead members, too, and would never
// hear of the copies' deaths.
Status WriteBuffer::NoteDeadMembers(Rows& row) {
  if (row.second.draft.dead == 0 || !transaction_.notes_deaths()) return {};
  BufferedCollection& parts = PartsOf(row);
  MAYFLY_TRY(const auto state, source().State());
  const auto note = [&](Bytes member) {
    const auto* const own = parts.members.Find(member);
    if (own == nullptr || !own->second.dirty()) transaction_.MetDead(state_, row.first, member);
  };
  return VisitDeadMembers(store_.engine(), parts.keys, transaction_.now(), note, state.get());
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
