#include "tables/lone_item.h"

#include "core/work.h"
#include "tables/item_writer.h"

namespace mayfly::tables {
namespace {

Result<std::optional<FoundBefore>> Find(core::WorkSpace& rows, const ItemAction& action) {
  core::FoundRow found;
  MAYFLY_RETURN_IF_ERROR(rows.Find(action.key, found));
  if (!found.exists) return std::optional<FoundBefore>();
  MAYFLY_TRY(FoundBefore before, LookAt(action, found.value));
  return std::optional(std::move(before));
}

Status Write(core::Work& work, core::WorkSpace& rows, const ItemAction& action,
             ActionOutcome& outcome) {
  const Item* const after = outcome.item_after();
  if (after == nullptr) return rows.Delete(action.key).status();
  MAYFLY_RETURN_IF_ERROR(rows.Put(action.key, items::EncodeItem(*after, outcome.next_version),
                                  LifetimeUntil(DeadlineOf(*action.table, *after, work.now()))));
  // Whether it is there is core's to say: its instant may have passed.
  core::FoundRow found;
  MAYFLY_RETURN_IF_ERROR(rows.Find(action.key, found));
  outcome.version = found.exists ? outcome.next_version : 0;
  return {};
}

}  // namespace

bool IsKeptAlone(const Table& table) {
  return table.indexes.empty() && table.shadows == nullptr && table.spec.stream == StreamView::kOff;
}

Result<ActionOutcome> RunAlone(const ItemContext& context, const ItemAction& action) {
  const auto latch = context.latches.Take(action.LatchKey());
  const Keyspace& items = *action.table->items;
  MAYFLY_TRY(const auto work, core::BeginWork(context.database, {.keys = {{&items, action.key}}}));
  core::WorkSpace& rows = work->In(items);
  MAYFLY_TRY(auto before, Find(rows, action));
  ActionOutcome outcome = Judge(action, std::move(before), work->now());
  if (!outcome.ok() || !IsToWrite(action, outcome)) return outcome;
  MAYFLY_RETURN_IF_ERROR(Write(*work, rows, action, outcome));
  MAYFLY_RETURN_IF_ERROR(work->Commit());
  return outcome;
}

}  // namespace mayfly::tables
