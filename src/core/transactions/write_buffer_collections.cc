// Collections within a transaction: changes of members, and of the collection's counts.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/transactions/write_buffers.h"

namespace mayfly::core {
namespace {

Status NoCollection() { return Status::NotFound("there is no such collection"); }

PartKind KindOf(Part part) { return part == Part::kMembers ? PartKind::kMember : PartKind::kSide; }

}  // namespace

Status WriteBuffer::CheckHead(Bytes head) const {
  if (head.size() <= kHeadBytesMax) return {};
  return Status::Invalid("the head of a collection has at most 160 bytes");
}

// The longest engine key with this name, its index entry's, must fit the engine.
Status WriteBuffer::CheckName(const BufferedCollection& parts, Bytes name) const {
  constexpr std::size_t kAround = 32;
  if (name.size() <= kMemberBytesMax &&
      parts.keys.name_at() + name.size() + kAround <= engine::kKeyBytesMax) {
    return {};
  }
  return Status::Invalid("the name of a member is too long; the limit is 65,536 bytes");
}

Status WriteBuffer::CheckCollections() const {
  if (!state_.by_timestamp()) [[likely]]
    return {};
  return Status::Unsupported(
      "the keyspace orders its rows by timestamp; a collection needs one that orders them by "
      "arrival");
}

// A latched transaction stages the members of a large new collection; an optimistic one keeps them.
Status WriteBuffer::CheckRoom(const BufferedCollection& parts) const {
  if (source().is_latched() || parts.draft_parts < kTransactionKeysMax) [[likely]]
    return {};
  return Status::Invalid(fmt::format(
      "the transaction writes more than {} members; commit it in parts", kTransactionKeysMax));
}

Result<RowDraftState> WriteBuffer::NewCollection(Bytes head) {
  MAYFLY_RETURN_IF_ERROR(CheckCollections());
  MAYFLY_RETURN_IF_ERROR(CheckHead(head));
  RowDraftState draft_state{.kind = RowDraftState::Kind::kCollection};
  MAYFLY_TRY(draft_state.collection_id, store_.collection_ids().Next());
  draft_state.fresh = true;
  return draft_state;
}

Status WriteBuffer::MakeCollection(Bytes key, Bytes head, Lifetime lifetime) {
  const Stripe stripe = StripeFor(key);
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key, stripe));
  Rows* row = nullptr;
  MAYFLY_RETURN_IF_ERROR(Load(key, stripe, row));
  std::optional<std::optional<WallTime>> old;
  if (row->second.Shows(transaction_.now())) old = row->second.draft.deadline;
  MAYFLY_TRY(const Span span, Rule()->Apply(lifetime, key, old, transaction_.now()));
  MAYFLY_TRY(RowDraftState draft_state, NewCollection(head));
  draft_state.span = span;
  MAYFLY_TRY(draft_state.deadline, DeadlineOf(span, transaction_.now()));
  Replace(*row, draft_state, head);
  PartsOf(*row);  // Now, so that made_in is this epoch.
  return {};
}

Status WriteBuffer::MakeCollectionUntil(Bytes key, Bytes head, std::optional<WallTime> deadline) {
  const Stripe stripe = StripeFor(key);
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key, stripe));
  Rows* row = nullptr;
  MAYFLY_RETURN_IF_ERROR(Load(key, stripe, row));
  MAYFLY_TRY(RowDraftState draft_state, NewCollection(head));
  draft_state.span = Span::Of(deadline);
  draft_state.deadline = deadline;
  Replace(*row, draft_state, head);
  PartsOf(*row);
  return {};
}

