#include "core/transactions/write_buffer.h"

#include <algorithm>

#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/reads/due_count.h"
#include "core/reads/reads.h"
#include "core/store/collection_reads.h"
#include "core/transactions/latched_transaction_impl.h"
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

Status WriteBuffer::CheckUse() const {
  if (transaction_.over()) return Status::Invalid("the transaction is over; begin another");
  if (!state_.by_timestamp()) [[likely]]
    return store_.CheckUsable(state_);
  return Status::Unsupported(
      "the keyspace orders its rows by timestamp; a transaction needs one that orders them by "
      "arrival");
}

Status WriteBuffer::CheckKey(Bytes key) const {
  MAYFLY_RETURN_IF_ERROR(CheckUse());
  if (!key.empty()) MAYFLY_RETURN_IF_ERROR(CheckUserKey(key));  // An empty key is allowed here.
  if (held_ && transaction_.Holds(StripeOf(state_.id(), key))) [[likely]]
    return {};
  return Status::Internal("a key that the transaction was not begun with");
}

Status WriteBuffer::CheckWrite(Bytes key) const {
  MAYFLY_RETURN_IF_ERROR(store_.CheckWritable());
  MAYFLY_RETURN_IF_ERROR(CheckKey(key));
  if (transaction_.HoldsAlone(StripeOf(state_.id(), key))) [[likely]]
    return {};
  return Status::Internal("a key that the transaction was begun with to read it alone");
}

// The gate is held, so the policy cannot change.
LifetimeRule WriteBuffer::Rule() {
  if (policy_ == nullptr) policy_ = state_.policy();
  return store_.RuleOf(*policy_);
}

Status WriteBuffer::Find(Bytes key, FoundRow& found) {
  MAYFLY_RETURN_IF_ERROR(Look(key, found));
  transaction_.read_counts().Note(found.exists);
  return {};
}

Status WriteBuffer::Look(Bytes key, FoundRow& found) {
  ShowNothing(found);
  MAYFLY_RETURN_IF_ERROR(CheckKey(key));
  if (!rows_.empty()) {
    if (const auto own = rows_.find(key); own != rows_.end()) {
      Show(own->second, transaction_.now(), found);
      return {};
    }
  }
  if (cleared_) return {};
  std::optional<RowView> stored;
  MAYFLY_RETURN_IF_ERROR(store_.ReadLatched(state_, key, found.pin, stored));
  if (!stored || IsDead(stored->deadline, transaction_.now())) return {};
  if (stored->collection_id) {
    // Its members will be read next: the row, which is short, is buffered for all of them.
    MAYFLY_TRY(const Rows* row, Keep(key, found.pin.view()));
    Show(row->second, transaction_.now(), found);
    return {};
  }
  found.exists = true;
  found.value = stored->payload;
  found.deadline = stored->deadline;
  return {};
}

void WriteBuffer::Show(const BufferedRow& row, WallTime now, FoundRow& found) {
  if (!row.Shows(now)) return;
  found.exists = true;
  found.is_collection = row.is_collection();
  found.value = row.value();
  found.deadline = row.draft.deadline;
  found.members = row.draft.living_members();
}

Result<WriteBuffer::Rows*> WriteBuffer::Load(Bytes key) {
  const auto at = rows_.lower_bound(key);
  if (at != rows_.end() && at->first == key) return &*at;
  const auto made = rows_.try_emplace(at, std::string(key));
  if (const Status filled = Fill(key, made->second); !filled.ok()) {
    rows_.erase(made);
    return filled;
  }
  return &*made;
}

