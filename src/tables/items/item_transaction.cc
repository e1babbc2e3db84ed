#include "tables/items/item_transaction.h"

#include <algorithm>

#include "items/item_size.h"
#include "tables/items/item_writer.h"
#include "tables/schema/item_limits.h"

namespace mayfly::tables {
namespace {

Result<ActionOutcome> Decide(const ItemContext& context, Transaction& transaction,
                             const ItemAction& action) {
  MAYFLY_TRY(auto before, ReadItem(transaction, *action.table, action.key));
  std::optional<FoundBefore> found;
  if (before) {
    const std::uint64_t bytes = items::SizeOf(before->item);
    found = FoundBefore{*std::move(before), bytes};
  }
  return Judge(action, std::move(found), transaction.now(), context.versions);
}

Status Write(Transaction& transaction, Streams::Hold& hold, const ItemAction& action,
             ActionOutcome& outcome) {
  if (!outcome.changes_rows) return {};
  const Item* const before = outcome.item_before();
  const Item* const after = outcome.item_after();
  MAYFLY_RETURN_IF_ERROR(
      WriteItem(transaction, *action.table, action.key, before, after, outcome.next_version));
  if (after != nullptr) {
    // Only core knows whether the row is alive: its deadline may have passed.
    MAYFLY_TRY(const bool lives, transaction.In(*action.table->items).Exists(action.key));
    outcome.version = lives ? outcome.next_version : 0;
  }
  return hold.Append(transaction, {.table = action.table, .before = before, .after = after});
}

// One attempt. Conflict: begin again.
Result<std::vector<ActionOutcome>> Attempt(const ItemContext& context,
                                           const std::vector<ItemAction>& actions,
                                           const OwnSteps& own) {
  std::vector<Streams::About> about;
  for (const ItemAction& action : actions) {
    if (!action.only_checks) about.push_back({.table = action.table, .key = action.key});
  }
  MAYFLY_TRY(Streams::Hold hold, context.streams.BeginWrite(about));
  MAYFLY_TRY(const auto transaction, context.database.Begin());
  std::vector<ActionOutcome> outcomes;
  if (own.first) {
    MAYFLY_TRY(const bool proceed, own.first(*transaction));
    if (!proceed) return outcomes;
  }
  for (const ItemAction& action : actions) {
    MAYFLY_TRY(ActionOutcome outcome, Decide(context, *transaction, action));
    outcomes.push_back(std::move(outcome));
  }
  if (!std::all_of(outcomes.begin(), outcomes.end(), [](const auto& one) { return one.ok(); })) {
    return outcomes;
  }
  for (std::size_t i = 0; i < actions.size(); ++i) {
    MAYFLY_RETURN_IF_ERROR(Write(*transaction, hold, actions[i], outcomes[i]));
  }
  if (own.last) MAYFLY_RETURN_IF_ERROR(own.last(*transaction, outcomes));
  MAYFLY_RETURN_IF_ERROR(transaction->Commit());
  return outcomes;
}

}  // namespace

Result<TableUses> TableUses::Of(Catalog& catalog, const std::set<std::string>& names) {
  TableUses uses;
  for (const std::string& name : names) {
    MAYFLY_TRY(TableUse use, catalog.Use(name));
    uses.uses_.emplace(name, std::move(use));
  }
  return uses;
}

Result<std::vector<ActionOutcome>> RunActions(const ItemContext& context,
                                              const std::vector<ItemAction>& actions,
                                              const OwnSteps& own) {
  std::vector<std::string> keys = own.latches;
  for (const ItemAction& action : actions) keys.push_back(action.LatchKey());
  const ItemLatches::Held latches = context.latches.Take(keys);
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    auto outcomes = Attempt(context, actions, own);
    if (outcomes || outcomes.error().code() != StatusCode::kConflict) return outcomes;
  }
  return Status::Busy("others keep changing these items; try again later");
}

}  // namespace mayfly::tables
