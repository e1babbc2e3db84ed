// item_transactions.cc - TransactWriteItems.
#include <fmt/format.h>

#include <set>

#include "tables/items/item_calls.h"
#include "tables/items/item_transaction.h"
#include "tables/schema/item_check.h"
#include "tables/schema/item_limits.h"
#include "tables/schema/transact_token.h"

namespace mayfly::tables {
namespace {

Status CheckCount(const std::vector<TransactWrite>& actions) {
  if (actions.empty()) return Status::Invalid("a transaction needs at least one action");
  if (actions.size() <= kTransactActionsMax) return {};
  return Status::Invalid(fmt::format(
      "1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member "
      "must have length less than or equal to {}",
      kTransactActionsMax));
}

// Checks what an action must satisfy by the table's description alone.
Status CheckFits(const Table& table, const PutItemRequest& request) {
  MAYFLY_RETURN_IF_ERROR(KeyOfItem(table, request.item).status());
  return CheckNewItem(table, request.item);
}
template <typename Request>
Status CheckFits(const Table& table, const Request& request) {
  return KeyOf(table, request.key).status();
}

// Such an action cancels the transaction, as one does that does not fit the existing item.
std::optional<TransactOutcome> Misfits(const TableUses& tables,
                                       const std::vector<TransactWrite>& writes) {
  TransactOutcome outcome;
  for (const TransactWrite& write : writes) {
    const Status fits = std::visit(
        [&](const auto& one) { return CheckFits(tables[one.table], one); }, write.action);
    auto& verdict = outcome.verdicts.emplace_back();
    outcome.bytes.push_back(0);
    if (fits.ok()) continue;
    outcome.written = false;
    verdict.reason = TransactOutcome::Reason::kInvalid;
    verdict.message = fits.message();
  }
  if (outcome.written) return std::nullopt;
  return outcome;
}

Result<std::vector<ItemAction>> DraftsOf(const std::vector<TransactWrite>& writes) {
  std::vector<ItemAction> drafts;
  for (const TransactWrite& write : writes) {
    MAYFLY_TRY(ItemAction draft,
               std::visit([](const auto& one) { return DraftOf(one); }, write.action));
    drafts.push_back(std::move(draft));
  }
  return drafts;
}

Result<std::vector<ItemAction>> ActionsOf(const TableUses& tables,
                                          const std::vector<TransactWrite>& writes,
                                          std::vector<ItemAction> drafts) {
  std::vector<ItemAction> actions;
  std::set<std::string> items;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    MAYFLY_TRY(
        ItemAction action,
        std::visit(
            [&](const auto& one) { return ActionOf(tables[one.table], one, std::move(drafts[i])); },
            writes[i].action));
    if (!items.insert(action.table->id + action.key).second) {
      return Status::Invalid("Transaction request cannot include multiple operations on one item");
    }
    actions.push_back(std::move(action));
  }
  return actions;
}

TransactOutcome::Verdict VerdictOf(const ItemAction& action, const ActionOutcome& outcome) {
  TransactOutcome::Verdict verdict;
  if (!outcome.fault.ok()) {
    verdict.reason = TransactOutcome::Reason::kInvalid;
    verdict.message = outcome.fault.message();
  } else if (!outcome.holds) {
    verdict.reason = TransactOutcome::Reason::kConditionFailed;
    verdict.message = "The conditional request failed";
    if (action.on_failure == OnFailure::kAllOld && outcome.before) {
      verdict.item = outcome.before->item;
    }
  }
  return verdict;
}

// The larger of an item's size before and after; checked and deleted items count, too.
Status CheckBytes(const std::vector<ActionOutcome>& outcomes) {
  std::uint64_t bytes = 0;
  for (const ActionOutcome& outcome : outcomes) bytes += outcome.bytes;
  return CheckTransactBytes(bytes);
}

TransactOutcome OutcomeOf(const std::vector<ItemAction>& actions,
                          const std::vector<ActionOutcome>& outcomes) {
  TransactOutcome outcome;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    outcome.written = outcome.written && outcomes[i].ok();
    outcome.verdicts.push_back(VerdictOf(actions[i], outcomes[i]));
    outcome.bytes.push_back(outcomes[i].bytes);
  }
  return outcome;
}

}  // namespace

Result<TransactOutcome> TransactWriteItems(const ItemContext& context,
                                           const std::vector<TransactWrite>& writes,
                                           const std::string& token) {
  MAYFLY_RETURN_IF_ERROR(CheckCount(writes));
  std::set<std::string> names;
  for (const TransactWrite& write : writes) {
    names.insert(std::visit([](const auto& one) { return one.table; }, write.action));
  }
  MAYFLY_TRY(std::vector<ItemAction> drafts, DraftsOf(writes));
  MAYFLY_TRY(const TableUses tables, TableUses::Of(context.catalog, names));
  if (auto misfits = Misfits(tables, writes)) return *std::move(misfits);
  MAYFLY_TRY(const std::vector<ItemAction> actions, ActionsOf(tables, writes, std::move(drafts)));
  if (token.empty()) {
    const OwnSteps own{.last = [](Transaction&, const std::vector<ActionOutcome>& outcomes) {
      return CheckBytes(outcomes);
    }};
    MAYFLY_TRY(const auto outcomes, RunActions(context, actions, own));
    return OutcomeOf(actions, outcomes);
  }
  MAYFLY_TRY(const TransactToken known, TransactToken::Of(context.database, token, writes));
  std::optional<TransactOutcome> before;
  OwnSteps own;
  own.latches = {"token/" + token};
  // A token of other actions is the caller's mistake, not a Conflict to retry.
  Status mismatch;
  own.first = [&](Transaction& transaction) -> Result<bool> {
    auto found = known.Known(transaction);
    if (!found && found.error().code() == StatusCode::kConflict) {
      mismatch = found.error();
      return false;
    }
    if (!found) return found.error();
    before = *std::move(found);
    return !before;
  };
  own.last = [&](Transaction& transaction, const std::vector<ActionOutcome>& outcomes) -> Status {
    MAYFLY_RETURN_IF_ERROR(CheckBytes(outcomes));
    return known.Remember(transaction, OutcomeOf(actions, outcomes));
  };
  MAYFLY_TRY(const auto outcomes, RunActions(context, actions, own));
  MAYFLY_RETURN_IF_ERROR(mismatch);
  if (before) return *std::move(before);
  return OutcomeOf(actions, outcomes);
}

}  // namespace mayfly::tables
