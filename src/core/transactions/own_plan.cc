// What a work made of a keyspace becomes a plan; and copies.
#include <algorithm>

#include "core/commit/member_plan.h"
#include "core/store/collection_reads.h"
#include "core/transactions/own_space.h"
#include "core/transactions/work_calls.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kMeta{engine::Role::kMeta};

}  // namespace

Status OwnSpace::Plan(CommitPlan& plan) {
  if (cleared_) plan.Clear(state_);
  if (moved_) KeepMoved(plan);
  for (const Rows& row : rows_) {
    if (row.second.dirty()) MAYFLY_RETURN_IF_ERROR(PlanRow(plan, row));
  }
  return {};
}

// What is moved is no longer under its old key, and still there.
void OwnSpace::KeepMoved(CommitPlan& plan) const {
  for (const auto& [key, own] : rows_) {
    const RowFate& fate = own.fate;
    if (own.dirty() && own.is_collection() && own.Shows(work_.now())) {
      plan.KeepMembers(fate.version);
    }
  }
}

Status OwnSpace::PlanRow(CommitPlan& plan, const Rows& row) {
  const auto& [key, own] = row;
  const RowFate& fate = own.fate;
  const RowView* const old = own.stored ? &*own.stored : nullptr;
  const Stripe stripe = StripeOf(state_.id(), key);
  if (fate.clamped) plan.CountClamped();
  switch (fate.kind) {
    case RowFate::Kind::kPlain:
      plan.Put(state_, stripe, key, old, {.deadline = fate.deadline, .payload = own.value()});
      return {};
    case RowFate::Kind::kCollection:
      if (fate.living_members() > 0) return PlanCollection(plan, row, old);
      break;  // It got no member: it is not there.
    case RowFate::Kind::kAbsent: break;
  }
  if (old != nullptr) plan.Remove(state_, stripe, key, *old, EventCause::kReplaced);
  return {};
}

Status OwnSpace::PlanCollection(CommitPlan& plan, const Rows& row, const RowView* old) {
  const auto& [key, own] = row;
  const RowFate& fate = own.fate;
  const auto found = collections_.find(fate.version);
  OwnCollection* const parts = found == collections_.end() ? nullptr : &found->second;
  const Collection collection{.members = fate.members,
                              .mortal = fate.mortal,
                              .own_deadline = fate.deadline,
                              .first_deadline = fate.first_deadline,
                              .dead = fate.dead,
                              .named = fate.named || fate.mortal > 0,
                              .head = own.value()};
  std::optional<WallTime> last;
  if (collection.all_mortal()) {
    MAYFLY_TRY(last, LastDeadline(parts, fate.version));
  }
  std::string payload;
  AppendCollection(payload, collection);
  const RowView fresh{
      .deadline = DeadlineOf(collection, last), .payload = payload, .version = fate.version};
  const bool same = old != nullptr && old->deadline == fresh.deadline &&
                    old->version == fresh.version && old->payload == fresh.payload;
  if (!same) plan.Put(state_, StripeOf(state_.id(), key), key, old, fresh);
  // One whose deadline has passed goes, and its parts with it.
  if (IsDead(fate.deadline, plan.now())) return {};
  const bool had_name = fate.named && old != nullptr && old->version == fate.version;
  if (collection.named && !had_name) {
    const PartKeys keys(state_.id(), fate.version);
    MemberPlan(plan, state_, StripeOf(state_.id(), key), key, keys).PutName();
  }
  if (parts == nullptr) return {};
  if (parts->staged) {
    plan.batch().Delete(kMeta, OrphanKey(state_.id(), fate.version));
    adopted_.insert(fate.version);
  }
  PlanParts(plan, key, *parts);
  return {};
}

// Those that are staged leave no events yet.
void OwnSpace::PlanParts(CommitPlan& plan, Bytes key, OwnCollection& parts, bool staged) const {
  MemberPlan members(plan, state_, StripeOf(state_.id(), key), key, parts.keys);
  for (const auto& [name, own] : parts.members) {
    if (!own.dirty() || (staged && own.IsBornDead(work_.now()))) continue;
    const RowView* const old = own.stored ? &*own.stored : nullptr;
    if (own.fate.present) {
      members.Put(name, old, {.deadline = own.fate.deadline, .payload = own.fate.value});
    } else if (old != nullptr) {
      members.Remove(name, *old, EventCause::kReplaced);
    }
  }
  for (const auto& [name, own] : parts.sides) {
    if (!own.dirty()) continue;
    if (own.fate.present) {
      members.PutSide(name, own.fate.value);
    } else if (parts.stored) {
      members.RemoveSide(name);
    }
  }
}

