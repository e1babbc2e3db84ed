// item_transaction.h - runs actions as one transaction: all of them, or nothing.
// Lock order: the caller uses the tables; then latches of the items, streams, the transaction. With
// the latches held no other call changes these items, so a condition that held when it was read
// holds at the commit.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mayfly/result.h"
#include "mayfly/transaction.h"
#include "tables/items/item_context.h"
#include "tables/items/item_outcome.h"

namespace mayfly::tables {

// The tables of a call, each used once, in the order that catalog.h asks for.
class TableUses {
 public:
  static Result<TableUses> Of(Catalog& catalog, const std::set<std::string>& names);

  const Table& operator[](const std::string& name) const { return *uses_.at(name); }

 private:
  std::map<std::string, TableUse> uses_;
};

// Steps of a call beside its actions, in the same transaction.
struct OwnSteps {
  std::vector<std::string> latches = {};
  // False: the call ends, and no outcomes are returned.
  std::function<Result<bool>(Transaction&)> first = {};
  std::function<Status(Transaction&, const std::vector<ActionOutcome>&)> last = {};
};

// One outcome per action, in order. If one is not ok nothing has been written, and the others say
// what would have happened. Actions must be about different items. Busy when writers without
// latches kept changing the items.
Result<std::vector<ActionOutcome>> RunActions(const ItemContext& context,
                                              const std::vector<ItemAction>& actions,
                                              const OwnSteps& own = {});

}  // namespace mayfly::tables
