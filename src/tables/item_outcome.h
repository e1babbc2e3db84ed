// item_outcome.h - what becomes of an item by an action: decided from the item as it was found.
#pragma once

#include <cstdint>
#include <optional>

#include "items/item_codec.h"
#include "mayfly/result.h"
#include "tables/item_action.h"

namespace mayfly::tables {

struct ActionOutcome {
  bool holds = true;  // The condition and the expected version.
  Status fault = {};  // Invalid: the item does not fit the action, or NotFound if it needs one.
  std::optional<items::StoredItem> before = std::nullopt;
  std::optional<items::StoredItem> after = std::nullopt;
  std::uint64_t version = 0;  // As WriteOutcome's: 0 also when the item was born dead.
  std::uint64_t bytes = 0;

  bool ok() const { return holds && fault.ok(); }
};

// Says what the item shall be. Writes nothing.
ActionOutcome Judge(const ItemAction& action, std::optional<items::StoredItem> before,
                    WallTime now);

// Whether rows change by it; if not, the version is final.
bool IsToWrite(const ItemAction& action, ActionOutcome& outcome);

// How a call with one action tells it.
Result<WriteOutcome> ToWriteOutcome(const ItemAction& action, const ActionOutcome& outcome);

}  // namespace mayfly::tables
