#include "core/transactions/transaction_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <shared_mutex>

#include "base/printable.h"
#include "core/commit/version_plan.h"
#include "core/layout/collection_codec.h"
#include "core/layout/limits.h"
#include "core/transactions/keyspace_impl.h"

namespace mayfly::core {
namespace {

KeyspaceId KeyspaceIdOf(Bytes row_key) {
  const auto id = KeyspaceOf(row_key);
  assert(id);
  return *id;
}

}  // namespace

class TransactionImpl::Writer final : public WriteCalls<KeyspaceWriter> {
 public:
  Writer(TransactionImpl& owner, std::shared_ptr<KeyspaceState> keyspace)
      : owner_(owner), keyspace_(std::move(keyspace)) {}

  const std::shared_ptr<KeyspaceState>& keyspace() const { return keyspace_; }

 private:
  View MakeView() const override { return owner_.ViewOf(*keyspace_); }
  WriteRule Rule() const override { return WriteRule(*owner_.store_, *keyspace_); }
  Status ApplyDecision(Bytes key, Decide decide) override {
    return owner_.ApplyDecision(*keyspace_, key, decide);
  }

  TransactionImpl& owner_;
  const std::shared_ptr<KeyspaceState> keyspace_;  // Shared with the catalog and handles.
};

TransactionImpl::TransactionImpl(std::shared_ptr<Store> store,
                                 std::shared_ptr<OpenStates::State> state, WallTime now)
    : store_(std::move(store)), state_(std::move(state)), now_(now) {}

TransactionImpl::~TransactionImpl() = default;

Result<std::unique_ptr<Transaction>> TransactionImpl::Begin(std::shared_ptr<Store> store) {
  MAYFLY_RETURN_IF_ERROR(store->Follow());
  // In this order, as in Freeze().
  MAYFLY_TRY(auto state, store->states().Open(StateKind::kTransaction, store->clock().Now()));
  const WallTime now = store->clock().Now();
  store->KeepTime(now);
  return std::unique_ptr<Transaction>(new TransactionImpl(std::move(store), std::move(state), now));
}

KeyspaceWriter& TransactionImpl::In(const Keyspace& keyspace) {
  const KeyspaceImpl& calls = KeyspaceImpl::Of(keyspace, *store_);
  auto& writer = writers_[calls.state().id()];
  if (writer == nullptr) writer = std::make_unique<Writer>(*this, calls.shared_state());
  return *writer;
}

View TransactionImpl::ViewOf(KeyspaceState& keyspace) {
  View view{.store = *store_,
            .keyspace = keyspace,
            .now = now_,
            .overlay = &overlay_,
            .reads = &reads_,
            .over = state_ == nullptr};
  if (state_ != nullptr) view.ReadFrom(state_);
  return view;
}

Status TransactionImpl::CheckActive() const {
  MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
  if (state_ != nullptr) [[likely]]
    return {};
  return Status::Invalid("the transaction is over; begin another");
}

Status TransactionImpl::SetSavepoint() {
  MAYFLY_RETURN_IF_ERROR(CheckActive());
  savepoints_.push_back(undo_.size());
  return {};
}

Status TransactionImpl::RollbackToSavepoint() {
  MAYFLY_RETURN_IF_ERROR(CheckActive());
  if (savepoints_.empty()) return Status::Invalid("there is no savepoint; set one first");
  while (undo_.size() > savepoints_.back()) {
    Undo& undo = undo_.back();
    if (undo.late && undo.before) {
      late_[{undo.row_key, *undo.late}] = std::move(*undo.before);
    } else if (undo.late) {
      late_.erase({undo.row_key, *undo.late});
    } else if (undo.before) {
      overlay_[undo.row_key] = std::move(*undo.before);
    } else {
      overlay_.erase(undo.row_key);
    }
    undo_.pop_back();
  }
  savepoints_.pop_back();
  return {};
}

Status TransactionImpl::ApplyDecision(KeyspaceState& keyspace, Bytes key, Decide decide) {
  MAYFLY_RETURN_IF_ERROR(CheckActive());
  MAYFLY_RETURN_IF_ERROR(store_->CheckWritable());
  PinnedBytes pin;
  std::optional<RowView> row;
  MAYFLY_RETURN_IF_ERROR(FindPlainRow(ViewOf(keyspace), key, pin, row));
  MAYFLY_TRY(const auto newest, NewestOf(keyspace, key));
  MAYFLY_TRY(const Change change,
             decide({.row = row ? &*row : nullptr, .now = now_, .newest = newest}));
  if (change.kind == Change::Kind::kNothing) return {};
  if (overlay_.size() + late_.size() + reads_.rows().size() >= kTransactionKeysMax) {
    return Status::Invalid(fmt::format(
        "the transaction touches more than {} keys; commit it in parts", kTransactionKeysMax));
  }
  std::string row_key(Bytes(RowKey(keyspace.id(), key)));
  const auto own = overlay_.find(row_key);
  Pending pending{.timestamp = change.timestamp.value_or(std::max(now_, newest.value_or(now_))),
                  .own_timestamp = change.timestamp.has_value(),
                  .same_timestamp = change.same_timestamp,
                  .ttl_from_commit = change.ttl_from_now};
  if (change.same_timestamp && newest) {
    pending.timestamp = newest;
    // A pending row without a timestamp of its own gets one at the commit.
    pending.own_timestamp = own != overlay_.end() && own->second.own_timestamp;
    pending.same_timestamp =
        own == overlay_.end() || own->second.own_timestamp || own->second.same_timestamp;
  }
  if (!keyspace.by_timestamp()) pending.timestamp.reset();
  if (change.kind == Change::Kind::kPut) {
    MAYFLY_RETURN_IF_ERROR(CheckUserValue(change.payload));
    pending.present = true;
    pending.payload = change.payload;
    pending.span = change.span;
    // Keeping the lifetime of a pending row keeps the request: its ttl still counts from the
    // commit. A ttl that counts from a timestamp has become a deadline already.
    if (change.span.kept && own != overlay_.end() && !own->second.TtlCountsFromTimestamp()) {
      pending.span = own->second.span;
      pending.ttl_from_commit = true;
    }
    MAYFLY_TRY(pending.deadline, DeadlineOf(pending.span, pending.change().TtlFrom(now_)));
    if (change.of_collection) MAYFLY_RETURN_IF_ERROR(SetCollection(*row, pending));
  }
  const bool late = change.timestamp && newest && *change.timestamp < *newest;
  if (late) {
    SetLate(std::move(row_key), std::move(pending));
    return {};
  }
  // A pending write that this one overtakes becomes history as well.
  if (own != overlay_.end() && own->second.own_timestamp && !change.same_timestamp &&
      (!pending.own_timestamp || *own->second.timestamp < *pending.timestamp)) {
    SetLate(row_key, own->second);
  }
  SetPending(std::move(row_key), std::move(pending));
  return {};
}

// Later changes of the deadline, in the same transaction, depend on this one.
Status TransactionImpl::SetCollection(const RowView& row, Pending& pending) {
  MAYFLY_TRY(Collection collection, DecodeCollection(row.payload));
  collection.own_deadline = pending.deadline;
  std::string payload;
  AppendCollection(payload, collection);
  pending.payload = std::move(payload);
  pending.collection_id = row.collection_id;
  return {};
}

Result<std::optional<WallTime>> TransactionImpl::NewestOf(KeyspaceState& keyspace, Bytes key) {
  if (!keyspace.by_timestamp()) return std::optional<WallTime>();
  const auto own = overlay_.find(Bytes(RowKey(keyspace.id(), key)));
  if (own != overlay_.end()) return own->second.timestamp;
  const auto snapshot = state_->Lend();
  if (snapshot == nullptr) return StateRevoked();
  KeyState key_state;
  MAYFLY_RETURN_IF_ERROR(store_->ReadKeyState(keyspace, key, snapshot.get(), key_state));
  return key_state.newest();
}

void TransactionImpl::SetPending(std::string row_key, Pending pending) {
  const auto [at, fresh] = overlay_.try_emplace(row_key);
  if (!savepoints_.empty()) {
    undo_.push_back(
        {std::move(row_key), std::nullopt, fresh ? std::nullopt : std::optional(at->second)});
  }
  at->second = std::move(pending);
}

void TransactionImpl::SetLate(std::string row_key, Pending pending) {
  const WallTime timestamp = *pending.timestamp;
  const auto [at, fresh] = late_.try_emplace({row_key, timestamp});
  if (!savepoints_.empty()) {
    undo_.push_back(
        {std::move(row_key), timestamp, fresh ? std::nullopt : std::optional(at->second)});
  }
  at->second = std::move(pending);
}

Status TransactionImpl::Commit(Durability durability) {
  MAYFLY_RETURN_IF_ERROR(CheckActive());
  std::vector<Event> events;
  Status committed;
  if (!overlay_.empty() || !late_.empty()) {
    committed = CommitChanges(durability, events);
  } else if (state_->Lend() == nullptr) {
    committed = StateRevoked();  // Reported even if nothing was written.
  }
  Rollback();
  if (committed.code() == StatusCode::kConflict) ++store_->counts().conflicts;
  MAYFLY_RETURN_IF_ERROR(committed);
  store_->events().Deliver(events);
  return {};
}

void TransactionImpl::Rollback() {
  state_.reset();
  overlay_.clear();
  late_.clear();
  reads_.Clear();
  undo_.clear();
  savepoints_.clear();
}

Status TransactionImpl::CommitChanges(Durability durability, std::vector<Event>& events) {
  MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
  const auto then = state_->Lend();
  if (then == nullptr) return StateRevoked();
  // Lock order: ARCHITECTURE.md.
  std::vector<std::shared_lock<KeyspaceState::Gate>> gates;
  for (const auto& [id, writer] : writers_) {
    gates.emplace_back(writer->keyspace()->gate());
    MAYFLY_RETURN_IF_ERROR(store_->CheckUsable(*writer->keyspace()));
  }
  for (const auto& [row_key, pending] : overlay_) reads_.At(row_key);
  KeyLatches::Stripes stripes;
  for (const auto& [row_key, seen] : reads_.rows()) {
    stripes.set(StripeOf(KeyspaceIdOf(row_key), UserKeyOf(row_key)));
  }
  const KeyLatches::Many latches(store_->latches(), stripes);
  CommitPlan plan(store_->clock().Now());
  for (const auto& [row_key, seen] : reads_.rows()) {
    KeyspaceState& keyspace = *writers_.at(KeyspaceIdOf(row_key))->keyspace();
    const Bytes key = UserKeyOf(row_key);
    KeyState today;
    MAYFLY_RETURN_IF_ERROR(store_->ReadKeyState(keyspace, key, nullptr, today));
    MAYFLY_RETURN_IF_ERROR(CheckUnchanged(keyspace, key, *then, seen, today, plan.now()));
    const auto own = overlay_.find(row_key);
    if (own == overlay_.end()) continue;
    MAYFLY_RETURN_IF_ERROR(store_->PlanChange(plan, keyspace, key, today, own->second.change()));
  }
  MAYFLY_RETURN_IF_ERROR(CheckStillInTime(plan.now()));
  MAYFLY_RETURN_IF_ERROR(PlanLateChanges(plan));
  if (store_->IsNothing(plan)) return {};
  MAYFLY_RETURN_IF_ERROR(store_->Commit(plan, durability));
  store_->counts().last_write_ms.store(ToMs(plan.now()), std::memory_order_relaxed);
  events = std::move(plan.events());
  return {};
}

Status TransactionImpl::CheckUnchanged(KeyspaceState& keyspace, Bytes key,
                                       const engine::Snapshot& then, const ReadSet::Seen& seen,
                                       const KeyState& today, WallTime now) const {
  // The same bytes, and no timestamped write of the key beside them.
  if (seen.known && !keyspace.by_timestamp() &&
      seen.stored.has_value() == today.stored.has_value() &&
      (!seen.stored || *seen.stored == today.pin.view())) {
    return {};
  }
  KeyState before;
  MAYFLY_RETURN_IF_ERROR(store_->ReadKeyState(keyspace, key, &then, before));
  const bool was = before.Living(now) != nullptr;
  const bool is = today.Living(now) != nullptr;
  bool same = was == is && (!was || before.pin.view() == today.pin.view());
  // Where order is by timestamp, a delete counts even if it removed nothing. A purge does not: it
  // keeps the timestamp, or forgets it once no write is held back by it. From then on the timestamp
  // does not count, forgotten or not.
  const auto last_word = [&](const KeyState& key_state) {
    const auto newest = key_state.newest();
    if (!newest || key_state.Living(now) != nullptr) return newest;
    const bool holds_back = !IsDead(MarkerOf(*keyspace.policy(), *newest).kept_until, now);
    return holds_back ? newest : std::nullopt;
  };
  if (last_word(today) != last_word(before)) same = false;
  if (same) return {};
  return Status::Conflict(
      fmt::format("key '{}' in keyspace '{}' was changed by somebody else; begin again",
                  Printable(key), Printable(keyspace.name())));
}

// Writes take effect at the commit: by then the timestamp that should hold one back may be
// forgotten.
Status TransactionImpl::CheckStillInTime(WallTime now) const {
  const auto check = [&](Bytes row_key, const Pending& pending) -> Status {
    if (!pending.own_timestamp) return {};
    const WriteRule rule(*store_, *writers_.at(KeyspaceIdOf(row_key))->keyspace());
    return CheckTimestamp(*pending.timestamp, rule.rule, now);
  };
  for (const auto& [row_key, pending] : overlay_) MAYFLY_RETURN_IF_ERROR(check(row_key, pending));
  for (const auto& [at, pending] : late_) MAYFLY_RETURN_IF_ERROR(check(at.first, pending));
  return {};
}

Status TransactionImpl::PlanLateChanges(CommitPlan& plan) const {
  for (const auto& [at, pending] : late_) {
    const auto& [row_key, timestamp] = at;
    KeyspaceState& keyspace = *writers_.at(KeyspaceIdOf(row_key))->keyspace();
    const Bytes key = UserKeyOf(row_key);
    KeyState key_state;
    MAYFLY_RETURN_IF_ERROR(store_->ReadKeyState(keyspace, key, nullptr, key_state));
    WallTime overtaken_at = key_state.newest().value_or(timestamp);
    const auto own = overlay_.find(row_key);
    if (own != overlay_.end()) {
      const WallTime last = TimestampOf(own->second.change(), key_state, plan.now());
      overtaken_at = std::max(overtaken_at, last);
      if (timestamp == overtaken_at) continue;  // Overtaken at its own timestamp: never visible.
    }
    if (pending.present && pending.span.clamped) plan.CountClamped();
    MAYFLY_RETURN_IF_ERROR(
        store_->PlanLateChange(plan, keyspace, key, key_state, pending.change(), overtaken_at));
  }
  return {};
}

}  // namespace mayfly::core
