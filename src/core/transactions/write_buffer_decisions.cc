// Plain writes within a transaction: decisions that become drafts, and late writes.
#include <algorithm>

#include "core/commit/whole_value.h"
#include "core/layout/keys.h"
#include "core/transactions/write_buffers.h"
#include "core/transactions/writes.h"

namespace mayfly::core {

Status WriteBuffer::Put(Bytes key, Bytes value, Lifetime lifetime) {
  return WriteIf(*this, key, value, PutCondition::Always(), lifetime).status();
}

Result<bool> WriteBuffer::Delete(Bytes key) { return DeleteRow(*this, key); }

Result<bool> WriteBuffer::Evict(Bytes key) { return EvictRow(*this, key); }

Result<bool> WriteBuffer::Expire(Bytes key, Lifetime lifetime, DeadlineIf condition) {
  return ExpireRow(*this, key, lifetime, condition);
}

Result<bool> WriteBuffer::PutAt(Bytes key, Bytes value, WallTime timestamp, Lifetime lifetime) {
  return WriteAt(*this, key, value, timestamp, lifetime);
}

Result<bool> WriteBuffer::DeleteAt(Bytes key, WallTime timestamp) {
  return core::DeleteAt(*this, key, timestamp);
}

Status WriteBuffer::Apply(Bytes key, Decide decide, Values values) {
  const Stripe stripe = StripeFor(key);
  MAYFLY_RETURN_IF_ERROR(CheckWrite(key, stripe));
  Rows* row = nullptr;
  MAYFLY_RETURN_IF_ERROR(Load(key, stripe, row));
  BufferedRow& own = row->second;
  const bool lives = own.Shows(transaction_.now());
  RowView living;
  PinnedBytes whole;
  if (lives) living = own.view();
  if (lives && values == Values::kWhole && !own.dirty() && ChunksOf(*own.stored())) {
    living = *own.stored();
    MAYFLY_RETURN_IF_ERROR(source().ShowWhole(state_, whole, living));
  }
  const auto newest = own.newest();
  MAYFLY_TRY(
      const Change change,
      decide({.row = lives ? &living : nullptr, .now = transaction_.now(), .newest = newest}));
  if (change.kind == Change::Kind::kNothing) return {};
  RowDraftState fresh;
  MAYFLY_RETURN_IF_ERROR(Decided(own, change, fresh));
  if (change.timestamp && newest && *change.timestamp < *newest) {
    AddLate(row->first, fresh, fresh.stored_value ? Bytes() : change.payload);
    return {};
  }
  // A draft that this one overtakes becomes history as well.
  if (own.dirty() && own.draft.own_timestamp && !change.same_timestamp &&
      (!fresh.own_timestamp || *own.draft.timestamp < *fresh.timestamp)) {
    AddLate(row->first, own.draft, own.draft.value);
  }
  // A delete of a row that does not live removes a dead one, and is no change to anyone. Where order
  // is by timestamp, it counts.
  const bool is_change = change.kind == Change::Kind::kPut || lives || own.draft.fresh;
  RowDraft& draft = is_change || state_.by_timestamp() ? ToChange(*row) : ToPlan(*row);
  fresh.dirty = true;
  fresh.changed = draft.changed;
  if (fresh.stored_value) {  // The value stays.
    fresh.stored_value = draft.stored_value;
  } else {
    draft.value = change.payload;  // Which may be a part of it.
  }
  draft.state() = fresh;
  const bool keeps = source().is_latched() || transaction_.marks() > 0;  // A rollback may need it.
  if (!keeps && !draft.stored_value) own.ForgetStoredValue();
  return {};
}

// What a decision makes of the row. `stored_value` says that the value, or head, stays.
Status WriteBuffer::Decided(const BufferedRow& own, const Change& change,
                            RowDraftState& fresh) const {
  if (state_.by_timestamp()) SetTimestamp(own, change, fresh);
  if (change.kind == Change::Kind::kDelete) {
    fresh.evicted = change.evicts;
    return {};
  }
  MAYFLY_RETURN_IF_ERROR(CheckUserValue(change.payload));
  if (change.of_collection) {
    fresh = own.draft.state();
    fresh.stored_value = true;
  } else {
    fresh.kind = RowDraft::Kind::kPlain;
    fresh.stored_value = change.same_timestamp && change.payload.data() == own.value().data();
  }
  if (!fresh.stored_value) transaction_.Buffered(change.payload);
  fresh.span = change.span;
  fresh.ttl_from_commit = change.ttl_from_now;
  // Keeping the lifetime of a draft keeps the request: its ttl still counts from the commit. A ttl
  // that counts from a timestamp has become a deadline already.
  if (change.span.kept && own.dirty() && !own.draft.TtlCountsFromTimestamp()) {
    fresh.span = own.draft.span;
    fresh.ttl_from_commit = true;
  }
  MAYFLY_TRY(fresh.deadline, DeadlineOf(fresh.span, fresh.TtlFrom(transaction_.now())));
  return {};
}

void WriteBuffer::SetTimestamp(const BufferedRow& own, const Change& change,
                               RowDraftState& fresh) const {
  const WallTime now = transaction_.now();
  const auto newest = own.newest();
  fresh.timestamp = change.timestamp.value_or(std::max(now, newest.value_or(now)));
  fresh.own_timestamp = change.timestamp.has_value();
  fresh.same_timestamp = change.same_timestamp;
  if (!change.same_timestamp || !newest) return;
  fresh.timestamp = newest;
  // A draft without a timestamp of its own gets one at the commit.
  fresh.own_timestamp = own.dirty() && own.draft.own_timestamp;
  fresh.same_timestamp = !own.dirty() || own.draft.own_timestamp || own.draft.same_timestamp;
}

void WriteBuffer::AddLate(const std::string& key, const RowDraftState& draft_state, Bytes value) {
  const WallTime timestamp = *draft_state.timestamp;
  const auto [at, is_new] = late_.try_emplace({key, timestamp});
  transaction_.BufferedChange(key);
  transaction_.Save(*this, key, timestamp, is_new ? std::nullopt : std::optional(at->second));
  at->second.state() = draft_state;
  at->second.value = value;
}

void WriteBuffer::SetLateDraft(Bytes key, WallTime timestamp, std::optional<RowDraft> draft) {
  const std::pair at(std::string(key), timestamp);
  if (draft) {
    late_[at] = std::move(*draft);
  } else {
    late_.erase(at);
  }
}

Status WriteBuffer::PlanLate(CommitPlan& plan) {
  for (const auto& [at, draft] : late_) {
    const auto& [key, timestamp] = at;
    const BufferedRow& own = rows_.Find(key)->second;
    WallTime overtaken_at = own.key_state.newest().value_or(timestamp);
    if (own.dirty()) {
      const WallTime last =
          TimestampOf(ChangeOf(own.draft, own.value()), own.key_state, plan.now());
      overtaken_at = std::max(overtaken_at, last);
      if (timestamp == overtaken_at) continue;  // Overtaken at its own timestamp: never visible.
    }
    if (draft.kind == RowDraft::Kind::kPlain && draft.span.clamped) plan.CountClamped();
    MAYFLY_RETURN_IF_ERROR(store_.PlanLateChange(plan, state_, key, own.key_state,
                                                 ChangeOf(draft, draft.value), overtaken_at));
  }
  return {};
}

}  // namespace mayfly::core
