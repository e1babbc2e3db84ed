// query_calls.h - Query and Scan. Their contracts are in mayfly/tables.h.
#pragma once

#include "mayfly/result.h"
#include "mayfly/tables.h"
#include "tables/items/item_context.h"
#include "tables/queries/page_sink.h"
#include "tables/queries/read_schema.h"

namespace mayfly::tables {

// The page's items go into the sink.
Result<ItemPage> Query(const ItemContext& context, const QueryRequest& request, PageSink& sink);
Result<ItemPage> Scan(const ItemContext& context, const ScanRequest& request, PageSink& sink);

Result<ReadSchema> FindReadSchema(const ItemContext& context, const std::string& table,
                                  const std::string& index);

}  // namespace mayfly::tables