Status WriteBuffer::FindLivingCollection(Bytes key, Access access, Living& living) {
  if (IsLast(key) && source().is_latched() && (access == Access::kRead || last_->second.dirty()))
      [[likely]] {
    MAYFLY_RETURN_IF_ERROR(source().CheckUse(state_));
    living.row = last_;
  } else {
    const Stripe stripe = StripeFor(key);
    MAYFLY_RETURN_IF_ERROR(access == Access::kRead ? CheckRead(key, stripe)
                                                   : CheckWrite(key, stripe));
    MAYFLY_RETURN_IF_ERROR(Load(key, stripe, living.row));
  }
  const RowDraft& draft = living.row->second.draft;
  if (draft.kind == RowDraft::Kind::kAbsent || IsDead(draft.deadline, transaction_.now())) {
    return NoCollection();
  }
  if (draft.kind == RowDraft::Kind::kPlain) return Status::WrongType("the row is no collection");
  if (draft.living_members() == 0 && !draft.fresh) return NoCollection();
  living.parts = &PartsOf(*living.row);
  return {};
}

BufferedCollection& WriteBuffer::FindParts(Rows& row) {
  const std::uint64_t collection_id = row.second.draft.collection_id;
  const auto at = collections_.lower_bound(collection_id);
  if (at != collections_.end() && at->first == collection_id) return UsedParts(*at);
  const RowView* const row_stored = row.second.stored();
  const bool stored = row_stored != nullptr && row_stored->collection_id == collection_id;
  const auto made = collections_.try_emplace(at, collection_id, state_.id(), collection_id, stored,
                                             transaction_.epoch());
  // The collection has not changed yet: its members are the stored ones.
  made->second.stored_mortal = stored && row.second.draft.mortal > 0;
  if (stored) made->second.packed = row.second.stored_parts;
  return UsedParts(*made);
}

Status WriteBuffer::SetHead(Bytes key, Bytes head) {
  MAYFLY_RETURN_IF_ERROR(CheckHead(head));
  Living living;
  MAYFLY_RETURN_IF_ERROR(LivingCollection(key, Access::kWrite, living));
  RowDraft& draft = ToChange(*living.row);
  draft.value = head;  // Which may be a view of it.
  draft.stored_value = false;
  return {};
}

Status WriteBuffer::FindMember(Bytes key, Bytes member, FoundMember& found) {
  return FindPart(key, Part::kMembers, member, found);
}

Status WriteBuffer::FindSide(Bytes key, Bytes side, FoundMember& found) {
  return FindPart(key, Part::kSides, side, found);
}

Status WriteBuffer::FindPart(Bytes key, Part part, Bytes name, FoundMember& found) {
  found.exists = false;
  found.value = {};
  found.deadline.reset();
  Living living;
  MAYFLY_RETURN_IF_ERROR(LivingCollection(key, Access::kRead, living));
  const auto show = [&](const BufferedMember& own) {
    if (!own.Shows(transaction_.now())) return;
    found.exists = true;
    found.value = own.value();
    found.deadline = own.draft.deadline;
  };
  const bool may_be_stored = living.parts->stored && CheckName(*living.parts, name).ok();
  const bool keeps =
      may_be_stored && transaction_.KeepsReads() && source().HoldsAlone(living.row->second.stripe);
  if (keeps && part == Part::kMembers) {
    // It will be changed next.
    BufferedMembers::value_type* own = nullptr;
    MAYFLY_TRY(const bool is_new, LoadMember(key, *living.parts, name, false, own));
    if (is_new) transaction_.Kept(own->second.value());
    show(own->second);
    return {};
  }
  BufferedMembers& drafts = MapOf(*living.parts, part);
  if (const auto* const own = drafts.Find(name);
      own != nullptr && (part == Part::kMembers || own->second.dirty() || own->second.known)) {
    show(own->second);
    return {};
  }
  if (!may_be_stored) return {};
  RowView row;
  MAYFLY_TRY(const bool is_stored,
             ReadPart(key, *living.parts, KindOf(part), name, found.pin, row));
  if (!is_stored) return {};
  if (IsDead(row.deadline, transaction_.now())) {
    transaction_.MetDead(state_, key, name);
    return {};
  }
  found.exists = true;
  found.value = row.payload;
  found.deadline = row.deadline;
  if (keeps && !living.parts->packed) {
    // The next command reads the same nodes of an order.
    BufferedMember& own = transaction_.memory().parts.Emplace(drafts, name).first->second;
    own.known = true;
    own.draft.present = true;
    own.draft.value = row.payload;
    transaction_.Kept(row.payload);
  }
  return {};
}

