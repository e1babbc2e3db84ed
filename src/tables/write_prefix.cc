#include "tables/write_prefix.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tables/items/item_transaction.h"
#include "tables/items/single_row_writes.h"
#include "tables/schema/item_limits.h"
#include "tables/tables_impl.h"

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
    if (!use) return use.error();
    return std::visit([&](const auto& one) { return tables::ActionOf(**use, one); }, write);
  }

 private:
  std::map<std::string_view, Result<TableUse>> uses_;
};

// Applies the longest prefix that can share a commit. False: not all of them have been written.
bool WriteAlone(const ItemContext& context, std::span<const Result<ItemAction>> first,
                Outcomes& told) {
  std::vector<const ItemAction*> actions;
  for (const Result<ItemAction>& action : first) {
    if (!action || !IsKeptAlone(*action->table)) break;
    actions.push_back(&*action);
  }
  const std::vector<ActionOutcome> outcomes = RunAlone(context, actions);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    told.push_back(ToWriteOutcome(*actions[i], outcomes[i]));
  }
  return outcomes.size() == actions.size();
}

Outcomes WritePrefix(const ItemContext& context, std::span<const ItemWrite> writes) {
  const NamedTables tables(context.catalog, writes);
  std::vector<Result<ItemAction>> actions;
  actions.reserve(writes.size());
  for (const ItemWrite& write : writes) actions.push_back(tables.ActionOf(write));
  Outcomes told;
  told.reserve(writes.size());
  while (told.size() < actions.size()) {
    const std::size_t next = told.size();
    if (!actions[next]) {
      told.emplace_back(actions[next].error());
    } else if (IsKeptAlone(*actions[next]->table)) {
      if (!WriteAlone(context, std::span(actions).subspan(next), told)) break;
    } else {
      told.push_back(RunAction(context, *std::move(actions[next])));
      if (told.back() && told.back()->attributes) break;  // It may be large.
    }
  }
  return told;
}

// For a Tables that Open() did not make.
Outcomes WriteOne(Tables& tables, const ItemWrite& write) {
  struct Call {
    Result<WriteOutcome> operator()(const PutItemRequest& put) { return tables.PutItem(put); }
    Result<WriteOutcome> operator()(const UpdateItemRequest& update) {
      return tables.UpdateItem(update);
    }
    Result<WriteOutcome> operator()(const DeleteItemRequest& remove) {
      return tables.DeleteItem(remove);
    }
    Tables& tables;
  };
  Outcomes told;
  told.push_back(std::visit(Call{tables}, write));
  return told;
}

}  // namespace

std::vector<Result<WriteOutcome>> WritePrefix(Tables& tables, std::span<const ItemWrite> writes) {
  if (writes.empty()) return {};
  const auto* const ours = dynamic_cast<TablesImpl*>(&tables);
  // A child made by fork() is refused by that call.
  if (ours == nullptr || !ours->CheckOwner().ok()) return WriteOne(tables, writes.front());
  return WritePrefix(ours->context(), writes.first(std::min(writes.size(), kWritesTogetherMax)));
}

}  // namespace mayfly::tables
