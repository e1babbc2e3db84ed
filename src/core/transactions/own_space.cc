#include "core/transactions/own_space.h"

#include <algorithm>

#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/reads/due_count.h"
#include "core/reads/reads.h"
#include "core/store/collection_reads.h"
#include "core/transactions/work_calls.h"
#include "core/transactions/writes.h"

namespace mayfly::core {
namespace {

void ShowNothing(FoundRow& found) {
  found.exists = false;
  found.is_collection = false;
  found.value = {};
  found.deadline.reset();
  found.members = 0;
}

}  // namespace

Status OwnSpace::CheckUse() const {
  if (work_.over()) return Status::Invalid("the work is over; begin another");
  if (!state_.by_timestamp()) [[likely]]
    return store_.CheckUsable(state_);
  return Status::Unsupported(
      "the keyspace orders its rows by timestamp; a work needs one that orders them by arrival");
}

Status OwnSpace::CheckKey(Bytes key) const {
  MAYFLY_RETURN_IF_ERROR(CheckUse());
  if (!key.empty()) MAYFLY_RETURN_IF_ERROR(CheckUserKey(key));  // Here a key may be empty.
  if (held_ && work_.Holds(StripeOf(state_.id(), key))) [[likely]]
    return {};
  return Status::Internal("a key that the work was not begun with");
}

Status OwnSpace::CheckWrite(Bytes key) const {
  MAYFLY_RETURN_IF_ERROR(store_.CheckWritable());
  MAYFLY_RETURN_IF_ERROR(CheckKey(key));
  if (work_.HoldsAlone(StripeOf(state_.id(), key))) [[likely]]
    return {};
  return Status::Internal("a key that the work was begun with to read it alone");
}

// The gate is held, so the policy stays.
LifetimeRule OwnSpace::Rule() {
  if (policy_ == nullptr) policy_ = state_.policy();
  return store_.RuleOf(*policy_);
}

Status OwnSpace::Find(Bytes key, FoundRow& found) {
  MAYFLY_RETURN_IF_ERROR(Look(key, found));
  work_.looks().Note(found.exists);
  return {};
}

Status OwnSpace::Look(Bytes key, FoundRow& found) {
  ShowNothing(found);
  MAYFLY_RETURN_IF_ERROR(CheckKey(key));
  if (!rows_.empty()) {
    if (const auto own = rows_.find(key); own != rows_.end()) {
      Show(own->second, work_.now(), found);
      return {};
    }
  }
  if (cleared_) return {};
  std::optional<RowView> stored;
  MAYFLY_RETURN_IF_ERROR(store_.ReadLatched(state_, key, found.pin, stored));
  if (!stored || IsDead(stored->deadline, work_.now())) return {};
  if (stored->version) {
    // Its members will be asked for next: the row, which is short, is kept for all of them.
    MAYFLY_TRY(const Rows* row, Keep(key, found.pin.view()));
    Show(row->second, work_.now(), found);
    return {};
  }
  found.exists = true;
  found.value = stored->payload;
  found.deadline = stored->deadline;
  return {};
}

void OwnSpace::Show(const OwnRow& row, WallTime now, FoundRow& found) {
  if (!row.Shows(now)) return;
  found.exists = true;
  found.is_collection = row.is_collection();
  found.value = row.value();
  found.deadline = row.fate.deadline;
  found.members = row.fate.living_members();
}

Result<OwnSpace::Rows*> OwnSpace::Load(Bytes key) {
  const auto at = rows_.lower_bound(key);
  if (at != rows_.end() && at->first == key) return &*at;
  const auto made = rows_.try_emplace(at, std::string(key));
  if (const Status filled = Fill(key, made->second); !filled.ok()) {
    rows_.erase(made);
    return filled;
  }
  return &*made;
}

Result<OwnSpace::Rows*> OwnSpace::Keep(Bytes key, Bytes encoded) {
  const auto made = rows_.try_emplace(std::string(key)).first;
  OwnRow& row = made->second;
  auto& copy = row.pin.Hold<std::string>();
  copy.assign(encoded);
  row.pin.Show(copy);
  Status kept;
  if (auto stored = DecodeRow(row.pin.view())) {
    row.stored = *stored;
    kept = Settle(key, row);
  } else {
    kept = stored.error();
  }
  if (kept.ok()) return &*made;
  rows_.erase(made);
  return kept;
}

Status OwnSpace::Fill(Bytes key, OwnRow& row) const {
  if (cleared_) return {};
  MAYFLY_RETURN_IF_ERROR(store_.ReadLatched(state_, key, row.pin, row.stored));
  return row.stored ? Settle(key, row) : Status();
}

// The fate of a row that is stored, as it is.
Status OwnSpace::Settle(Bytes key, OwnRow& row) const {
  row.stored_value = row.stored->payload;
  RowFate& fate = row.fate;
  fate.stored_value = true;
  const bool dead = IsDead(row.stored->deadline, work_.now());
  if (!row.stored->version) {
    fate.deadline = row.stored->deadline;
    if (!dead) fate.kind = RowFate::Kind::kPlain;
    return {};
  }
  if (dead) return {};
  MAYFLY_TRY(const Collection collection, DecodeCollection(row.stored->payload));
  row.stored_value = collection.head;
  fate.kind = RowFate::Kind::kCollection;
  fate.version = *row.stored->version;
  fate.deadline = collection.own_deadline;
  fate.members = collection.members;
  fate.mortal = collection.mortal;
  fate.first_deadline = collection.first_deadline;
  fate.named = collection.named;
  if (collection.dead == 0 && !IsDead(collection.first_deadline, work_.now())) return {};
  const PartKeys keys(state_.id(), fate.version);
  MAYFLY_TRY(const DeadMembers found,
             CountDeadMembers(store_.engine(), keys, collection, work_.now()));
  fate.dead = found.dead;
  fate.first_deadline = found.first_deadline;
  // A work leaves a long count to those behind it, though it only reads, unless it shares the row.
  fate.dirty = found.walked > kUncountedMembersMax && store_.engine().capabilities().writable &&
               work_.HoldsAlone(StripeOf(state_.id(), key));
  return {};
}

RowFate& OwnSpace::ToPlan(Rows& row) {
  RowFate& fate = row.second.fate;
  // Once for each mark: what it was then is what counts.
  if (!fate.dirty || row.second.saved_in != work_.epoch()) work_.BufferedChange(row.first);
  if (row.second.saved_in != work_.epoch()) {
    work_.Save(*this, row.first, fate);
    row.second.saved_in = work_.epoch();
  }
  fate.dirty = true;
  return fate;
}

RowFate& OwnSpace::ToChange(Rows& row) {
  RowFate& fate = ToPlan(row);
  if (!fate.changed) {
    fate.changed = true;
    work_.Changed(keyspace_, row.first);
  }
  return fate;
}

void OwnSpace::Replace(Rows& row, RowFate fresh) {
  RowFate& fate = ToChange(row);
  fresh.dirty = true;
  fresh.changed = true;
  fate = std::move(fresh);
}

void OwnSpace::Remove(Rows& row) { Replace(row, {}); }

Status OwnSpace::Put(Bytes key, Bytes value, Lifetime lifetime) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_RETURN_IF_ERROR(CheckUserValue(value));
  MAYFLY_TRY(Rows * row, Load(key));
  std::optional<std::optional<WallTime>> old;
  if (row->second.Shows(work_.now())) old = row->second.fate.deadline;
  MAYFLY_TRY(const Span span, Rule().Apply(lifetime, key, old, work_.now()));
  work_.Buffered(value);
  RowFate fresh{.kind = RowFate::Kind::kPlain, .value = std::string(value)};
  fresh.clamped = span.clamped;
  MAYFLY_TRY(fresh.deadline, DeadlineOf(span, work_.now()));
  Replace(*row, std::move(fresh));
  return {};
}

