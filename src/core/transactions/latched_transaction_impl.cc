#include "core/transactions/latched_transaction_impl.h"

#include <algorithm>

#include "core/store/store_of.h"
#include "core/transactions/keyspace_impl.h"

namespace mayfly::core {

Result<std::unique_ptr<LatchedTransaction>> BeginLatched(Database& database, const KeySet& scope) {
  Store& store = StoreOf(database);
  // Keys of one keyspace mostly come together.
  const Keyspace* keyspace = nullptr;
  KeyspaceState* state = nullptr;
  const auto target = [&](const KeySet::Key& key) {
    if (state == nullptr || key.keyspace != keyspace) {
      keyspace = key.keyspace;
      state = &KeyspaceImpl::Of(*keyspace, store).state();
    }
    return LatchedTransactionImpl::Target{state, StripeOf(state->id(), key.key), key.writes};
  };
  const auto begin = [&](std::span<const LatchedTransactionImpl::Target> targets)
      -> Result<std::unique_ptr<LatchedTransaction>> {
    MAYFLY_TRY(auto transaction,
               LatchedTransactionImpl::Begin(store, targets, scope.everything, scope.walks));
    return std::unique_ptr<LatchedTransaction>(std::move(transaction));
  };
  if (scope.everything) return begin({});
  if (scope.keys.size() == 1) {
    const LatchedTransactionImpl::Target one[] = {target(scope.keys.front())};
    return begin(one);
  }
  std::vector<LatchedTransactionImpl::Target> targets;
  targets.reserve(scope.keys.size());
  for (const KeySet::Key& key : scope.keys) targets.push_back(target(key));
  return begin(targets);
}

Result<std::unique_ptr<LatchedTransactionImpl>> LatchedTransactionImpl::Begin(
    Store& store, std::span<const Target> targets, bool everything, bool walks) {
  MAYFLY_RETURN_IF_ERROR(store.CheckOpen());
  std::unique_ptr<LatchedTransactionImpl> transaction(
      new LatchedTransactionImpl(store, everything));
  MAYFLY_RETURN_IF_ERROR(everything ? transaction->HoldEverything() : transaction->Hold(targets));
  if (walks && !everything) MAYFLY_RETURN_IF_ERROR(transaction->Freeze());
  transaction->now_ = store.clock().Now();  // Under the latches, as every write.
  store.KeepTime(transaction->now_);
  return transaction;
}

LatchedTransactionImpl::~LatchedTransactionImpl() { EndStaging(/*committed=*/false); }

// Called after the latches are held, so that the snapshot shows latched rows as they will stay.
Status LatchedTransactionImpl::Freeze() {
  frozen_.emplace();
  for (const auto& keyspace : store_.catalog().All()) {
    frozen_->watermarks.emplace(keyspace->id(), keyspace->watermark());
  }
  MAYFLY_TRY(state_, store_.states().Open(StateKind::kCall, store_.clock().Now()));
  frozen_->snapshot = state_->Lend();
  return {};
}

Result<const LatchedTransactionImpl::Frozen*> LatchedTransactionImpl::State() const {
  if (everything_) return nullptr;
  if (frozen_) return &*frozen_;
  return Status::Internal("a transaction that walks over rows must be begun so");
}

Status LatchedTransactionImpl::Hold(std::span<const Target> targets) {
  if (targets.empty()) return {};
  bool alike = true;
  for (const Target& target : targets) {
    (target.writes ? held_ : shared_).set(target.stripe);
    alike = alike && target.keyspace == targets.front().keyspace;
  }
  if (alike) {
    MAYFLY_RETURN_IF_ERROR(HoldGate(*targets.front().keyspace));
  } else {
    std::vector<KeyspaceState*> keyspaces;
    keyspaces.reserve(targets.size());
    for (const Target& target : targets) keyspaces.push_back(target.keyspace);
    MAYFLY_RETURN_IF_ERROR(HoldGates(std::move(keyspaces)));
  }
  if (targets.size() == 1) {
    const Target& only = targets.front();
    if (only.writes) {
      latch_ = store_.latches().Lock(only.stripe);
    } else {
      shared_latch_ = store_.latches().LockShared(only.stripe);
    }
  } else {
    latches_.emplace(store_.latches(), held_, shared_);
  }
  return {};
}

Status LatchedTransactionImpl::HoldGate(KeyspaceState& keyspace) {
  only_ = &keyspace;
  only_gate_ = std::shared_lock(keyspace.gate());
  return store_.CheckUsable(keyspace);
}

Status LatchedTransactionImpl::HoldEverything() {
  kept_ = store_.catalog().All();
  std::vector<KeyspaceState*> keyspaces;
  keyspaces.reserve(kept_.size());
  for (const auto& keyspace : kept_) keyspaces.push_back(keyspace.get());
  // A keyspace may be dropped before its gate is held; then it is not used any more.
  MAYFLY_RETURN_IF_ERROR(HoldGates(std::move(keyspaces)));
  held_.set();
  latches_.emplace(store_.latches(), held_);
  return {};
}

Status LatchedTransactionImpl::HoldGates(std::vector<KeyspaceState*> keyspaces) {
  const auto by_id = [](const KeyspaceState* a, const KeyspaceState* b) {
    return a->id() < b->id();
  };
  std::sort(keyspaces.begin(), keyspaces.end(), by_id);
  keyspaces.erase(std::unique(keyspaces.begin(), keyspaces.end()), keyspaces.end());
  keyspaces_ = std::move(keyspaces);
  gates_.reserve(keyspaces_.size());
  for (KeyspaceState* const keyspace : keyspaces_) {
    gates_.emplace_back(keyspace->gate());
    if (!everything_) MAYFLY_RETURN_IF_ERROR(store_.CheckUsable(*keyspace));
  }
  return {};
}

bool LatchedTransactionImpl::HoldsGate(const KeyspaceState& keyspace) const {
  return only_ == &keyspace ||
         std::find(keyspaces_.begin(), keyspaces_.end(), &keyspace) != keyspaces_.end();
}

LatchedKeyspace& LatchedTransactionImpl::In(const Keyspace& keyspace) {
  if (first_ && first_->keyspace() == &keyspace) [[likely]]
    return *first_;
  return In(KeyspaceImpl::Of(keyspace, store_).state(), &keyspace);
}

WriteBuffer& LatchedTransactionImpl::In(KeyspaceState& state, const Keyspace* keyspace) {
  if (!first_) return first_.emplace(*this, store_, state, keyspace, HoldsGate(state));
  if (&first_->state() == &state) return *first_;
  for (const auto& space : others_) {
    if (&space->state() == &state) return *space;
  }
  return *others_.emplace_back(
      std::make_unique<WriteBuffer>(*this, store_, state, keyspace, HoldsGate(state)));
}

LatchedTransaction::Mark LatchedTransactionImpl::SetMark() {
  ++epoch_;
  marks_.push_back({undos_.size(), changed_.size()});
  return marks_.size() - 1;
}

void LatchedTransactionImpl::RollBack(Mark mark) {
  ++epoch_;
  const Point& point = marks_.at(mark);
  while (undos_.size() > point.undos) {
    TakeBack(undos_.back());
    undos_.pop_back();
  }
  changed_.erase(changed_.begin() + static_cast<std::ptrdiff_t>(point.changed), changed_.end());
  marks_.resize(mark + 1);
}

void LatchedTransactionImpl::TakeBack(Undo& undo) {
  if (auto* const row = std::get_if<RowDraft>(&undo.before)) {
    undo.space->SetDraft(undo.name, std::move(*row));
  } else if (auto* const part = std::get_if<PartUndo>(&undo.before)) {
    undo.space->SetDraft(part->collection_id, part->part, undo.name, std::move(part->before));
  } else {
    auto& clear = std::get<ClearUndo>(undo.before);
    undo.space->TakeBackClear(std::move(clear.before));
    changed_ = std::move(clear.changed);
  }
}

void LatchedTransactionImpl::Changed(const Keyspace* keyspace, Bytes key) {
  changed_.push_back({keyspace, std::string(key)});
}

void LatchedTransactionImpl::Save(WriteBuffer& space, Bytes key, const RowDraft& before) {
  if (marks_.empty()) return;
  undos_.push_back({&space, std::string(key), before});
}

void LatchedTransactionImpl::Save(WriteBuffer& space, std::uint64_t collection_id, Part part,
                                  Bytes name, const MemberDraft& before) {
  if (marks_.empty()) return;
  undos_.push_back({&space, std::string(name), PartUndo{collection_id, part, before}});
}

void LatchedTransactionImpl::SaveClear(WriteBuffer& space, WriteBuffer::Cleared before) {
  std::vector<ChangedKey> kept;
  for (const ChangedKey& changed : changed_) {
    if (changed.keyspace != space.keyspace()) kept.push_back(changed);
  }
  std::swap(kept, changed_);
  if (marks_.empty()) return;
  undos_.push_back({&space, {}, ClearUndo{std::move(before), std::move(kept)}});
}

Status LatchedTransactionImpl::Commit(Durability durability) {
  if (over_) return Status::Invalid("the transaction is over; begin another");
  std::vector<Event> events;
  const Status committed = CommitPlanned(durability, events);
  over_ = true;
  EndStaging(committed.ok());
  Release();
  MAYFLY_RETURN_IF_ERROR(committed);
  store_.events().Deliver(events);
  return {};
}

Status LatchedTransactionImpl::CommitPlanned(Durability durability, std::vector<Event>& events) {
  CommitPlan plan(now_);
  if (first_) MAYFLY_RETURN_IF_ERROR(first_->Plan(plan));
  for (const auto& space : others_) MAYFLY_RETURN_IF_ERROR(space->Plan(plan));
  if (store_.IsNothing(plan)) return {};
  MAYFLY_RETURN_IF_ERROR(store_.CheckOpen());
  MAYFLY_RETURN_IF_ERROR(store_.Commit(plan, durability));
  store_.counts().last_write_ms.store(ToMs(now_), std::memory_order_relaxed);
  events = std::move(plan.events());
  return {};
}

void LatchedTransactionImpl::EndStaging(bool committed) {
  if (first_) first_->EndStaging(committed);
  for (const auto& space : others_) space->EndStaging(committed);
}

void LatchedTransactionImpl::Release() {
  latches_.reset();
  latch_ = {};
  shared_latch_ = {};
  gates_.clear();
  only_gate_ = {};
  frozen_.reset();
  state_.reset();
}

}  // namespace mayfly::core
