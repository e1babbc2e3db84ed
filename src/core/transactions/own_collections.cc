// Collections within a work: what becomes of members, and so of their collection.
#include <algorithm>

#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/transactions/own_space.h"
#include "core/transactions/work_calls.h"

namespace mayfly::core {
namespace {

constexpr engine::Role kMembers = engine::Role::kMembers;

Status NoCollection() { return Status::NotFound("there is no such collection"); }

PartKind KindOf(Part part) { return part == Part::kMembers ? PartKind::kMember : PartKind::kSide; }

}  // namespace

Status OwnSpace::CheckHead(Bytes head) const {
  if (head.size() <= kHeadBytesMax) return {};
  return Status::Invalid("the head of a collection has at most 64 bytes");
}

// The name with all that stands around it must fit the engine, in the index too.
Status OwnSpace::CheckName(const OwnCollection& parts, Bytes name) const {
  constexpr std::size_t kAround = 32;
  if (name.size() <= kMemberBytesMax &&
      parts.keys.name_at() + name.size() + kAround <= engine::kKeyBytesMax) {
    return {};
  }
  return Status::Invalid("the name of a member is too long; the limit is 65,536 bytes");
}

Result<RowFate> OwnSpace::NewCollection(Bytes head) {
  MAYFLY_RETURN_IF_ERROR(CheckHead(head));
  RowFate fate{.kind = RowFate::Kind::kCollection, .value = std::string(head)};
  MAYFLY_TRY(fate.version, store_.versions().Next());
  fate.fresh = true;
  return fate;
}

Status OwnSpace::MakeCollection(Bytes key, Bytes head, Lifetime lifetime) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_TRY(Rows * row, Load(key));
  std::optional<std::optional<WallTime>> old;
  if (row->second.Shows(work_.now())) old = row->second.fate.deadline;
  MAYFLY_TRY(const Span span, Rule().Apply(lifetime, key, old, work_.now()));
  MAYFLY_TRY(RowFate fate, NewCollection(head));
  fate.clamped = span.clamped;
  MAYFLY_TRY(fate.deadline, DeadlineOf(span, work_.now()));
  Replace(*row, std::move(fate));
  PartsOf(*row);  // In the epoch it is made in.
  return {};
}

Status OwnSpace::MakeCollectionUntil(Bytes key, Bytes head, std::optional<WallTime> deadline) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_TRY(Rows * row, Load(key));
  MAYFLY_TRY(RowFate fate, NewCollection(head));
  fate.deadline = deadline;
  Replace(*row, std::move(fate));
  PartsOf(*row);
  return {};
}

Result<OwnSpace::Living> OwnSpace::LivingCollection(Bytes key) {
  MAYFLY_TRY(Rows * row, Load(key));
  const RowFate& fate = row->second.fate;
  if (fate.kind == RowFate::Kind::kAbsent || IsDead(fate.deadline, work_.now())) {
    return NoCollection();
  }
  if (fate.kind == RowFate::Kind::kPlain) return Status::WrongType("the row is no collection");
  if (fate.living_members() == 0 && !fate.fresh) return NoCollection();
  return Living{row, &PartsOf(*row)};
}

OwnCollection& OwnSpace::PartsOf(Rows& row) {
  const std::uint64_t version = row.second.fate.version;
  const auto at = collections_.lower_bound(version);
  if (at != collections_.end() && at->first == version) return at->second;
  const bool stored = row.second.stored && row.second.stored->version == version;
  const auto made =
      collections_.try_emplace(at, version, state_.id(), version, stored, work_.epoch());
  // Nothing of the collection has changed yet: its members are as they are stored.
  made->second.stored_mortal = stored && row.second.fate.mortal > 0;
  return made->second;
}

Status OwnSpace::SetHead(Bytes key, Bytes head) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_RETURN_IF_ERROR(CheckHead(head));
  MAYFLY_TRY(const Living living, LivingCollection(key));
  std::string copy(head);  // It may be a part of the old one.
  RowFate& fate = ToChange(*living.row);
  fate.value = std::move(copy);
  fate.stored_value = false;
  return {};
}

Status OwnSpace::FindMember(Bytes key, Bytes member, FoundMember& found) {
  return FindPart(key, Part::kMembers, member, found);
}

Status OwnSpace::FindSide(Bytes key, Bytes side, FoundMember& found) {
  return FindPart(key, Part::kSides, side, found);
}

