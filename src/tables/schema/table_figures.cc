#include "tables/schema/table_figures.h"

#include "items/item_codec.h"
#include "items/item_key.h"
#include "items/item_size.h"
#include "tables/schema/table_limits.h"

namespace mayfly::tables {
namespace {

// From a few places of the keyspace, since neighbours are alike.
Result<std::uint64_t> BytesOf(const Keyspace& rows, std::uint64_t count) {
  if (count == 0) return std::uint64_t{0};
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;
  for (std::uint32_t segment = 0; segment < kSampleSegments; ++segment) {
    const std::string begin = items::SegmentBegin(segment, kSampleSegments);
    const std::string end = segment + 1 < kSampleSegments
                                ? items::SegmentBegin(segment + 1, kSampleSegments)
                                : std::string();
    MAYFLY_TRY(const auto cursor, rows.NewCursor({.begin = begin, .end = end}));
    cursor->SeekToFirst();
    for (std::size_t i = 0; i < kSampleItemsPerSegment && cursor->Valid(); ++i, cursor->Next()) {
      MAYFLY_TRY(const items::StoredItem stored, items::DecodeItem(cursor->value()));
      bytes += items::SizeOf(stored.item);
      ++items;
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
  }
  if (items == 0) return std::uint64_t{0};  // They died meanwhile.
  return items == count
             ? bytes
             : static_cast<std::uint64_t>(static_cast<double>(bytes) / static_cast<double>(items) *
                                          static_cast<double>(count));
}

}  // namespace

Result<TableDescription> DescribeTable(const Table& table) {
  TableDescription description{.spec = table.spec,
                               .id = table.id,
                               .created_at = table.created_at,
                               .ttl_status = table.ttl_status,
                               .indexes = {},
                               .stream_label = table.stream_label};
  MAYFLY_TRY(description.items, table.items->Count());
  MAYFLY_TRY(description.bytes, BytesOf(*table.items, description.items));
  for (const Index& index : table.indexes) {
    TableDescription::Index& told = description.indexes[index.spec.name];
    told.status = index.status;
    MAYFLY_TRY(told.items, index.rows->Count());
    MAYFLY_TRY(told.bytes, BytesOf(*index.rows, told.items));
  }
  return description;
}

}  // namespace mayfly::tables
