// item_context.h - the state that every call on items uses. All of it belongs to the Tables object.
#pragma once

#include "mayfly/database.h"
#include "tables/items/item_latches.h"
#include "tables/schema/catalog.h"
#include "tables/schema/item_versions.h"
#include "tables/streams/streams.h"

namespace mayfly::tables {

struct ItemContext {
  Database& database;
  Catalog& catalog;
  ItemLatches& latches;
  ItemVersions& versions;
  Streams& streams;
};

}  // namespace mayfly::tables
