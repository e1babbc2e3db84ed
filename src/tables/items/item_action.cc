#include "tables/items/item_action.h"

#include <fmt/format.h>

#include <memory>

#include "expressions/update.h"
#include "tables/schema/item_check.h"

namespace mayfly::tables {
namespace {

using expressions::Arguments;
using expressions::Condition;
using expressions::Update;

Status ParseCondition(const std::string& text, Arguments& arguments, ItemAction& action) {
  if (text.empty()) return {};
  MAYFLY_TRY(Condition condition, Condition::Parse(text, Condition::Role::kCondition, arguments));
  action.condition.emplace(std::move(condition));
  return {};
}

// The condition of a write that has no other expression, and its placeholders.
Status ParseOnlyCondition(const std::string& text, const ExpressionArguments& given,
                          ItemAction& action) {
  Arguments arguments(given);
  MAYFLY_RETURN_IF_ERROR(arguments.CheckForm());
  MAYFLY_RETURN_IF_ERROR(ParseCondition(text, arguments, action));
  return arguments.CheckAllUsed(!text.empty());
}

// Puts and deletes return the item before, or nothing.
Status ShowBefore(ReturnValues return_values, ItemAction& action) {
  switch (return_values) {
    case ReturnValues::kNone: return {};
    case ReturnValues::kAllOld:
      action.show = [](const Item* before, const Item*) {
        return before == nullptr ? std::nullopt : std::optional(*before);
      };
      return {};
    default: return Status::Invalid("ReturnValues can only be ALL_OLD or NONE");
  }
}

// What an update returns. Without an expression it has changed nothing.
std::optional<Item> ShownOf(ReturnValues return_values, const Update* update, const Item* before,
                            const Item* after) {
  const bool old =
      return_values == ReturnValues::kAllOld || return_values == ReturnValues::kUpdatedOld;
  const Item* item = old ? before : after;
  if (item == nullptr) return std::nullopt;
  if (return_values == ReturnValues::kAllOld || return_values == ReturnValues::kAllNew) {
    return *item;
  }
  if (update == nullptr) return std::nullopt;
  Item touched = update->Touched(*item);
  if (touched.empty()) return std::nullopt;
  return touched;
}

Status CheckLeavesKeysAlone(const Table& table, const Update& update) {
  for (const std::string& name : update.Attributes()) {
    if (name == table.spec.partition.name || (table.spec.sort && name == table.spec.sort->name)) {
      return Status::Invalid(
          fmt::format("One or more parameter values were invalid: Cannot update attribute {}. This "
                      "attribute is part of the key",
                      name));
    }
  }
  return {};
}

Result<std::optional<Item>> Updated(const Table& table, const Update* update, const Item& key,
                                    const Item* before) {
  const Item& from = before != nullptr ? *before : key;
  if (update == nullptr) {
    if (before == nullptr) MAYFLY_RETURN_IF_ERROR(CheckUpdatedItem(table, key, key));
    return std::optional(from);
  }
  MAYFLY_TRY(Item after, update->Apply(from));
  if (before == nullptr && update->OnlyTakes()) return std::optional<Item>();
  MAYFLY_RETURN_IF_ERROR(CheckUpdatedItem(table, from, after));
  return std::optional(std::move(after));
}

// Of a put or delete, which do not need the item itself.
bool LooksAtItem(const ItemAction& action) {
  return action.condition || action.expected_version || action.show;
}

}  // namespace

bool ItemAction::Holds(const items::StoredItem* before) const {
  static const Item kNoItem;
  if (expected_version && *expected_version != (before != nullptr ? before->version : 0)) {
    return false;
  }
  return !condition || condition->Holds(before != nullptr ? before->item : kNoItem);
}

Result<ItemAction> DraftOf(const PutItemRequest& request) {
  MAYFLY_RETURN_IF_ERROR(CheckForm(request.item));
  ItemAction action{.expected_version = request.expected_version, .on_failure = request.on_failure};
  MAYFLY_RETURN_IF_ERROR(ParseOnlyCondition(request.condition, request.arguments, action));
  MAYFLY_RETURN_IF_ERROR(ShowBefore(request.return_values, action));
  action.put = &request.item;
  action.looks_at_item = LooksAtItem(action);
  return action;
}

Result<ItemAction> DraftOf(const UpdateItemRequest& request) {
  ItemAction action{.expected_version = request.expected_version, .on_failure = request.on_failure};
  Arguments arguments(request.arguments);
  MAYFLY_RETURN_IF_ERROR(arguments.CheckForm());
  if (!request.update.empty()) {
    MAYFLY_TRY(Update parsed, Update::Parse(request.update, arguments));
    action.update = std::make_shared<const Update>(std::move(parsed));
  }
  MAYFLY_RETURN_IF_ERROR(ParseCondition(request.condition, arguments, action));
  MAYFLY_RETURN_IF_ERROR(
      arguments.CheckAllUsed(!request.update.empty() || !request.condition.empty()));
  if (request.return_values != ReturnValues::kNone) {
    action.show = [&request, update = action.update](const Item* before, const Item* after) {
      return ShownOf(request.return_values, update.get(), before, after);
    };
  }
  return action;
}

Result<ItemAction> DraftOf(const DeleteItemRequest& request) {
  ItemAction action{.expected_version = request.expected_version, .on_failure = request.on_failure};
  MAYFLY_RETURN_IF_ERROR(ParseOnlyCondition(request.condition, request.arguments, action));
  MAYFLY_RETURN_IF_ERROR(ShowBefore(request.return_values, action));
  action.make = [](const Item*, WallTime) -> Result<std::optional<Item>> {
    return std::optional<Item>();
  };
  action.looks_at_item = LooksAtItem(action);
  return action;
}

Result<ItemAction> DraftOf(const ConditionCheck& request) {
  if (request.condition.empty()) {
    return Status::Invalid("The ConditionExpression of a ConditionCheck must not be empty");
  }
  ItemAction action{.on_failure = request.on_failure, .only_checks = true};
  MAYFLY_RETURN_IF_ERROR(ParseOnlyCondition(request.condition, request.arguments, action));
  return action;
}

Result<ItemAction> ActionOf(const Table& table, const PutItemRequest& request, ItemAction draft) {
  MAYFLY_TRY(draft.key, KeyOfItem(table, request.item));
  MAYFLY_RETURN_IF_ERROR(CheckNewItem(table, request.item));
  draft.table = &table;
  return draft;
}

Result<ItemAction> ActionOf(const Table& table, const UpdateItemRequest& request,
                            ItemAction draft) {
  MAYFLY_TRY(draft.key, KeyOf(table, request.key));
  if (draft.update != nullptr) {
    MAYFLY_RETURN_IF_ERROR(CheckLeavesKeysAlone(table, *draft.update));
  }
  draft.make = [&table, &request, update = draft.update](const Item* before, WallTime) {
    return Updated(table, update.get(), request.key, before);
  };
  draft.table = &table;
  return draft;
}

Result<ItemAction> ActionOf(const Table& table, const DeleteItemRequest& request,
                            ItemAction draft) {
  MAYFLY_TRY(draft.key, KeyOf(table, request.key));
  draft.table = &table;
  return draft;
}

Result<ItemAction> ActionOf(const Table& table, const ConditionCheck& request, ItemAction draft) {
  MAYFLY_TRY(draft.key, KeyOf(table, request.key));
  draft.table = &table;
  return draft;
}

}  // namespace mayfly::tables
