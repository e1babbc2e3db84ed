#include "tables/item_work.h"

#include <algorithm>

#include "items/item_size.h"
#include "tables/item_limits.h"
#include "tables/item_writer.h"

namespace mayfly::tables {
namespace {

std::uint64_t NextVersion(const std::optional<items::StoredItem>& before, WallTime now) {
  const std::uint64_t old = before ? before->version : 0;
  return std::max(old + 1, static_cast<std::uint64_t>(ToMs(now)) << kVersionTimeShift);
}

const Item* ItemOf(const std::optional<items::StoredItem>& stored) {
  return stored ? &stored->item : nullptr;
}

// Reads the item and says what it shall be. Writes nothing.
Result<ActionOutcome> Decide(Transaction& transaction, const ItemAction& action) {
  ActionOutcome outcome;
  MAYFLY_TRY(outcome.before, ReadItem(transaction, *action.table, action.key));
  if (outcome.before) outcome.bytes = items::SizeOf(outcome.before->item);
  outcome.holds = action.Holds(outcome.before ? &*outcome.before : nullptr);
  if (!outcome.holds) return outcome;
  if (action.only_checks) {
    outcome.after = outcome.before;
    outcome.version = outcome.before ? outcome.before->version : 0;
    return outcome;
  }
  auto made = action.make(ItemOf(outcome.before), transaction.now());
  if (!made) {
    outcome.fault = made.error();
    return outcome;
  }
  if (*made) {
    outcome.after = items::StoredItem{.version = NextVersion(outcome.before, transaction.now()),
                                      .item = **std::move(made)};
    outcome.bytes = std::max<std::uint64_t>(outcome.bytes, items::SizeOf(outcome.after->item));
  }
  return outcome;
}

Status Write(Transaction& transaction, Streams::Hold& hold, const ItemAction& action,
             ActionOutcome& outcome) {
  if (action.only_checks || (!outcome.before && !outcome.after)) return {};
  if (action.only_if_different && outcome.before && outcome.after &&
      outcome.before->item == outcome.after->item) {
    outcome.version = outcome.before->version;
    return {};
  }
  MAYFLY_RETURN_IF_ERROR(WriteItem(transaction, *action.table, action.key, ItemOf(outcome.before),
                                   outcome.after ? &*outcome.after : nullptr));
  if (outcome.after) {
    // Whether it is there is core's to say: its instant may have passed.
    MAYFLY_TRY(const bool lives, transaction.In(*action.table->items).Exists(action.key));
    outcome.version = lives ? outcome.after->version : 0;
  }
  return hold.Append(
      transaction,
      {.table = action.table, .before = ItemOf(outcome.before), .after = ItemOf(outcome.after)});
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
    MAYFLY_TRY(ActionOutcome outcome, Decide(*transaction, action));
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
  for (const ItemAction& action : actions) keys.push_back(action.table->id + action.key);
  const ItemLatches::Held latches = context.latches.Take(keys);
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    auto outcomes = Attempt(context, actions, own);
    if (outcomes || outcomes.error().code() != StatusCode::kConflict) return outcomes;
  }
  return Status::Busy("others keep changing these items; try again later");
}

Result<WriteOutcome> ToWriteOutcome(const ItemAction& action, const ActionOutcome& outcome) {
  MAYFLY_RETURN_IF_ERROR(outcome.fault);
  WriteOutcome told;
  told.written = outcome.holds;
  told.version = outcome.version;
  told.bytes = outcome.bytes;
  if (!outcome.holds) {
    told.version = outcome.before ? outcome.before->version : 0;
    if (action.on_failure == OnFailure::kAllOld && outcome.before) {
      told.attributes = outcome.before->item;
    }
  } else if (action.show) {
    told.attributes = action.show(ItemOf(outcome.before), ItemOf(outcome.after));
  }
  return told;
}

}  // namespace mayfly::tables
