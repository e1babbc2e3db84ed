#include "items/item_codec.h"
#include "items/item_size.h"
#include "tables/item_limits.h"
#include "tables/page_plan.h"

namespace mayfly::tables {
namespace {

// The item of an entry, in the same state: there is one, since both change and die together.
Result<Item> Fetch(const KeyspaceReader& rows, const PagePlan& plan, const Item& entry) {
  MAYFLY_TRY(const std::string key, KeyOfItem(*plan.table, entry));
  const auto value = rows.Get(key);
  if (!value && value.error().IsNotFound()) {
    return Status::Corruption("index " + plan.index->spec.name + " of table " +
                              plan.table->spec.name + " has an entry without an item");
  }
  if (!value) return value.error();
  MAYFLY_TRY(items::StoredItem stored, items::DecodeItem(*value));
  return std::move(stored.item);
}

void Take(const PagePlan& plan, Item item, ItemPage& page) {
  if (plan.filter && !plan.filter->Holds(item)) return;
  ++page.count;
  if (plan.count_only) return;
  page.items.push_back(plan.projection ? plan.projection->Of(item) : std::move(item));
}

}  // namespace

Result<ItemPage> ReadPage(Database& database, const PagePlan& plan) {
  ItemPage page;
  if (plan.range.IsEmpty()) return page;
  MAYFLY_TRY(const auto snapshot, database.NewSnapshot());
  MAYFLY_TRY(
      const auto cursor,
      snapshot->In(plan.rows()).NewCursor({.begin = plan.range.begin, .end = plan.range.end}));
  if (plan.forward) {
    cursor->SeekToFirst();
  } else {
    cursor->SeekToLast();
  }
  while (cursor->Valid()) {
    MAYFLY_TRY(items::StoredItem stored, items::DecodeItem(cursor->value()));
    if (plan.fetch) {
      MAYFLY_TRY(stored.item, Fetch(snapshot->In(*plan.table->items), plan, stored.item));
    }
    ++page.scanned;
    page.bytes += items::SizeOf(stored.item);
    if ((plan.limit && page.scanned >= *plan.limit) || page.bytes >= kPageBytesMax) {
      page.last_key = KeyAttributesOf(*plan.table, plan.index, stored.item);
    }
    Take(plan, std::move(stored.item), page);
    if (page.last_key) break;
    if (plan.forward) {
      cursor->Next();
    } else {
      cursor->Prev();
    }
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return page;
}

}  // namespace mayfly::tables
