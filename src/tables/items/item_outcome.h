// item_outcome.h - the outcome of an action on an item, computed from the item found.
#pragma once

#include <cstdint>
#include <optional>

#include "items/item_codec.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "tables/items/item_action.h"
#include "tables/schema/item_versions.h"

namespace mayfly::tables {

struct ActionOutcome {
  bool holds = true;  // The condition and the expected version.
  Status fault = {};  // Invalid: the item does not fit the action, or NotFound if it needs one.
  std::optional<items::StoredItem> before = std::nullopt;  // Without its attributes, if the action
                                                           // does not read them.
  const Item* put = nullptr;                               // The action's.
  std::optional<Item> made = std::nullopt;
  bool changes_rows = false;
  std::uint64_t next_version = 0;  // What a living item after it has.
  std::uint64_t version = 0;       // As WriteOutcome's: 0 also when the item was born dead.
  std::uint64_t bytes = 0;

  bool ok() const { return holds && fault.ok(); }

  // Null: no item.
  const Item* item_before() const { return before ? &before->item : nullptr; }
  const Item* item_after() const { return made ? &*made : put; }
};

// A stored item, decoded as far as the action needs it.
struct FoundBefore {
  items::StoredItem item;
  std::uint64_t bytes = 0;
};
Result<FoundBefore> LookAt(const ItemAction& action, Bytes stored);

// Says what the item shall be. Writes nothing. The version is final where no row changes.
ActionOutcome Judge(const ItemAction& action, std::optional<FoundBefore> before, WallTime now,
                    ItemVersions& versions);

// How a call with one action tells it.
Result<WriteOutcome> ToWriteOutcome(const ItemAction& action, const ActionOutcome& outcome);

}  // namespace mayfly::tables