Result<bool> WriteBuffer::LoadMember(Bytes key, BufferedCollection& parts, Bytes member,
                                     bool skip_read, BufferedMembers::value_type*& own) {
  bool is_new = false;
  std::tie(own, is_new) = transaction_.memory().parts.Emplace(parts.members, member);
  if (!is_new || !parts.stored || skip_read) return is_new;
  BufferedMember& read = own->second;
  if (Status failed = ReadMember(key, parts, member, read); !failed.ok()) {
    parts.members.Erase(member);
    return failed;
  }
  if (read.stored) {
    read.draft.present = true;
    read.draft.value = read.stored_value;
    read.draft.deadline = read.stored->deadline;
    if (IsDead(read.draft.deadline, transaction_.now())) transaction_.MetDead(state_, key, member);
  }
  return true;
}

Status WriteBuffer::ReadMember(Bytes key, const BufferedCollection& parts, Bytes member,
                               BufferedMember& own) {
  own.stored.reset();
  PinnedBytes pin;
  RowView stored;
  MAYFLY_TRY(const bool is_stored, ReadPart(key, parts, PartKind::kMember, member, pin, stored));
  if (!is_stored) return {};
  own.stored_value = stored.payload;
  own.stored = RowView{.deadline = stored.deadline, .payload = own.stored_value};
  return {};
}

MemberDraft& WriteBuffer::PartToChange(const Living& living, BufferedMembers::value_type& part) {
  const std::uint64_t epoch = transaction_.epoch();
  auto& [name, own] = part;
  transaction_.BufferedChange(name);
  if (living.parts->made_in != epoch && own.saved_in != epoch) {
    transaction_.Save(*this, own);
    own.saved_in = epoch;
  }
  own.draft.dirty = true;
  return own.draft;
}

// Updates the counts, and removes the collection with its last living member.
void WriteBuffer::SetMember(const Living& living, BufferedMembers::value_type& member, Bytes value,
                            MemberDraft fresh) {
  const WallTime now = transaction_.now();
  RowDraft& row = ToChange(*living.row);
  // A stored dead member is among the counts; one that was born dead never was.
  const bool stored = !member.second.dirty();
  MemberDraft& draft = PartToChange(living, member);
  const bool counted = draft.present && (stored || !IsDead(draft.deadline, now));
  if (counted) row.CountOut(draft.deadline, now);
  if (fresh.present && !IsDead(fresh.deadline, now)) row.CountIn(fresh.deadline);
  row.fresh = false;
  fresh.dirty = true;
  draft.value = value;  // Which may be a view of it.
  fresh.value = std::move(draft.value);
  draft = std::move(fresh);
  if (row.living_members() > 0) return;
  // Dead members go with it unnoticed.
  if (row.members > 0) transaction_.MetDead(state_, living.row->first);
  Remove(*living.row);
}

Result<bool> WriteBuffer::PutMember(Bytes key, Bytes member, Bytes value, MemberLifetime lifetime,
                                    bool known_new) {
  MAYFLY_RETURN_IF_ERROR(CheckUserValue(value));
  Living living;
  MAYFLY_RETURN_IF_ERROR(LivingCollection(key, Access::kWrite, living));
  MAYFLY_RETURN_IF_ERROR(CheckName(*living.parts, member));
  MAYFLY_RETURN_IF_ERROR(CheckRoom(*living.parts));
  // A new member may replace a dead one of its name.
  BufferedMembers::value_type* own = nullptr;
  MAYFLY_RETURN_IF_ERROR(
      LoadMember(key, *living.parts, member, known_new && !living.parts->stored_mortal, own)
          .status());
  const bool lived = own->second.Shows(transaction_.now());
  transaction_.Buffered(value);
  MemberDraft fresh{.present = true};
  switch (lifetime.kind()) {
    case MemberLifetime::Kind::kForever: break;
    case MemberLifetime::Kind::kKeep:
      if (!lived) break;
      fresh.deadline = own->second.draft.deadline;
      fresh.ttl = own->second.draft.ttl;
      break;
    case MemberLifetime::Kind::kFor: {
      const Span span{Span::Kind::kFor, lifetime.ttl().count()};
      MAYFLY_TRY(fresh.deadline, DeadlineOf(span, transaction_.now()));
      fresh.ttl = lifetime.ttl();
      break;
    }
    case MemberLifetime::Kind::kUntil:
      // No deadline lies before 1970.
      fresh.deadline = std::max(lifetime.instant(), WallTimeFromMs(0));
      break;
  }
  const std::uint64_t collection_id = living.draft().collection_id;
  SetMember(living, *own, value, std::move(fresh));
  MAYFLY_RETURN_IF_ERROR(StageIfMany(key, collection_id, member.size() + value.size()));
  return !lived;
}

