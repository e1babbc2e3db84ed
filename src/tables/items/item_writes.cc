// item_writes.cc - PutItem, UpdateItem, DeleteItem and BatchWriteItem.
#include <set>

#include "tables/items/item_calls.h"
#include "tables/items/item_transaction.h"
#include "tables/items/write_route.h"
#include "tables/schema/item_limits.h"

namespace mayfly::tables {
namespace {

template <typename Request>
Result<WriteOutcome> WriteOne(const ItemContext& context, const Request& request) {
  MAYFLY_TRY(ItemAction draft, DraftOf(request));
  MAYFLY_TRY(const TableUse table, context.catalog.Use(request.table));
  MAYFLY_TRY(ItemAction action, ActionOf(*table, request, std::move(draft)));
  return RunAction(context, std::move(action));
}

template <typename Request>
Status CheckPlain(const Request& request) {
  if (request.condition.empty() && !request.expected_version) return {};
  return Status::Invalid(
      "a batch of writes takes no conditions and no expected versions; write the item by itself or "
      "in a transaction");
}

}  // namespace

Result<WriteOutcome> PutItem(const ItemContext& context, const PutItemRequest& request) {
  return WriteOne(context, request);
}

Result<WriteOutcome> UpdateItem(const ItemContext& context, const UpdateItemRequest& request) {
  return WriteOne(context, request);
}

Result<WriteOutcome> DeleteItem(const ItemContext& context, const DeleteItemRequest& request) {
  return WriteOne(context, request);
}

Result<std::vector<WriteOutcome>> BatchWriteItem(
    const ItemContext& context,
    const std::vector<std::variant<PutItemRequest, DeleteItemRequest>>& requests) {
  if (requests.empty()) return Status::Invalid("a batch of writes needs at least one");
  if (requests.size() > kBatchWritesMax) {
    return Status::Invalid("Too many items requested for the BatchWriteItem call");
  }
  std::set<std::string> names;
  std::vector<ItemAction> drafts;
  for (const auto& request : requests) {
    MAYFLY_RETURN_IF_ERROR(std::visit([](const auto& one) { return CheckPlain(one); }, request));
    MAYFLY_TRY(ItemAction draft, std::visit([](const auto& one) { return DraftOf(one); }, request));
    drafts.push_back(std::move(draft));
    names.insert(std::visit([](const auto& one) { return one.table; }, request));
  }
  MAYFLY_TRY(const TableUses tables, TableUses::Of(context.catalog, names));
  std::vector<ItemAction> actions;
  std::set<std::string> items;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    MAYFLY_TRY(
        ItemAction action,
        std::visit(
            [&](const auto& one) { return ActionOf(tables[one.table], one, std::move(drafts[i])); },
            requests[i]));
    if (!items.insert(action.table->id + action.key).second) {
      return Status::Invalid("Provided list of item keys contains duplicates");
    }
    actions.push_back(std::move(action));
  }
  MAYFLY_TRY(const auto outcomes, RunBatch(context, actions));
  std::vector<WriteOutcome> told;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    MAYFLY_TRY(WriteOutcome one, ToWriteOutcome(actions[i], outcomes[i]));
    told.push_back(std::move(one));
  }
  return told;
}

}  // namespace mayfly::tables
