// item_ttl.cc - SetTtl, RemoveTtl and GetTtl.
#include <fmt/format.h>

#include <algorithm>

#include "items/item_codec.h"
#include "tables/items/item_calls.h"
#include "tables/items/write_route.h"
#include "tables/schema/item_check.h"
#include "tables/schema/item_limits.h"

namespace mayfly::tables {
namespace {

Status NoItem() { return Status::NotFound("there is no living item under this key"); }

// A ttl attribute that is a part of the key cannot change: that would be another item.
Status CheckNoKey(const Table& table) {
  const std::string& attribute = table.spec.ttl_attribute;
  const bool is_key = attribute == table.spec.partition.name ||
                      (table.spec.sort && attribute == table.spec.sort->name);
  if (!is_key) return {};
  return Status::Invalid(
      fmt::format("the ttl attribute {} of table {} is part of the key; put another item",
                  attribute, table.spec.name));
}

// Seconds since the epoch, rounded up: the item lives at least as long as requested.
Number SecondsAt(WallTime instant) { return {(ToMs(instant) + 999) / 1000}; }

}  // namespace

Status SetTtl(const ItemContext& context, const std::string& name, const Item& key, Millis ttl) {
  MAYFLY_TRY(const TableUse table, context.catalog.Use(name));
  if (ttl.count() <= 0) {
    return Status::Invalid(
        fmt::format("a ttl of {} ms; it must be positive. To delete, delete; to keep for ever, "
                    "remove the ttl",
                    ttl.count()));
  }
  const std::string& attribute = table->spec.ttl_attribute;
  if (attribute.empty()) {
    return Status::Invalid(fmt::format("table {} has no ttl attribute; choose one first", name));
  }
  MAYFLY_RETURN_IF_ERROR(CheckNoKey(*table));
  MAYFLY_TRY(std::string item_key, KeyOf(*table, key));
  ItemAction action{.table = &*table, .key = std::move(item_key)};
  action.make = [&](const Item* before, WallTime now) -> Result<std::optional<Item>> {
    if (before == nullptr) return NoItem();
    if (ttl > kDeadlineLast - now - Millis(1000)) {
      return Status::Invalid(
          fmt::format("a ttl of {} ms ends after the last instant there is; to keep for ever, "
                      "remove the ttl",
                      ttl.count()));
    }
    Item after = *before;
    after[attribute] = SecondsAt(now + ttl);
    MAYFLY_RETURN_IF_ERROR(CheckUpdatedItem(*table, *before, after));
    return std::optional(std::move(after));
  };
  return RunAction(context, std::move(action)).status();
}

Result<bool> RemoveTtl(const ItemContext& context, const std::string& name, const Item& key) {
  MAYFLY_TRY(const TableUse table, context.catalog.Use(name));
  MAYFLY_RETURN_IF_ERROR(CheckNoKey(*table));
  MAYFLY_TRY(std::string item_key, KeyOf(*table, key));
  bool removed = false;
  ItemAction action{.table = &*table, .key = std::move(item_key), .only_if_different = true};
  action.make = [&](const Item* before, WallTime) -> Result<std::optional<Item>> {
    if (before == nullptr) return NoItem();
    Item after = *before;
    removed = !table->spec.ttl_attribute.empty() && after.erase(table->spec.ttl_attribute) > 0;
    MAYFLY_RETURN_IF_ERROR(CheckUpdatedItem(*table, *before, after));
    return std::optional(std::move(after));
  };
  MAYFLY_RETURN_IF_ERROR(RunAction(context, std::move(action)).status());
  return removed;
}

Result<Millis> GetTtl(const ItemContext& context, const std::string& name, const Item& key) {
  MAYFLY_TRY(const TableUse table, context.catalog.Use(name));
  MAYFLY_TRY(const std::string item_key, KeyOf(*table, key));
  MAYFLY_TRY(const auto snapshot, context.database.NewSnapshot());
  const KeyspaceReader& rows = snapshot->In(*table->items);
  const auto left = rows.Ttl(item_key);
  if (!left && left.error().IsNotFound()) return NoItem();
  if (!left || table->shadows == nullptr) return left;
  // The item exists until it is swept; the time left may be zero.
  MAYFLY_TRY(const std::string value, rows.Get(item_key));
  MAYFLY_TRY(const items::StoredItem stored, items::DecodeItem(value));
  const auto deadline = DeadlineOf(*table, stored.item, snapshot->now());
  return deadline ? std::max(*deadline - snapshot->now(), Millis(0)) : kForever;
}

}  // namespace mayfly::tables