Result<bool> WriteBuffer::RemoveMember(Bytes key, Bytes member) {
  Living living;
  MAYFLY_RETURN_IF_ERROR(LivingCollection(key, Access::kWrite, living));
  if (!CheckName(*living.parts, member).ok()) return false;
  BufferedMembers::value_type* own = nullptr;
  MAYFLY_RETURN_IF_ERROR(LoadMember(key, *living.parts, member, false, own).status());
  // A dead member is left to the purge.
  if (!own->second.Shows(transaction_.now())) return false;
  SetMember(living, *own, {}, {});
  return true;
}

Status WriteBuffer::PutSide(Bytes key, Bytes side, Bytes value) {
  MAYFLY_RETURN_IF_ERROR(CheckUserValue(value));
  Living living;
  MAYFLY_RETURN_IF_ERROR(LivingCollection(key, Access::kWrite, living));
  MAYFLY_RETURN_IF_ERROR(CheckName(*living.parts, side));
  MAYFLY_RETURN_IF_ERROR(CheckRoom(*living.parts));
  auto& own = *transaction_.memory().parts.Emplace(living.parts->sides, side).first;
  transaction_.Buffered(value);
  ToPlan(*living.row);
  MemberDraft& draft = PartToChange(living, own);
  draft.present = true;
  draft.value = value;  // Which may be a view of it.
  return StageIfMany(key, living.draft().collection_id, side.size() + value.size());
}

Status WriteBuffer::RemoveSide(Bytes key, Bytes side) {
  Living living;
  MAYFLY_RETURN_IF_ERROR(LivingCollection(key, Access::kWrite, living));
  if (!CheckName(*living.parts, side).ok()) return {};
  auto& own = *transaction_.memory().parts.Emplace(living.parts->sides, side).first;
  ToPlan(*living.row);
  PartToChange(living, own).present = false;
  return {};
}

// What the row says is exact as long as no member is dead. If some are, the order has the next one.
Result<std::optional<WallTime>> WriteBuffer::NextMemberDeath(Bytes key) {
  FoundRow row;
  MAYFLY_RETURN_IF_ERROR(Find(key, row));
  if (!row.exists || !row.is_collection) return std::optional<WallTime>();
  const Rows* const buffered = rows_.Find(key);
  if (buffered == nullptr || buffered->second.draft.mortal == 0) return std::optional<WallTime>();
  const RowDraft& draft = buffered->second.draft;
  if (draft.dead == 0) return draft.first_deadline;
  Collection collection;
  collection.members = draft.members;
  collection.mortal = draft.mortal;
  MAYFLY_TRY(const DeadMembers found,
             CountDeadMembers(store_.engine(), PartKeys(state_.id(), draft.collection_id),
                              collection, transaction_.now()));
  return found.next;
}

Result<std::optional<WallTime>> NextMemberDeath(TransactionKeyspace& space, Bytes key) {
  auto* const buffer = dynamic_cast<WriteBuffer*>(&space);
  if (buffer == nullptr) return std::optional<WallTime>();
  return buffer->NextMemberDeath(key);
}

}  // namespace mayfly::core