Status OwnSpace::FindPart(Bytes key, Part part, Bytes name, FoundMember& found) {
  found.exists = false;
  found.value = {};
  found.deadline.reset();
  MAYFLY_RETURN_IF_ERROR(CheckKey(key));
  MAYFLY_TRY(const Living living, LivingCollection(key));
  OwnMembers& own = MapOf(*living.parts, part);
  if (!own.empty()) {
    const auto at = own.find(name);
    // Of a side that is not dirty nothing is known.
    if (at != own.end() && (part == Part::kMembers || at->second.dirty())) {
      if (!at->second.Shows(work_.now())) return {};
      found.exists = true;
      found.value = at->second.value();
      found.deadline = at->second.fate.deadline;
      return {};
    }
  }
  if (!living.parts->stored || !CheckName(*living.parts, name).ok()) return {};
  const Status read =
      store_.GetLatched(kMembers, living.parts->keys.Of(KindOf(part), name), found.pin);
  if (read.IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(read);
  MAYFLY_TRY(const RowView row, DecodeRow(found.pin.view()));
  if (IsDead(row.deadline, work_.now())) return {};
  found.exists = true;
  found.value = row.payload;
  found.deadline = row.deadline;
  return {};
}

Result<OwnMembers::value_type*> OwnSpace::LoadMember(OwnCollection& parts, Bytes member,
                                                     bool skip_read) {
  const auto at = parts.members.lower_bound(member);
  if (at != parts.members.end() && at->first == member) return &*at;
  PinnedBytes pin;
  std::optional<RowView> stored;
  if (parts.stored && !skip_read) {
    const Status read = store_.GetLatched(kMembers, parts.keys.Of(PartKind::kMember, member), pin);
    if (!read.ok() && !read.IsNotFound()) return read;
    if (read.ok()) {
      MAYFLY_TRY(stored, DecodeRow(pin.view()));
    }
  }
  const auto made = parts.members.try_emplace(at, std::string(member));
  OwnMember& own = made->second;
  if (!stored) return &*made;
  own.stored_value = stored->payload;
  own.stored = RowView{.deadline = stored->deadline, .payload = own.stored_value};
  own.fate = {.present = true, .value = own.stored_value, .deadline = stored->deadline};
  return &*made;
}

MemberFate& OwnSpace::PartToChange(const Living& living, Part part,
                                   OwnMembers::value_type& member) {
  const std::uint64_t epoch = work_.epoch();
  work_.BufferedChange(member.first);
  if (living.parts->made_in != epoch && member.second.saved_in != epoch) {
    work_.Save(*this, living.fate().version, part, member.first, member.second.fate);
    member.second.saved_in = epoch;
  }
  member.second.fate.dirty = true;
  return member.second.fate;
}

// Keeps the counts, and takes the collection away with its last living member.
void OwnSpace::SetMember(const Living& living, OwnMembers::value_type& member, MemberFate fresh) {
  const WallTime now = work_.now();
  RowFate& row = ToChange(*living.row);
  // A dead one that is stored counts as such; one that was born dead never did.
  const bool stored = !member.second.dirty();
  MemberFate& fate = PartToChange(living, Part::kMembers, member);
  const bool counted = fate.present && (stored || !IsDead(fate.deadline, now));
  if (counted) {
    --row.members;
    if (fate.deadline) --row.mortal;
    if (IsDead(fate.deadline, now)) --row.dead;
  }
  const bool lives = fresh.present && !IsDead(fresh.deadline, now);
  if (lives) {
    ++row.members;
    if (fresh.deadline) {
      ++row.mortal;
      row.first_deadline = std::min(row.first_deadline.value_or(*fresh.deadline), *fresh.deadline);
    }
  }
  if (row.mortal == 0) row.first_deadline.reset();
  row.fresh = false;
  fresh.dirty = true;
  fate = std::move(fresh);
  if (row.living_members() == 0) Remove(*living.row);
}

Result<bool> OwnSpace::PutMember(Bytes key, Bytes member, Bytes value, MemberLifetime lifetime,
                                 bool known_new) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_RETURN_IF_ERROR(CheckUserValue(value));
  MAYFLY_TRY(const Living living, LivingCollection(key));
  MAYFLY_RETURN_IF_ERROR(CheckName(*living.parts, member));
  // A new member may have a dead one of its name before it.
  MAYFLY_TRY(auto* own,
             LoadMember(*living.parts, member, known_new && !living.parts->stored_mortal));
  const bool lived = own->second.Shows(work_.now());
  work_.Buffered(value);
  MemberFate fresh{.present = true, .value = std::string(value)};
  switch (lifetime.kind()) {
    case MemberLifetime::Kind::kForever: break;
    case MemberLifetime::Kind::kKeep:
      if (lived) fresh.deadline = own->second.fate.deadline;
      break;
    case MemberLifetime::Kind::kUntil:
      // No deadline lies before 1970.
      fresh.deadline = std::max(lifetime.instant(), WallTimeFromMs(0));
      break;
  }
  const std::uint64_t version = living.fate().version;
  SetMember(living, *own, std::move(fresh));
  MAYFLY_RETURN_IF_ERROR(StageIfMany(key, version, member.size() + value.size()));
  return !lived;
}

Result<bool> OwnSpace::RemoveMember(Bytes key, Bytes member) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_TRY(const Living living, LivingCollection(key));
  if (!CheckName(*living.parts, member).ok()) return false;
  MAYFLY_TRY(auto* own, LoadMember(*living.parts, member, false));
  // A dead one is the purge's.
  if (!own->second.Shows(work_.now())) return false;
  SetMember(living, *own, {});
  return true;
}

Status OwnSpace::PutSide(Bytes key, Bytes side, Bytes value) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_RETURN_IF_ERROR(CheckUserValue(value));
  MAYFLY_TRY(const Living living, LivingCollection(key));
  MAYFLY_RETURN_IF_ERROR(CheckName(*living.parts, side));
  auto& own = *living.parts->sides.try_emplace(std::string(side)).first;
  work_.Buffered(value);
  std::string copy(value);  // It may be a view of the old one.
  ToPlan(*living.row);
  MemberFate& fate = PartToChange(living, Part::kSides, own);
  fate.present = true;
  fate.value = std::move(copy);
  return StageIfMany(key, living.fate().version, side.size() + value.size());
}

Status OwnSpace::RemoveSide(Bytes key, Bytes side) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_TRY(const Living living, LivingCollection(key));
  if (!CheckName(*living.parts, side).ok()) return {};
  auto& own = *living.parts->sides.try_emplace(std::string(side)).first;
  ToPlan(*living.row);
  PartToChange(living, Part::kSides, own).present = false;
  return {};
}

}  // namespace mayfly::core
