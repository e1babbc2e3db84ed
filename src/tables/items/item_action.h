// item_action.h - one write of one item, parsed and checked as far as possible without the item:
// built before anything is locked, run by item_transaction.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "expressions/condition.h"
#include "expressions/update.h"
#include "items/item_codec.h"
#include "mayfly/result.h"
#include "mayfly/tables.h"
#include "tables/schema/table.h"

namespace mayfly::tables {

struct ItemAction {
  const Table* table = nullptr;  // In use as long as the action lives.
  std::string key = {};

  std::optional<expressions::Condition> condition = std::nullopt;
  std::optional<std::uint64_t> expected_version = std::nullopt;
  OnFailure on_failure = OnFailure::kNone;
  bool only_checks = false;        // It has a condition and changes nothing.
  bool only_if_different = false;  // An item that stays the same is not written.

  // False: only the version and the size of the existing item matter.
  bool looks_at_item = true;

  // The new item, whatever exists. A part of the request.
  const Item* put = nullptr;

  // Without `put`: makes the new item; nothing: deletes. `before` is null where no item exists.
  std::function<Result<std::optional<Item>>(const Item* before, WallTime now)> make = {};

  // Of an update; null when it has no expression. Shared with `make` and `show`.
  std::shared_ptr<const expressions::Update> update = nullptr;

  // What the caller wants returned of the two; nothing if nothing.
  std::function<std::optional<Item>(const Item* before, const Item* after)> show = {};

  // The item's key for ItemLatches.
  std::string LatchKey() const { return table->id + key; }

  // Whether the condition holds for this item, null for none.
  bool Holds(const items::StoredItem* before) const;
};

// The action as far as the request alone tells: everything but table and key. Invalid for malformed
// expressions, values and placeholders, which DynamoDB refuses before it looks for the table. The
// request must outlive the action.
Result<ItemAction> DraftOf(const PutItemRequest& request);
Result<ItemAction> DraftOf(const UpdateItemRequest& request);
Result<ItemAction> DraftOf(const DeleteItemRequest& request);
Result<ItemAction> DraftOf(const ConditionCheck& request);

// Completes a draft of the request. Invalid when the request does not fit the table.
Result<ItemAction> ActionOf(const Table& table, const PutItemRequest& request, ItemAction draft);
Result<ItemAction> ActionOf(const Table& table, const UpdateItemRequest& request, ItemAction draft);
Result<ItemAction> ActionOf(const Table& table, const DeleteItemRequest& request, ItemAction draft);
Result<ItemAction> ActionOf(const Table& table, const ConditionCheck& request, ItemAction draft);

}  // namespace mayfly::tables
