#include "tables/items/single_row_writes.h"

#include "core/transactions/latched_transaction.h"
#include "tables/items/item_writer.h"
#include "tables/schema/item_limits.h"

namespace mayfly::tables {
namespace {

Result<std::optional<FoundBefore>> Find(core::TransactionKeyspace& rows, const ItemAction& action) {
  core::FoundRow found;
  MAYFLY_RETURN_IF_ERROR(rows.Find(action.key, found));
  if (!found.exists) return std::optional<FoundBefore>();
  MAYFLY_TRY(FoundBefore before, LookAt(action, found.value));
  return std::optional(std::move(before));
}

// On failure the row stays as it was.
Status Write(core::LatchedTransaction& transaction, core::TransactionKeyspace& rows,
             const ItemAction& action, ActionOutcome& outcome) {
  const Item* const after = outcome.item_after();
  if (after == nullptr) return rows.Delete(action.key).status();
  MAYFLY_RETURN_IF_ERROR(WriteRow(rows, action.key, *after, outcome.next_version,
                                  DeadlineOf(*action.table, *after, transaction.now())));
  // Only core knows whether the row is alive: its deadline may have passed.
  core::FoundRow found;
  MAYFLY_RETURN_IF_ERROR(rows.Find(action.key, found));
  outcome.version = found.exists ? outcome.next_version : 0;
  return {};
}

ActionOutcome Failed(Status fault) {
  ActionOutcome outcome;
  outcome.fault = std::move(fault);
  return outcome;
}

ActionOutcome Run(const ItemContext& context, core::LatchedTransaction& transaction,
                  const ItemAction& action) {
  core::TransactionKeyspace& rows = transaction.In(*action.table->items);
  auto before = Find(rows, action);
  if (!before) return Failed(before.error());
  ActionOutcome outcome = Judge(action, *std::move(before), transaction.now(), context.versions);
  if (outcome.ok() && outcome.changes_rows) {
    outcome.fault = Write(transaction, rows, action, outcome);
  }
  return outcome;
}

core::KeySet ScopeOf(std::span<const ItemAction* const> actions) {
  core::KeySet scope;
  scope.keys.reserve(actions.size());
  for (const ItemAction* const action : actions) {
    scope.keys.push_back({action->table->items.get(), action->key});
  }
  return scope;
}

bool Shows(const ItemAction& action) {
  return action.show != nullptr || action.on_failure != OnFailure::kNone;
}

}  // namespace

std::vector<ActionOutcome> RunAlone(const ItemContext& context,
                                    std::span<const ItemAction* const> actions) {
  std::vector<std::string> latch_keys;
  latch_keys.reserve(actions.size());
  for (const ItemAction* const action : actions) latch_keys.push_back(action->LatchKey());
  const ItemLatches::Held latches = context.latches.Take(latch_keys);

  std::vector<ActionOutcome> outcomes;
  outcomes.reserve(actions.size());
  const auto transaction = core::BeginLatched(context.database, ScopeOf(actions));
  if (!transaction) {
    for (std::size_t i = 0; i < actions.size(); ++i)
      outcomes.push_back(Failed(transaction.error()));
    return outcomes;
  }
  std::uint64_t shown = 0;
  for (const ItemAction* const action : actions) {
    const ActionOutcome& outcome = outcomes.emplace_back(Run(context, **transaction, *action));
    if (Shows(*action)) shown += outcome.bytes;
    if (shown > kShownBytesMax) break;
  }
  // An action may have read what another one wrote: so a failed commit fails all of them.
  const Status committed = (*transaction)->Commit();
  if (!committed.ok()) {
    for (ActionOutcome& outcome : outcomes) outcome.fault = committed;
  }
  return outcomes;
}

}  // namespace mayfly::tables
