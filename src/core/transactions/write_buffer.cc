#include "core/transactions/write_buffer.h"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/reads/due_count.h"
#include "core/store/collection_reads.h"
#include "core/transactions/write_buffers.h"

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

RowSource& WriteBuffer::source() const { return transaction_.rows(); }

// A buffered row of a latched transaction has passed the checks of its key, and those of a write if
// it is dirty.
Status WriteBuffer::CheckRead(Bytes key, Stripe stripe) const {
  const bool checked = IsLast(key) && source().is_latched();
  return checked ? source().CheckUse(state_) : source().CheckRead(state_, key, stripe);
}

Status WriteBuffer::CheckWrite(Bytes key, Stripe stripe) const {
  const bool checked = IsLast(key) && last_->second.dirty() && source().is_latched();
  return checked ? source().CheckUse(state_) : source().CheckWrite(state_, key, stripe);
}

WriteRule WriteBuffer::Rule() const {
  if (!policy_) policy_ = state_.policy();
  return {store_, *policy_};
}

Status WriteBuffer::Find(Bytes key, FoundRow& found) {
  MAYFLY_RETURN_IF_ERROR(Look(key, found));
  transaction_.read_counts().Note(found.exists);
  return {};
}

Status WriteBuffer::Look(Bytes key, FoundRow& found) {
  ShowNothing(found);
  if (IsLast(key)) {
    MAYFLY_RETURN_IF_ERROR(CheckRead(key, last_->second.stripe));
    Show(last_->second, transaction_.now(), found);
    return {};
  }
  const Stripe stripe = StripeOf(state_.id(), key);
  MAYFLY_RETURN_IF_ERROR(source().CheckRead(state_, key, stripe));
  if (!cleared_ && transaction_.KeepsReads() && source().HoldsAlone(stripe)) {
    // It will be changed next.
    Rows* row = nullptr;
    bool is_new = false;
    MAYFLY_RETURN_IF_ERROR(Load(key, stripe, row, is_new));
    if (is_new) transaction_.Kept(row->second.stored_value);
    Show(row->second, transaction_.now(), found);
    return {};
  }
  if (const Rows* const own = rows_.Find(key)) {
    Show(own->second, transaction_.now(), found);
    return {};
  }
  if (cleared_) return {};
  std::optional<RowView> stored;
  MAYFLY_RETURN_IF_ERROR(source().ReadRow(state_, key, found.pin, stored));
  if (!stored) return {};
  if (IsDead(stored->deadline, transaction_.now())) {
    transaction_.MetDead(state_, key);
    return {};
  }
  if (stored->collection_id) {
    // Its members will be read next: the row, which is short, is buffered for all of them.
    Rows* row = nullptr;
    MAYFLY_RETURN_IF_ERROR(source().is_latched() ? Keep(key, stripe, found.pin.view(), row)
                                                 : Load(key, stripe, row));
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

Status WriteBuffer::Load(Bytes key, Stripe stripe, Rows*& row) {
  row = last_;
  bool is_new = false;
  return IsLast(key) ? Status() : Load(key, stripe, row, is_new);
}

Status WriteBuffer::Load(Bytes key, Stripe stripe, Rows*& row, bool& is_new) {
  std::tie(row, is_new) = transaction_.memory().rows.Emplace(rows_, key);
  if (is_new) {
    row->second.stripe = stripe;
    if (const Status filled = Fill(key, row->second); !filled.ok()) {
      rows_.Erase(key);
      return filled;
    }
  }
  last_ = row;
  return {};
}

Status WriteBuffer::Keep(Bytes key, Stripe stripe, Bytes encoded, Rows*& made) {
  made = transaction_.memory().rows.Emplace(rows_, key).first;
  BufferedRow& row = made->second;
  row.stripe = stripe;
  auto& copy = row.key_state.pin.Hold<std::string>();
  copy.assign(encoded);
  row.key_state.pin.Show(copy);
  Status kept;
  if (auto stored = DecodeRow(copy)) {
    row.key_state.stored = *stored;
    kept = LoadStored(key, row);
  } else {
    kept = stored.error();
  }
  if (kept.ok()) {
    last_ = made;
  } else {
    rows_.Erase(key);
  }
  return kept;
}

Status WriteBuffer::Fill(Bytes key, BufferedRow& row) {
  if (cleared_) return {};
  MAYFLY_RETURN_IF_ERROR(source().ReadKeyState(state_, key, row.key_state));
  return row.stored() != nullptr ? LoadStored(key, row) : Status();
}

// Sets the draft to the stored row.
Status WriteBuffer::LoadStored(Bytes key, BufferedRow& row) {
  const RowView& stored = *row.stored();
  row.stored_value = stored.payload;
  RowDraft& draft = row.draft;
  draft.stored_value = true;
  const bool dead = IsDead(stored.deadline, transaction_.now());
  if (dead) transaction_.MetDead(state_, key);
  if (!stored.collection_id) {
    draft.deadline = stored.deadline;
    draft.span = Span::Of(draft.deadline);
    if (!dead) draft.kind = RowDraft::Kind::kPlain;
    return {};
  }
  if (dead) return {};
  MAYFLY_TRY(const Collection collection, DecodeCollection(stored.payload));
  assert(collection.members > 0);
  assert(collection.all_mortal() || stored.deadline == collection.own_deadline);
  row.stored_value = collection.head;
  row.stored_parts = collection.packed;
  draft.kind = RowDraft::Kind::kCollection;
  draft.collection_id = *stored.collection_id;
  draft.deadline = collection.own_deadline;
  draft.span = Span::Of(draft.deadline);
  return SetCounts(key, collection, draft);
}

Status WriteBuffer::SetCounts(Bytes key, const Collection& collection, RowDraftState& draft) {
  draft.members = collection.members;
  draft.mortal = collection.mortal;
  draft.dead = 0;
  draft.first_deadline = collection.first_deadline;
  draft.named = collection.named;
  if (collection.dead == 0 && !IsDead(collection.first_deadline, transaction_.now())) return {};
  const PartKeys keys(state_.id(), draft.collection_id);
  MAYFLY_TRY(const auto state, source().State());
  MAYFLY_TRY(const DeadMembers found,
             CountDeadMembers(store_.engine(), keys, collection, transaction_.now(), state.get()));
  draft.dead = found.dead;
  draft.first_deadline = found.first_deadline;
  // After a long count the row is written with the new counts even if the transaction only reads,
  // so that later readers need not count again; unless its latch is shared.
  draft.dirty = draft.dirty ||
                (found.walked > kUncountedMembersMax && store_.engine().capabilities().writable &&
                 source().HoldsAlone(StripeFor(key)));
  return {};
}

RowDraft& WriteBuffer::ToPlan(Rows& row) {
  RowDraft& draft = row.second.draft;
  // Saved once for each mark: a rollback restores the draft as it was at the mark.
  if (!draft.dirty || row.second.saved_in != transaction_.epoch())
    transaction_.BufferedChange(row.first);
  if (row.second.saved_in != transaction_.epoch()) {
    transaction_.Save(*this, row);
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
  if (draft.kind == RowDraft::Kind::kCollection && !source().is_latched()) {
    stale_deadlines_.insert(row.first);
  }
  return draft;
}

void WriteBuffer::Replace(Rows& row, const RowDraftState& draft_state, Bytes value) {
  RowDraft& draft = ToChange(row);
  draft.value = value;  // Which may be a view of it.
  draft.state() = draft_state;
  draft.dirty = true;
  draft.changed = true;
}

void WriteBuffer::Remove(Rows& row) { Replace(row, {}, {}); }

Result<std::uint64_t> WriteBuffer::Count() {
  MAYFLY_RETURN_IF_ERROR(source().CheckUse(state_));
  MAYFLY_TRY(const auto state, source().StateOfRows());
  std::int64_t count = 0;
  if (!cleared_) {
    const View view{
        .store = store_, .keyspace = state_, .now = transaction_.now(), .snapshot = state.get()};
    MAYFLY_TRY(const RowCounts counts, CountStored(view, source().FirstDeadline(state_)));
    count = counts.living();
  }
  for (const auto& [key, row] : rows_) {
    if (!row.dirty()) continue;
    const bool lived = row.key_state.Living(transaction_.now()) != nullptr;
    count += static_cast<int>(row.Shows(transaction_.now())) - static_cast<int>(lived);
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
}

bool WriteBuffer::HasDrafts() const {
  return cleared_ || !late_.empty() || std::any_of(rows_.begin(), rows_.end(), [](const Rows& row) {
           return row.second.dirty();
         });
}

BufferedRow* WriteBuffer::DraftOf(Bytes key) {
  Rows* const row = rows_.Find(key);
  if (row == nullptr) return nullptr;
  if (row->second.dirty()) return &row->second;
  if (late_.empty()) return nullptr;
  const auto late = late_.lower_bound({row->first, WallTime::min()});
  return late != late_.end() && late->first.first == key ? &row->second : nullptr;
}

void WriteBuffer::Discard() {
  last_ = nullptr;
  last_parts_ = {};
  rows_.clear();
  late_.clear();
  stale_deadlines_.clear();
  collections_.clear();
}

void WriteBuffer::LeaveMemory(DraftMemory& memory) {
  memory.rows.Take(rows_);
  for (auto& [collection_id, parts] : collections_) {
    memory.parts.Take(parts.members);
    memory.parts.Take(parts.sides);
  }
}

Status WriteBuffer::Clear() {
  MAYFLY_RETURN_IF_ERROR(source().CheckClear(state_));
  transaction_.SaveClear(*this,
                         {std::move(rows_), std::move(late_), std::move(collections_), cleared_});
  Discard();
  cleared_ = true;
  return {};
}

void WriteBuffer::SetDraft(Rows& row, const RowDraftState& draft_state, std::string value) {
  row.second.draft.state() = draft_state;
  row.second.draft.value = std::move(value);
  if (!source().is_latched()) stale_deadlines_.insert(row.first);
}

void WriteBuffer::TakeBackClear(Cleared before) {
  last_ = nullptr;
  last_parts_ = {};
  rows_ = std::move(before.rows);
  late_ = std::move(before.late);
  collections_ = std::move(before.collections);
  cleared_ = before.was_cleared;
}

}  // namespace mayfly::core
