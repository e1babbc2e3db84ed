#include "tables/items/item_outcome.h"

#include <algorithm>

#include "items/item_size.h"

namespace mayfly::tables {
namespace {

bool IsChange(const ItemAction& action, const Item* before, const Item* after) {
  if (before == nullptr || after == nullptr) return before != after;
  return !action.only_if_different || *before != *after;
}

}  // namespace

Result<FoundBefore> LookAt(const ItemAction& action, Bytes stored) {
  FoundBefore found;
  if (!action.looks_at_item) {
    MAYFLY_TRY(const items::StoredSize measured, items::MeasureStored(stored));
    found.item.version = measured.version;
    found.bytes = measured.size;
    return found;
  }
  MAYFLY_TRY(found.item, items::DecodeItem(stored));
  found.bytes = items::SizeOf(found.item.item);
  return found;
}

ActionOutcome Judge(const ItemAction& action, std::optional<FoundBefore> before, WallTime now,
                    ItemVersions& versions) {
  ActionOutcome outcome;
  if (before) {
    outcome.before = std::move(before->item);
    outcome.bytes = before->bytes;
  }
  outcome.holds = action.Holds(outcome.before ? &*outcome.before : nullptr);
  if (!outcome.holds) return outcome;
  if (action.only_checks) {
    outcome.version = outcome.before ? outcome.before->version : 0;
    return outcome;
  }
  outcome.put = action.put;
  if (action.put == nullptr) {
    auto made = action.make(outcome.item_before(), now);
    if (!made) {
      outcome.fault = made.error();
      return outcome;
    }
    outcome.made = *std::move(made);
  }
  if (outcome.item_after() != nullptr) {
    const std::uint64_t old = outcome.before ? outcome.before->version : 0;
    outcome.next_version = versions.Next(now, old);
    outcome.bytes = std::max<std::uint64_t>(outcome.bytes, items::SizeOf(*outcome.item_after()));
  }
  outcome.changes_rows = IsChange(action, outcome.item_before(), outcome.item_after());
  if (outcome.before && !outcome.changes_rows) outcome.version = outcome.before->version;
  return outcome;
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
    told.attributes = action.show(outcome.item_before(), outcome.item_after());
  }
  return told;
}

}  // namespace mayfly::tables