// Of all members as they will be; they are all mortal.
Result<std::optional<WallTime>> OwnSpace::LastDeadline(const OwnCollection* parts,
                                                       std::uint64_t version) const {
  std::optional<WallTime> last;
  if (parts != nullptr) {
    for (const auto& [name, own] : parts->members) {
      if (!own.dirty() || !own.Shows(work_.now()) || !own.fate.deadline) continue;
      last = std::max(last.value_or(*own.fate.deadline), *own.fate.deadline);
    }
    if (!parts->stored) return last;
  }
  const auto skip = [&](Bytes member) {
    if (parts == nullptr) return false;
    const auto own = parts->members.find(member);
    return own != parts->members.end() && own->second.dirty();
  };
  MAYFLY_TRY(const auto stored,
             LastMemberDeadline(store_.engine(), PartKeys(state_.id(), version), skip));
  if (stored) last = std::max(last.value_or(*stored), *stored);
  return last;
}

Status OwnSpace::Copy(Bytes from, WorkSpace& to_space, Bytes to) {
  auto& target = dynamic_cast<OwnSpace&>(to_space);
  MAYFLY_RETURN_IF_ERROR(CheckKey(from));
  MAYFLY_RETURN_IF_ERROR(target.CheckWrite(to));
  MAYFLY_TRY(Rows * row, Load(from));
  if (!row->second.Shows(work_.now())) return Status::NotFound();
  if (&target == this && from == to) {
    ToChange(*row);
    return {};
  }
  // In its own keyspace a deadline stays as it is; another's policy may have something against it.
  std::optional<WallTime> deadline = row->second.fate.deadline;
  bool clamped = false;
  if (&target != this) {
    const LifetimeRule rule{.policy = target.Rule().policy, .allow_any_instant = true};
    const Lifetime asked = deadline ? Lifetime::Until(*deadline) : Lifetime::Forever();
    MAYFLY_TRY(const Span span, rule.Apply(asked, to, std::nullopt, work_.now()));
    MAYFLY_TRY(deadline, DeadlineOf(span, work_.now()));
    clamped = span.clamped;
  }
  if (row->second.is_collection()) {
    MAYFLY_RETURN_IF_ERROR(target.MakeCollectionUntil(to, row->second.value(), deadline));
    return CopyParts(target, from, to);
  }
  RowFate fresh{.kind = RowFate::Kind::kPlain,
                .clamped = clamped,
                .value = std::string(row->second.value()),
                .deadline = deadline};
  MAYFLY_TRY(Rows * written, target.Load(to));
  target.Replace(*written, std::move(fresh));
  return {};
}

// In its own keyspace a collection keeps its version, so its members, however many, stay where they
// are. Everything else is copied and deleted.
Status OwnSpace::Move(Bytes from, WorkSpace& to_space, Bytes to) {
  auto& target = dynamic_cast<OwnSpace&>(to_space);
  if (&target == this && from != to) {
    MAYFLY_RETURN_IF_ERROR(CheckWrite(from));
    MAYFLY_RETURN_IF_ERROR(CheckWrite(to));
    MAYFLY_TRY(Rows * row, Load(from));
    if (row->second.is_collection() && row->second.Shows(work_.now())) {
      MAYFLY_TRY(Rows * written, Load(to));
      PartsOf(*row);  // Known by its version from now on, stored or not as it is under this key.
      RowFate fate = row->second.fate;
      fate.value = std::string(row->second.value());
      fate.stored_value = false;
      moved_ = true;
      Replace(*written, std::move(fate));
      Remove(*row);
      return {};
    }
  }
  MAYFLY_RETURN_IF_ERROR(Copy(from, to_space, to));
  if (&target == this && from == to) return {};
  return Delete(from).status();
}

Status OwnSpace::CopyParts(OwnSpace& to_space, Bytes from, Bytes to) {
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
