// item_action.h - one write of one item, understood and checked as far as that goes without the
// item: made before anything is locked, run by item_transaction.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "expressions/condition.h"
#include "items/item_codec.h"
#include "mayfly/result.h"
#include "mayfly/tables.h"
#include "tables/schema/table.h"

namespace mayfly::tables {

struct ItemAction {
  const Table* table;  // In use as long as the action is there.
  std::string key;

  std::optional<expressions::Condition> condition = std::nullopt;
  std::optional<std::uint64_t> expected_version = std::nullopt;
  OnFailure on_failure = OnFailure::kNone;
  bool only_checks = false;        // It has a condition and changes nothing.
  bool only_if_different = false;  // An item that stays the same is not written.

  // False: of the item that is there only the version and the size matter.
  bool looks_at_item = true;

  // The item there should be, whatever is there. A part of the request.
  const Item* put = nullptr;

  // Without one to put: the item there should be instead; nothing: none. `before` is null where no
  // item is.
  std::function<Result<std::optional<Item>>(const Item* before, WallTime now)> make = {};

  // What the caller wants to see of the two; nothing if that is nothing.
  std::function<std::optional<Item>(const Item* before, const Item* after)> show = {};

  // What ItemLatches know the item by.
  std::string LatchKey() const { return table->id + key; }

  // Whether it goes ahead on this item, null for none.
  bool Holds(const items::StoredItem* before) const;
};

// What is wrong with the request is Invalid. The request must outlive the action.
Result<ItemAction> ActionOf(const Table& table, const PutItemRequest& request);
Result<ItemAction> ActionOf(const Table& table, const UpdateItemRequest& request);
Result<ItemAction> ActionOf(const Table& table, const DeleteItemRequest& request);
Result<ItemAction> ActionOf(const Table& table, const ConditionCheck& request);

}  // namespace mayfly::tables