Result<bool> OwnSpace::Delete(Bytes key) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_TRY(Rows * row, Load(key));
  const bool lived = row->second.Shows(work_.now());
  if (lived || row->second.fate.fresh) Remove(*row);
  return lived;
}

Result<bool> OwnSpace::Expire(Bytes key, Lifetime lifetime, DeadlineIf condition) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_TRY(Rows * row, Load(key));
  // The same decision as everywhere, about the deadline that callers set.
  const auto apply = [&](Bytes, Decide decide) -> Status {
    const RowView view{.deadline = row->second.fate.deadline, .payload = {}};
    const bool lives = row->second.Shows(work_.now());
    MAYFLY_TRY(
        const Change change,
        decide({.row = lives ? &view : nullptr, .now = work_.now(), .newest = std::nullopt}));
    if (change.kind == Change::Kind::kNothing) return {};
    MAYFLY_TRY(const auto deadline, DeadlineOf(change.span, work_.now()));
    RowFate& fate = ToChange(*row);
    fate.deadline = deadline;
    fate.clamped = fate.clamped || change.span.clamped;
    return {};
  };
  const WriteRule rule(store_, state_);
  return ExpireRow(rule, apply, key, lifetime, condition);
}

Result<std::uint64_t> OwnSpace::Count() {
  MAYFLY_RETURN_IF_ERROR(CheckUse());
  MAYFLY_TRY(const WorkCalls::Frozen* const frozen, work_.State());
  std::int64_t count = 0;
  if (!cleared_) {
    const View view{.store = store_,
                    .keyspace = state_,
                    .now = work_.now(),
                    .snapshot = frozen != nullptr ? frozen->snapshot.get() : nullptr};
    const WallTime first =
        frozen != nullptr ? frozen->FirstDeadline(state_.id()) : state_.watermark();
    MAYFLY_TRY(const RowCounts counts, CountStored(view, first));
    count = counts.living();
  }
  for (const auto& [key, row] : rows_) {
    if (!row.dirty()) continue;
    const bool lived = row.stored && !IsDead(row.stored->deadline, work_.now());
    count += static_cast<int>(row.Shows(work_.now())) - static_cast<int>(lived);
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
}

Status OwnSpace::Clear() {
  MAYFLY_RETURN_IF_ERROR(CheckUse());
  MAYFLY_RETURN_IF_ERROR(store_.CheckWritable());
  if (!work_.has_everything() || !held_) {
    return Status::Internal("a work must be begun with everything to clear a keyspace");
  }
  work_.SaveClear(*this, {std::move(rows_), std::move(collections_), cleared_});
  rows_.clear();
  collections_.clear();
  cleared_ = true;
  return {};
}

void OwnSpace::SetFate(Bytes key, RowFate fate) { rows_.find(key)->second.fate = std::move(fate); }

void OwnSpace::SetFate(std::uint64_t version, Part part, Bytes name, MemberFate fate) {
  OwnMembers& parts = MapOf(collections_.find(version)->second, part);
  parts.find(name)->second.fate = std::move(fate);
}

void OwnSpace::TakeBackClear(Cleared before) {
  rows_ = std::move(before.rows);
  collections_ = std::move(before.collections);
  cleared_ = before.was_cleared;
}

}  // namespace mayfly::core
