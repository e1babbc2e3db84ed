#include "core/transactions/latched_transaction_impl.h"

#include <utility>

#include "core/store/rows_ahead.h"
#include "core/store/store_of.h"
#include "core/transactions/keyspace_impl.h"

namespace mayfly::core {

std::unique_ptr<TransactionMemory> NewTransactionMemory() {
  return std::make_unique<DraftMemory>();
}

void HoldPurges(Database& database, const Keyspace& keyspace, bool held) {
  Store& store = StoreOf(database);
  KeyspaceImpl::Of(keyspace, store).state().HoldPurges(held);
  if (!held) store.watch().Written(WallTimeFromMs(0));  // What has died meanwhile is due.
}

void ListenToDeaths(Database& database, DeathListener* listener) {
  StoreOf(database).set_death_listener(listener);
}

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
    MAYFLY_TRY(auto transaction, LatchedTransactionImpl::Begin(
                                     store, targets, scope.everything, scope.walks,
                                     static_cast<DraftMemory*>(scope.memory), scope.judged_at));
    return std::unique_ptr<LatchedTransaction>(std::move(transaction));
  };
  if (scope.everything) return begin({});
  if (scope.keys.size() == 1) {
    const LatchedTransactionImpl::Target one[] = {target(scope.keys.front())};
    return begin(one);
  }
  std::vector<LatchedTransactionImpl::Target> targets;
  targets.reserve(scope.keys.size());
  RowsAhead ahead;
  for (const KeySet::Key& key : scope.keys) {
    targets.push_back(target(key));
    ahead.Add(state->id(), key.key);
  }
  ahead.Fetch(store.engine());
  return begin(targets);
}

Result<std::unique_ptr<LatchedTransactionImpl>> LatchedTransactionImpl::Begin(
    Store& store, std::span<const Target> targets, bool everything, bool walks, DraftMemory* memory,
    std::optional<WallTime> judged_at) {
  MAYFLY_RETURN_IF_ERROR(store.CheckOpen());
  std::unique_ptr<LatchedTransactionImpl> transaction(new LatchedTransactionImpl(store, memory));
  HeldKeys& held = transaction->held_;
  MAYFLY_RETURN_IF_ERROR(everything ? held.HoldEverything() : held.Hold(targets));
  if (walks && !everything) MAYFLY_RETURN_IF_ERROR(transaction->rows_.Freeze());
  transaction->now_ = store.clock().Now();  // Under the latches, as every write.
  transaction->buffers_.set_now(judged_at.value_or(transaction->now_));
  store.KeepTime(transaction->now());
  return transaction;
}

Status LatchedTransactionImpl::Commit(Durability durability) {
  if (over_) return Status::Invalid("the transaction is over; begin another");
  over_ = true;
  if (!buffers_.HasDrafts()) {
    if (witness_ != nullptr) witness_->Committed();
    End(/*committed=*/true);
    return {};
  }
  CommitPlan plan(judged_at(), std::exchange(buffers_.memory().batch, {}));
  Status committed = buffers_.Plan(plan);
  if (committed.ok()) committed = store_.CommitChanges(plan, durability);
  if (committed.ok() && witness_ != nullptr) witness_->Committed();
  End(committed.ok());
  buffers_.memory().Take(std::move(plan.batch()));
  MAYFLY_RETURN_IF_ERROR(committed);
  store_.events().Deliver(std::move(plan.events()));
  return {};
}

void LatchedTransactionImpl::End(bool committed) {
  buffers_.EndStaging(committed);
  rows_.End();
  held_.Release();
}

}  // namespace mayfly::core