Result<WriteBuffer::Rows*> WriteBuffer::Keep(Bytes key, Bytes encoded) {
  const auto made = rows_.try_emplace(std::string(key)).first;
  BufferedRow& row = made->second;
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

Status WriteBuffer::Fill(Bytes key, BufferedRow& row) const {
  if (cleared_) return {};
  MAYFLY_RETURN_IF_ERROR(store_.ReadLatched(state_, key, row.pin, row.stored));
  return row.stored ? Settle(key, row) : Status();
}

// Sets the draft to the stored row.
Status WriteBuffer::Settle(Bytes key, BufferedRow& row) const {
  row.stored_value = row.stored->payload;
  RowDraft& draft = row.draft;
  draft.stored_value = true;
  const bool dead = IsDead(row.stored->deadline, transaction_.now());
  if (!row.stored->collection_id) {
    draft.deadline = row.stored->deadline;
    if (!dead) draft.kind = RowDraft::Kind::kPlain;
    return {};
  }
  if (dead) return {};
  MAYFLY_TRY(const Collection collection, DecodeCollection(row.stored->payload));
  row.stored_value = collection.head;
  draft.kind = RowDraft::Kind::kCollection;
  draft.collection_id = *row.stored->collection_id;
  draft.deadline = collection.own_deadline;
  draft.members = collection.members;
  draft.mortal = collection.mortal;
  draft.first_deadline = collection.first_deadline;
  draft.named = collection.named;
  if (collection.dead == 0 && !IsDead(collection.first_deadline, transaction_.now())) return {};
  const PartKeys keys(state_.id(), draft.collection_id);
  MAYFLY_TRY(const DeadMembers found,
             CountDeadMembers(store_.engine(), keys, collection, transaction_.now()));
  draft.dead = found.dead;
  draft.first_deadline = found.first_deadline;
  // After a long count the row is written with the new counts even if the transaction only reads,
  // so that later readers need not count again; unless its latch is shared.
  draft.dirty = found.walked > kUncountedMembersMax && store_.engine().capabilities().writable &&
                transaction_.HoldsAlone(StripeOf(state_.id(), key));
  return {};
}

RowDraft& WriteBuffer::ToPlan(Rows& row) {
  RowDraft& draft = row.second.draft;
  // Saved once for each mark: a rollback restores the draft as it was at the mark.
  if (!draft.dirty || row.second.saved_in != transaction_.epoch())
    transaction_.BufferedChange(row.first);
  if (row.second.saved_in != transaction_.epoch()) {
    transaction_.Save(*this, row.first, draft);
    row.second.saved_in = transaction_.epoch();
  }
  draft.dirty = true;
  return draft;
}

RowDraft& WriteBuffer::ToChange(Rows& row) {
  RowDraft& draft = ToPlan(row);
  if (!draft.changed) {
    draft.changed = true;
    transaction_.Changed(keyspace_, row.first);
  }
  return draft;
}

void WriteBuffer::Replace(Rows& row, RowDraft fresh) {
  RowDraft& draft = ToChange(row);
  fresh.dirty = true;
  fresh.changed = true;
  draft = std::move(fresh);
}

void WriteBuffer::Remove(Rows& row) { Replace(row, {}); }

Status WriteBuffer::Put(Bytes key, Bytes value, Lifetime lifetime) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_RETURN_IF_ERROR(CheckUserValue(value));
  MAYFLY_TRY(Rows * row, Load(key));
  std::optional<std::optional<WallTime>> old;
  if (row->second.Shows(transaction_.now())) old = row->second.draft.deadline;
  MAYFLY_TRY(const Span span, Rule().Apply(lifetime, key, old, transaction_.now()));
  transaction_.Buffered(value);
  RowDraft fresh{.kind = RowDraft::Kind::kPlain, .value = std::string(value)};
  fresh.clamped = span.clamped;
  MAYFLY_TRY(fresh.deadline, DeadlineOf(span, transaction_.now()));
  Replace(*row, std::move(fresh));
  return {};
}

Result<bool> WriteBuffer::Delete(Bytes key) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_TRY(Rows * row, Load(key));
  const bool lived = row->second.Shows(transaction_.now());
  if (lived || row->second.draft.fresh) Remove(*row);
  return lived;
}

Result<bool> WriteBuffer::Expire(Bytes key, Lifetime lifetime, DeadlineIf condition) {
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key));
  MAYFLY_TRY(Rows * row, Load(key));
  // The same decision as for other writers, about the deadline that callers set.
  const auto apply = [&](Bytes, Decide decide) -> Status {
    const RowView view{.deadline = row->second.draft.deadline, .payload = {}};
    const bool lives = row->second.Shows(transaction_.now());
    MAYFLY_TRY(const Change change, decide({.row = lives ? &view : nullptr,
                                            .now = transaction_.now(),
                                            .newest = std::nullopt}));
    if (change.kind == Change::Kind::kNothing) return {};
    MAYFLY_TRY(const auto deadline, DeadlineOf(change.span, transaction_.now()));
    RowDraft& draft = ToChange(*row);
    draft.deadline = deadline;
    draft.clamped = draft.clamped || change.span.clamped;
    return {};
  };
  const WriteRule rule(store_, state_);
  return ExpireRow(rule, apply, key, lifetime, condition);
}

Result<std::uint64_t> WriteBuffer::Count() {
  MAYFLY_RETURN_IF_ERROR(CheckUse());
  MAYFLY_TRY(const LatchedTransactionImpl::Frozen* const frozen, transaction_.State());
  std::int64_t count = 0;
  if (!cleared_) {
    const View view{.store = store_,
                    .keyspace = state_,
                    .now = transaction_.now(),
                    .snapshot = frozen != nullptr ? frozen->snapshot.get() : nullptr};
    const WallTime first =
        frozen != nullptr ? frozen->FirstDeadline(state_.id()) : state_.watermark();
    MAYFLY_TRY(const RowCounts counts, CountStored(view, first));
    count = counts.living();
  }
  for (const auto& [key, row] : rows_) {
    if (!row.dirty()) continue;
    const bool lived = row.stored && !IsDead(row.stored->deadline, transaction_.now());
    count += static_cast<int>(row.Shows(transaction_.now())) - static_cast<int>(lived);
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
}

Status WriteBuffer::Clear() {
  MAYFLY_RETURN_IF_ERROR(CheckUse());
  MAYFLY_RETURN_IF_ERROR(store_.CheckWritable());
  if (!transaction_.has_everything() || !held_) {
    return Status::Internal("a transaction must be begun with everything to clear a keyspace");
  }
  transaction_.SaveClear(*this, {std::move(rows_), std::move(collections_), cleared_});
  rows_.clear();
  collections_.clear();
  cleared_ = true;
  return {};
}

void WriteBuffer::SetDraft(Bytes key, RowDraft draft) {
  rows_.find(key)->second.draft = std::move(draft);
}

void WriteBuffer::SetDraft(std::uint64_t collection_id, Part part, Bytes name, MemberDraft draft) {
  BufferedMembers& parts = MapOf(collections_.find(collection_id)->second, part);
  parts.find(name)->second.draft = std::move(draft);
}

void WriteBuffer::TakeBackClear(Cleared before) {
  rows_ = std::move(before.rows);
  collections_ = std::move(before.collections);
  cleared_ = before.was_cleared;
}

}  // namespace mayfly::core
