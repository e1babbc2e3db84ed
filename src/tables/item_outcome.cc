#include "tables/item_outcome.h"

#include <algorithm>

#include "items/item_size.h"
#include "tables/item_limits.h"

namespace mayfly::tables {
namespace {

std::uint64_t NextVersion(const std::optional<items::StoredItem>& before, WallTime now) {
  const std::uint64_t old = before ? before->version : 0;
  return std::max(old + 1, static_cast<std::uint64_t>(ToMs(now)) << kVersionTimeShift);
}

const Item* ItemOf(const std::optional<items::StoredItem>& stored) {
  return stored ? &stored->item : nullptr;
}

}  // namespace

ActionOutcome Judge(const ItemAction& action, std::optional<items::StoredItem> before,
                    WallTime now) {
  ActionOutcome outcome;
  outcome.before = std::move(before);
  if (outcome.before) outcome.bytes = items::SizeOf(outcome.before->item);
  outcome.holds = action.Holds(outcome.before ? &*outcome.before : nullptr);
  if (!outcome.holds) return outcome;
  if (action.only_checks) {
    outcome.after = outcome.before;
    outcome.version = outcome.before ? outcome.before->version : 0;
    return outcome;
  }
  auto made = action.make(ItemOf(outcome.before), now);
  if (!made) {
    outcome.fault = made.error();
    return outcome;
  }
  if (*made) {
    outcome.after =
        items::StoredItem{.version = NextVersion(outcome.before, now), .item = **std::move(made)};
    outcome.bytes = std::max<std::uint64_t>(outcome.bytes, items::SizeOf(outcome.after->item));
  }
  return outcome;
}

bool IsToWrite(const ItemAction& action, ActionOutcome& outcome) {
  if (action.only_checks || (!outcome.before && !outcome.after)) return false;
  if (!action.only_if_different || !outcome.before || !outcome.after ||
      outcome.before->item != outcome.after->item) {
    return true;
  }
  outcome.version = outcome.before->version;
  return false;
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
