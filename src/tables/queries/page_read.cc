// page_read.cc - reads one page of Query or Scan (page_plan.h).
#include "items/item_codec.h"
#include "items/item_size.h"
#include "tables/queries/page_plan.h"
#include "tables/schema/item_limits.h"

namespace mayfly::tables {
namespace {

// The item of an entry, in the same snapshot: it exists, since both change and die together.
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

// Counts the item of a row that must be decoded, and passes it on.
Status TakeItem(const KeyspaceReader& rows, const PagePlan& plan, Bytes stored, ItemPage& page,
                PageSink& sink) {
  MAYFLY_TRY(items::StoredItem decoded, items::DecodeItem(stored));
  Item item = std::move(decoded.item);
  if (plan.fetch) {
    MAYFLY_TRY(item, Fetch(rows, plan, item));
  }
  page.bytes += items::SizeOf(item);
  if (plan.filter && !plan.filter->Holds(item)) return {};
  ++page.count;
  if (!plan.count_only) sink.Take(plan.projection ? plan.projection->Of(item) : std::move(item));
  return {};
}

// The same for a row that is passed on as it is.
Status TakeStored(const PagePlan& plan, Bytes stored, ItemPage& page, PageSink& sink) {
  MAYFLY_TRY(const items::StoredSize measured, items::MeasureStored(stored));
  page.bytes += measured.size;
  ++page.count;
  return plan.count_only ? Status() : sink.TakeStored(stored);
}

}  // namespace

Result<ItemPage> ReadPage(Database& database, const PagePlan& plan, PageSink& sink) {
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
  const bool as_stored = !plan.fetch && !plan.filter && !plan.projection;
  while (cursor->Valid()) {
    ++page.scanned;
    MAYFLY_RETURN_IF_ERROR(
        as_stored ? TakeStored(plan, cursor->value(), page, sink)
                  : TakeItem(snapshot->In(*plan.table->items), plan, cursor->value(), page, sink));
    if ((plan.limit && page.scanned >= *plan.limit) || page.bytes >= kPageBytesMax) {
      MAYFLY_TRY(const items::StoredItem last, items::DecodeItem(cursor->value()));
      page.last_key = KeyAttributesOf(*plan.table, plan.index, last.item);
      break;
    }
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
