#include "tables/items/write_route.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tables/items/item_calls.h"
#include "tables/items/item_transaction.h"
#include "tables/items/single_row_writes.h"
#include "tables/schema/item_limits.h"

namespace mayfly::tables {
namespace {

using Outcomes = std::vector<Result<WriteOutcome>>;

std::string_view TableOf(const ItemWrite& write) {
  return std::visit([](const auto& one) -> std::string_view { return one.table; }, write);
}

// The tables of the writes; a missing one only fails its own writes.
class NamedTables {
 public:
  NamedTables(Catalog& catalog, std::span<const ItemWrite> writes) {
    std::set<std::string_view> names;  // In the order that catalog.h asks for.
    for (const ItemWrite& write : writes) names.insert(TableOf(write));
    for (const std::string_view name : names) uses_.emplace(name, catalog.Use(std::string(name)));
  }

  Result<ItemAction> ActionOf(const ItemWrite& write) const {
    const Result<TableUse>& use = uses_.at(TableOf(write));
    return std::visit(
        [&](const auto& one) -> Result<ItemAction> {
          MAYFLY_TRY(ItemAction draft, DraftOf(one));
          if (!use) return use.error();
          return tables::ActionOf(**use, one, std::move(draft));
        },
        write);
  }

 private:
  std::map<std::string_view, Result<TableUse>> uses_;
};

bool IsKeptAlone(const Table& table) {
  return table.indexes.empty() && table.shadows == nullptr && table.spec.stream == StreamView::kOff;
}

// Applies the longest prefix that can share a commit. False: not all of them have been written.
bool WriteAlone(const ItemContext& context, std::span<const Result<ItemAction>> first,
                Outcomes& results) {
  std::vector<const ItemAction*> actions;
  for (const Result<ItemAction>& action : first) {
    if (!action || !IsKeptAlone(*action->table)) break;
    actions.push_back(&*action);
  }
  const std::vector<ActionOutcome> outcomes = RunAlone(context, actions);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    results.push_back(ToWriteOutcome(*actions[i], outcomes[i]));
  }
  return outcomes.size() == actions.size();
}

}  // namespace

Result<WriteOutcome> RunAction(const ItemContext& context, ItemAction action) {
  if (IsKeptAlone(*action.table)) {
    const ItemAction* const alone[] = {&action};
    return ToWriteOutcome(action, RunAlone(context, alone).front());
  }
  std::vector<ItemAction> actions;
  actions.push_back(std::move(action));
  MAYFLY_TRY(const auto outcomes, RunActions(context, actions));
  return ToWriteOutcome(actions.front(), outcomes.front());
}

// In one transaction, which is more than was promised: it costs one commit instead of one for each.
Result<std::vector<ActionOutcome>> RunBatch(const ItemContext& context,
                                            const std::vector<ItemAction>& actions) {
  std::vector<const ItemAction*> alone;
  for (const ItemAction& action : actions) {
    if (IsKeptAlone(*action.table)) alone.push_back(&action);
  }
  if (alone.size() == actions.size()) return RunAlone(context, alone);
  return RunActions(context, actions);
}

std::vector<Result<WriteOutcome>> WritePrefix(const ItemContext& context,
                                              std::span<const ItemWrite> writes) {
  writes = writes.first(std::min(writes.size(), kWritesTogetherMax));
  const NamedTables tables(context.catalog, writes);
  std::vector<Result<ItemAction>> actions;
  actions.reserve(writes.size());
  for (const ItemWrite& write : writes) actions.push_back(tables.ActionOf(write));
  Outcomes results;
  results.reserve(writes.size());
  while (results.size() < actions.size()) {
    const std::size_t next = results.size();
    if (!actions[next]) {
      results.emplace_back(actions[next].error());
    } else if (IsKeptAlone(*actions[next]->table)) {
      if (!WriteAlone(context, std::span(actions).subspan(next), results)) break;
    } else {
      results.push_back(RunAction(context, *std::move(actions[next])));
      if (results.back() && results.back()->attributes) break;  // It may be large.
    }
  }
  return results;
}

}  // namespace mayfly::tables
