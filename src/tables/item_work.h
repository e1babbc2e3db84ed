// item_work.h - runs actions as one: all of them, or nothing.
// Order of locks: the caller uses the tables; then latches of the items, streams, the transaction.
// With the latches held no other work changes these items, so a condition that held when it was
// read holds at the commit.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "items/item_codec.h"
#include "mayfly/result.h"
#include "mayfly/transaction.h"
#include "tables/item_action.h"
#include "tables/item_context.h"

namespace mayfly::tables {

// The tables of a call, each used once, in the order that catalog.h asks for.
class TableUses {
 public:
  static Result<TableUses> Of(Catalog& catalog, const std::set<std::string>& names);

  const Table& operator[](const std::string& name) const { return *uses_.at(name); }

 private:
  std::map<std::string, TableUse> uses_;
};

struct ActionOutcome {
  bool holds = true;  // The condition and the expected version.
  Status fault = {};  // Invalid: the item does not fit the action, or NotFound if it needs one.
  std::optional<items::StoredItem> before = std::nullopt;
  std::optional<items::StoredItem> after = std::nullopt;
  std::uint64_t version = 0;  // As WriteOutcome's: 0 also when the item was born dead.
  std::uint64_t bytes = 0;

  bool ok() const { return holds && fault.ok(); }
};

// What a call does beside its actions, in the same transaction.
struct OwnSteps {
  std::vector<std::string> latches = {};
  // False: nothing is to be done any more, and no outcomes are returned.
  std::function<Result<bool>(Transaction&)> first = {};
  std::function<Status(Transaction&, const std::vector<ActionOutcome>&)> last = {};
};

// One outcome per action, in order. If one is not ok nothing has been written, and the rest says
// what would have become of them. Actions must be about different items. Busy when others, who take
// no latches, changed the items again and again.
Result<std::vector<ActionOutcome>> RunActions(const ItemContext& context,
                                              const std::vector<ItemAction>& actions,
                                              const OwnSteps& own = {});

// How a call with one action tells it.
Result<WriteOutcome> ToWriteOutcome(const ItemAction& action, const ActionOutcome& outcome);

}  // namespace mayfly::tables
